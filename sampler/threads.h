/*
 * The threads of a process, as the scheduler accounts for them.
 *
 * Threads come and go while we look. One that has ended keeps its entry, with
 * the CPU time it was last seen to have, until the recording ends.
 */
#ifndef SAMPLER_THREADS_H
#define SAMPLER_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct process;
struct threads;

struct thread {
	pid_t tid;
	uint32_t index;	      /* place in threads_get, for ever */
	bool ended;
	bool running;	      /* state R at the last look */
	char name[32];
	int cpu;	      /* on which it was last, at the last look */
	uint64_t cpu_first;   /* ns on a CPU when first seen; 0 if it began after us */
	uint64_t cpu_ns;      /* ns on a CPU at the last look */
	uint64_t wait_ns;     /* ns it has waited for a CPU, at the last look */
	uint64_t slices;      /* times it was put on a CPU, at the last look */
	uint64_t samples;     /* stacks taken */
	size_t stack_want;    /* bytes to copy next time; 0: no idea yet */
	uint64_t stack_top;   /* the outermost CFA seen on its ordinary stack; 0: none yet */
	int schedstat_fd, stat_fd, sched_fd; /* -1 when not open (we may be short of them) */
};

/* Lists the threads of `process` (not owned). ERR_GONE, ERR_NOMEM. */
int threads_new(struct threads **t, const struct process *process, struct error *err);
void threads_free(struct threads *t);

/* Looks again for threads that have started, if any have: cheap when none has.
 * ERR_GONE when the process has no threads any more, ERR_NOMEM. */
int threads_refresh(struct threads *t, struct error *err);

/* Every thread ever seen; pointers stay valid until the next refresh. */
struct thread *threads_get(struct threads *t, size_t *count);

/* Threads that are alive. */
size_t threads_alive(const struct threads *t);

/* Reads a thread's counters. True when it is running (on a CPU or waiting for
 * one) and has been on a CPU since the last look; that is what deserves a
 * sample. Sets `ended` when the thread is gone. */
bool thread_look(struct threads *t, struct thread *thread);

/* How long it has waited for a CPU since the look, in ns, as far as the waiting is
 * over: 0 for a thread that has not left its CPU. UINT64_MAX when it is gone. */
uint64_t thread_waited_ns(const struct threads *t, const struct thread *thread);

/* When the thread last left its CPU, or was last accounted on it, by the clock of
 * its CPU's run queue, in ns; 0 when the kernel does not say (it has no
 * CONFIG_SCHED_DEBUG, or the thread is gone). */
uint64_t thread_left_cpu_ns(const struct threads *t, struct thread *thread);

/* The same of the calling thread, through an open /proc/thread-self/sched: as it
 * runs, this is about when it got its CPU. */
uint64_t own_got_cpu_ns(int sched_fd);

#endif
