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

#include "goruntime/gothread.h"

struct error;
struct process;
struct threads;

#define NO_STACK UINT32_MAX

/* Where a thread is in the kernel: a line of /proc/PID/task/TID/syscall. Equal
 * calls of a thread that has hardly run between are the same call. */
struct call {
	int64_t number; /* of the system call; -1 in a fault or stopped by a signal */
	uint64_t args[6];
	uint64_t sp, pc; /* in user space */
};

struct thread_io {
	uint64_t calls, bytes; /* of a thread's calls that have ended */
	uint64_t waits;	       /* how often it has gone to wait: its voluntary switches */
};

enum transfer {
	TRANSFER_NONE,
	TRANSFER_UNDER_WAY, /* it waits in one, in which its newest stack was read */
	TRANSFER_USUAL,	    /* its last calls were such */
};

struct thread {
	pid_t tid;
	uint32_t index;	      /* place in threads_get, for ever */
	bool ended;
	char state;	      /* at the last look, as in proc_pid_stat(5), */
	unsigned flags;	      /* and what stands in the field of that name */
	bool moved, placed;   /* it had run, had been put on a CPU since the look before */
	char name[32];
	int cpu;	      /* on which it was last, at the last look */
	uint64_t cpu_first;   /* ns on a CPU when first seen; 0 if it began after us */
	uint64_t cpu_ns;      /* ns on a CPU at the last look */
	uint64_t wait_ns;     /* ns it has waited for a CPU, at the last look */
	uint64_t slices;      /* times it was put on a CPU, at the last look */
	uint64_t cpu_samples; /* stacks taken while it ran, */
	uint64_t cpu_weight;  /* and what they stand for (budget_weight), */
	uint64_t spared_weight; /* with such as were left out to do it no harm */
	uint64_t held_ns;     /* by us */
	uint64_t seen_ns, alive_ns; /* CLOCK_MONOTONIC: about when it began (for us) and when
			       * it was last known to be alive; when it ended, once it has */
	size_t stack_want;    /* bytes to copy next time; 0: no idea yet */
	uint64_t stack_top;   /* the outermost CFA seen on its ordinary stack; 0: none yet */
	struct gothread_place go; /* where its Go runtime keeps what is needed */
	/* sampler/transfers.c */
	enum transfer transfer;
	struct thread_io io;  /* when that was found out, */
	uint64_t transfer_ns; /* CLOCK_MONOTONIC: and when it waited in one last */
	uint64_t transfer_cpu_ns; /* cpu_ns when it was known last to be amid one */
	uint64_t asked_ns;    /* CLOCK_MONOTONIC: when it was asked to stop last */
	uint64_t spare_until_ns, spare_ns; /* it is not asked before; how long that was */
	/* Wall time, sampler/walltime.c */
	uint32_t stack;	      /* its newest, in the stackset; NO_STACK: none yet */
	bool fresh;	      /* it still stands there */
	uint64_t wall_from;   /* ns: what lies before is accounted */
	uint64_t wait_from;   /* wait_ns: what lies before is accounted */
	uint32_t unmoved;     /* looks in a row that found that it has not run */
	uint64_t waits_from;  /* ns: its present wait did not begin before; 0: nobody knows */
	bool must_stop;	      /* its blocked stack cannot be walked without all registers */
	uint64_t stopped_slices; /* what slices was before we stopped it in `call` */
	struct call call;     /* in which it was when its newest stack was taken */
	/* -1 when not open (not needed yet, or we are short of them) */
	int schedstat_fd, stat_fd, sched_fd, syscall_fd;
};

/* A line of /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). */
struct schedstat {
	uint64_t cpu_ns, wait_ns; /* on a CPU; waiting for one, as far as that is over */
	uint64_t slices;	  /* times it was put on a CPU */
};

/* The text of such a file. False where it is none. */
bool schedstat_parse(const char *text, size_t len, struct schedstat *s);

enum look {
	LOOK_ENDED,
	LOOK_UNMOVED, /* it has not been on a CPU since the last look, and was off it then */
	LOOK_OFF_CPU, /* it has, and waits for something now */
	LOOK_RUNNABLE,/* on a CPU or waiting for one */
	LOOK_DYING,   /* in any state, on the way to its end (THREAD_DYING in dispositions.h) */
};

/* Lists the threads of `process` (not owned). Of an old one (it was there before the
 * round) only the CPU time from now on counts. ERR_GONE, ERR_NOMEM. */
int threads_new(struct threads **t, const struct process *process, bool old, struct error *err);
void threads_free(struct threads *t);

/* Looks again for threads that have started or ended, if any have: cheap when none
 * has. ERR_GONE when the process has no threads any more, ERR_NOMEM. */
int threads_refresh(struct threads *t, struct error *err);

/* The same, whatever it costs: who is there now and was not is listed. */
int threads_list(struct threads *t, struct error *err);

/* Every thread ever seen; pointers stay valid until the next refresh. */
struct thread *threads_get(struct threads *t, size_t *count);

/* By thread index, the tick before which it need not be looked at; THREAD_NEVER once
 * it has ended. Kept apart from the threads, because it is gone through at each tick.
 * Valid until the next refresh. */
#define THREAD_NEVER UINT64_MAX
uint64_t *threads_due(struct threads *t);

/* Threads that are alive. */
size_t threads_alive(const struct threads *t);

/* Reads a thread's counters and, if it has moved, its state. */
enum look thread_look(struct threads *t, struct thread *thread);

/* Reads the call that it is in. False when it is on a CPU or about to be, or when
 * the kernel does not say. */
bool thread_read_call(struct threads *t, struct thread *thread, struct call *call);

/* The counters of this moment; a thread that has not left its CPU since the look has
 * not waited more. While the slices of one that waits stand still, so do its registers
 * and its stack. False when it is gone. */
bool thread_counters(const struct threads *t, const struct thread *thread, struct schedstat *s);

/* When the thread last left its CPU, or was last accounted on it, by the clock of
 * its CPU's run queue, in ns; 0 when the kernel does not say (it has no
 * CONFIG_SCHED_DEBUG, or the thread is gone). */
uint64_t thread_left_cpu_ns(struct threads *t, struct thread *thread);

/* Of the calling thread, by an open /proc/thread-self/sched: about when it got its CPU. */
uint64_t own_got_cpu_ns(int sched_fd);

#endif
