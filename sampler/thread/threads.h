/*
 * The threads of a process, as the scheduler accounts for them.
 *
 * Threads come and go while we look. A thread that has ended keeps its entry, with its CPU time at
 * the last look, until the recording ends.
 */
#ifndef SAMPLER_THREAD_THREADS_H
#define SAMPLER_THREAD_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtimes/go/thread.h"
#include "runtimes/common/look.h"
#include "runtimes/common/managed.h"
#include "sampler/thread/backoff.h"
#include "sampler/thread/stackplan.h"
#include "sampler/thread/taskfiles.h"

struct error;
struct process;
struct threads;

#define NO_STACK UINT32_MAX

/* What runtimes and interpreters know of a thread (sampler/member, sampler/tick/unwinding.c). */
struct thread_runtimes {
	char name[MANAGED_THREAD_NAME]; /* not cut to 15 bytes; "": none */
	struct gothread_place go;	/* where Go's runtime keeps what is needed */
	struct interp_place interp;	/* the same of interpreters */
	uint64_t gil; /* the lock of an interpreter that it held or waited for last */
};

/* What is copied of its stacks, by what its walks have used (sampler/tick/unwinding.c). */
struct thread_copies {
	size_t want; /* bytes to copy next time; 0: not known yet */
	/* How far its ordinary stack was seen to reach: to the outermost CFA, or as far as is
	 * copied of it; 0: not seen yet. */
	uint64_t top;
	struct stackplan far; /* where else its walks went */
};

/* Its CPU samples (sampler/tick/collecting.c, sampler/tick/intake.c). */
struct thread_samples {
	uint64_t count;	     /* stacks taken while it ran */
	uint64_t weight;     /* of these stacks, in 1/BUDGET_ONE */
	uint64_t spared;     /* the same of looks that were left out to do it no harm */
	uint64_t counted_ns; /* CLOCK_MONOTONIC: when a sample's cpu_ns was last read */
};

/* What stops have done to it, and for how long it is spared (sampler/tick/collecting.c). */
struct thread_stops {
	uint64_t asked_ns;		   /* CLOCK_MONOTONIC: when it was last asked to stop */
	uint64_t held_ns;		   /* how long we have held it */
	bool denied;			   /* another program traced it when it was to be stopped */
	uint64_t spare_until_ns, spare_ns; /* no request before that time; the last such pause */
	bool was_stuck; /* of that pause: a read for its sample did not come back */
};

/* What the newest sample of a thread has shown (sampler/tick/unwinding.c). */
struct thread_newest {
	uint32_t stack;		 /* in the stackset; NO_STACK: none yet */
	bool fresh;		 /* the thread still has that stack */
	bool must_stop;		 /* its blocked stack cannot be walked without all registers */
	struct call call;	 /* in which the stack was taken */
	uint64_t stopped_slices; /* its slices when we stopped it in `call`; 0: not stopped */
};

/* How far its wall time is accounted for (sampler/tick/walltime.c). */
struct thread_wall {
	uint64_t from;	     /* CLOCK_MONOTONIC: the time before is accounted for */
	uint64_t wait_from;  /* the part of wait_ns that is accounted for */
	uint64_t waits_from; /* CLOCK_MONOTONIC: its wait began then or later; 0: not known */
};

/* CPU time in clock ticks: a sample that the kernel takes, at each of its ticks. */
struct thread_ticks {
	uint64_t user, system;
};

/* A thread: the kernel's facts at the last look, and what each part of a round keeps of it. */
struct thread {
	pid_t tid;
	pid_t own_tid;	/* its number in its own PID namespace; 0: not needed yet */
	uint32_t index; /* in threads_get; never changes */
	bool ended;
	char state;	/* as in proc_pid_stat(5) */
	unsigned flags; /* the field of that name in the same file */
	bool realtime;	/* of SCHED_FIFO or SCHED_RR: a ticker does not take its CPU */
	char name[32];
	int cpu;	     /* on which it was last */
	uint64_t cpu_ns;     /* on a CPU */
	uint64_t cpu_first;  /* cpu_ns when first seen; 0 if it began after us */
	uint64_t wait_ns;    /* it has waited for a CPU */
	uint64_t wait_first; /* the part of that before the round */
	uint64_t slices;     /* times it was put on a CPU */
	/* The kernel's account of where it ran, when `stat` was last read, and the part of that
	 * before the round. */
	struct thread_ticks ticks, ticks_first;
	/* CLOCK_MONOTONIC: about when it began (or the round); when it was last alive, or ended;
	 * when it was known to have ended. */
	uint64_t seen_ns, alive_ns, ended_ns;
	/* -1: not open (not needed yet, or too many descriptors are) */
	int schedstat_fd, stat_fd, syscall_fd;
	struct backoff backoff; /* of its looks (sampler/tick/looking.c) */
	struct thread_runtimes runtimes;
	struct thread_copies copies;
	struct thread_samples samples;
	struct thread_stops stops;
	struct thread_newest newest;
	struct thread_wall wall;
};

