/*
 * Events of the threads of some processes, where events of CPUs are not permitted
 * (sampler/capture/events.h): one of each thread on each CPU, which the threads and processes that
 * it makes later inherit. Those of a CPU write into one ring.
 *
 * A ring belongs to an event of ours that counts nothing, since it is to outlive each thread.
 *
 * A thread that begins while they are opened may have inherited them or not. So the threads are
 * listed before and after, and where new ones have come, all is opened anew.
 *
 * Rejected: a ring for each thread, which would need no event for each CPU. It takes 33 pages of
 * locked memory for each, and the kernel maps none of an inherited event that has no CPU
 * (perf_mmap() in kernel/events/core.c).
 */
#ifndef SAMPLER_CAPTURE_TASKEVENTS_H
#define SAMPLER_CAPTURE_TASKEVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct perf_event_attr;

/* Returns the process of that number, from 0 on; -1: it is to have none; 0: there are no more. */
typedef pid_t taskevents_process(void *owner, uint32_t number);

struct taskevents {
	taskevents_process *process; /* NULL: events of threads are not to be used */
	void *owner;
	struct taskring {
		int cpu, fd; /* fd: not owned */
	} *rings;
	size_t ring_count, ring_room;
	int *fds; /* the events, */
	size_t count, room;
	pid_t *threads; /* and all threads that were found, in order */
	size_t thread_count, thread_room;
	bool all; /* each thread has its events, or has inherited them */
};

/* Opens a ring's event for `cpu`, and returns its descriptor, which the caller closes after the
 * threads' events; -1 and errno. */
int taskevents_open_ring(struct taskevents *t, int cpu, bool user_only);

/* Opens events of all threads, which do not run yet. ERR_PERM and ERR_IO with errno, ERR_NOMEM. */
int taskevents_open(struct taskevents *t, const struct perf_event_attr *attr, struct error *err);

/* Starts them, inherited ones as well. */
void taskevents_start(const struct taskevents *t);

/* Was the process among those whose events were opened last? */
bool taskevents_have(const struct taskevents *t, pid_t pid);

/* Closes the events, but not the rings; taskevents_release forgets the rings, too. */
void taskevents_close(struct taskevents *t);
void taskevents_release(struct taskevents *t);

/* A period at random, an eighth off at most: it stays for as long as the events are open, and is
 * not to be in step with the program. */
uint64_t taskevents_period(uint64_t period_ns);

#endif
