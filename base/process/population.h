/*
 * All processes of the machine and what they have done since they were last looked at: CPU time,
 * time that threads waited for a CPU, threads that are stuck.
 *
 * A look is one pass over /proc: of each process stat and its CPU clock, of each thread schedstat,
 * and of each that has not run since the last look also stat. Kernel threads and our own process
 * are left out (named.h).
 */
#ifndef BASE_PROCESS_POPULATION_H
#define BASE_PROCESS_POPULATION_H

#include <stddef.h>
#include <stdint.h>

#include "base/process/named.h"

struct population_thread;
struct error;

struct population_process {
	struct named of;
	uint64_t cpu_ns;    /* since the last look, or since it began if that was later */
	uint64_t queued_ns; /* its threads were ready to run and had no CPU, all together */
	uint64_t threads;
	uint64_t stuck;	       /* threads that were in state D all the time since the last look */
	uint64_t cpu_total_ns; /* since it began */
	size_t first;	       /* of its threads */
};

struct population_look {
	struct population_process *processes; /* in the order of their numbers */
	struct population_thread *threads;
	size_t count, room, thread_count, thread_room;
	uint64_t at_ns; /* CLOCK_MONOTONIC */
};

struct population { /* {0} at first */
	struct population_look now, before;
	uint64_t interval_ns; /* between the two; 0 at the first look, of which all figures are 0 */
	uint64_t cost_ns;     /* CPU time of ours that the last look has taken */
};

/* Looks once. ERR_IO: no /proc; ERR_NOMEM. */
int population_take(struct population *c, struct error *err);

/* Sorts the processes of the last look: those that have used the most CPU first, then those with
 * stuck threads, then by the time for which they waited. To be called once after each look. */
void population_sort(struct population *c);

void population_release(struct population *c);

#endif