/* Its CPU time in the round. */
static inline uint64_t thread_cpu_here_ns(const struct thread *thread)
{
	return thread->cpu_ns > thread->cpu_first ? thread->cpu_ns - thread->cpu_first : 0;
}

/* The part of it in the kernel, as far as its ticks tell. */
static inline uint64_t thread_kernel_ns(const struct thread *thread)
{
	uint64_t user = thread->ticks.user - thread->ticks_first.user,
		 system = thread->ticks.system - thread->ticks_first.system;
	double part = system ? (double)system / (double)(user + system) : 0;

	return (uint64_t)((double)thread_cpu_here_ns(thread) * part);
}

/* What a thread is called. */
static inline const char *thread_name(const struct thread *thread)
{
	return *thread->runtimes.name ? thread->runtimes.name : thread->name;
}

enum look {
	LOOK_ENDED,
	LOOK_UNMOVED,  /* it has not been on a CPU since the last look, at which it was off CPU */
	LOOK_OFF_CPU,  /* it has been on a CPU since, and waits for something now */
	LOOK_RUNNABLE, /* on a CPU or waiting for one */
	LOOK_DYING,    /* in any state, on the way to its end (THREAD_DYING in dispositions.h) */
};

/* Lists the threads of `process`, which is borrowed until threads_free. `old`: the process is older
 * than the round, and only the CPU time from now on counts. ERR_GONE: it has ended, and the list is
 * empty; ERR_NOMEM. */
int threads_new(struct threads **t, const struct process *process, bool old, struct error *err);
void threads_free(struct threads *t);

/* Has no thread started or ended since they were listed? 0; ERR_BUSY: one has, so threads_list is
 * to be called. Where listing is expensive, 0 may be returned all the same. `begun_ns`: when one is
 * known to have begun (the count may be the same, since another one has ended); 0: not known.
 * ERR_GONE when the process has no threads any more. Cheap. */
int threads_are_listed(struct threads *t, uint64_t begun_ns, struct error *err);

/* CLOCK_MONOTONIC: when all threads were known last. */
uint64_t threads_known_ns(const struct threads *t);

/* Looks for threads that have started or ended. Cheap when none has; where listing is expensive, it
 * may be left to a later call. ERR_GONE when the process has no threads any more, ERR_NOMEM. */
int threads_refresh(struct threads *t, uint64_t begun_ns, struct error *err);

/* The same at any cost: lists all threads that there are now, but for those that are listed behind
 * one that ends meanwhile (next_tid() in fs/proc/base.c ends the list there). */
int threads_list(struct threads *t, struct error *err);

/* Has the last list as many living threads as the process has now? The links of its folder task are
 * two more (proc_task_getattr()). If none of the listed threads has ended since, there is no other.
 * True where the kernel does not say. */
bool threads_all_listed(const struct threads *t);

/* All of them count from now on, their CPU time too. */
void threads_count_from(struct threads *t, uint64_t now_ns);

/* Closes the files of all threads, of a process that has ended. */
void threads_close(struct threads *t);

/* Every thread ever seen; pointers stay valid until the next refresh. */
struct thread *threads_get(struct threads *t, size_t *count);

/* The living thread with that number; NULL: none is known. Valid until the next refresh. */
struct thread *threads_find(const struct threads *t, pid_t tid);

/* The living thread with that number, or one that was not known to have ended at `ns`. */
struct thread *threads_find_at(const struct threads *t, pid_t tid, uint64_t ns);

/* The entry that all threads of that name share which had ended before they were listed. It has
 * ended, and its number is 0. Past THREADS_BRIEF names, those of other names share one without a
 * name. NULL: no memory. */
enum { THREADS_BRIEF = 64 };
struct thread *threads_brief(struct threads *t, const char *name);

/* By thread index, the number of ticks before which the thread need not be looked at; THREAD_NEVER
 * once it has ended. Kept apart from the threads, because each tick goes through it. Borrowed until
 * the next refresh. */
#define THREAD_NEVER UINT64_MAX
uint64_t *threads_due(struct threads *t);

/* The number of threads that are alive. */
size_t threads_alive(const struct threads *t);

/* Reads a thread's counters and, if it has moved, its state. */
enum look thread_look(struct threads *t, struct thread *thread);

/* Reads the call that the thread is in. False when it is on a CPU or about to be, or when the
 * kernel does not tell. */
bool thread_read_call(struct threads *t, struct thread *thread, struct call *call);

/* Reads the counters of this moment. If the thread has not left its CPU since the look, wait_ns has
 * not grown. As long as a waiting thread's slices do not change, its registers and its stack do not
 * either. False when the thread is gone. */
bool thread_counters(const struct threads *t, const struct thread *thread, struct schedstat *s);

/* Has the thread not been on a CPU since it had been put on one `slices` times? False also when it
 * is gone. */
static inline bool thread_rests_since(const struct threads *t, const struct thread *thread,
				      uint64_t slices)
{
	struct schedstat now;

	return thread_counters(t, thread, &now) && now.slices == slices;
}

#endif
