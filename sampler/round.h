/*
 * A round in the making: what the sampling thread works on.
 *
 * Internal to sampler/. A round is worked on by one thread, which hands slots to the
 * one that traces (sampler/tracing.h) and gets them back.
 */
#ifndef SAMPLER_ROUND_H
#define SAMPLER_ROUND_H

#include <pthread.h>
#include <sys/types.h>

#include "base/error.h"
#include "sampler/budget.h"
#include "sampler/kernelstack.h"
#include "sampler/labelling.h"
#include "sampler/ledger.h"
#include "sampler/recording.h"
#include "sampler/snapshot.h"
#include "sampler/stackset.h"
#include "sampler/stop.h"
#include "sampler/threads.h"
#include "unwind/stack.h"

struct member;
struct tracing;
struct unwinder;
struct watchdog;

enum { CANDIDATES = 32 };
enum { SLOTS = 64 }; /* as many as requests can be out */

/* A request's place: whose stack, and the stack when it has been taken. */
struct slot {
	bool busy, taken;
	bool asked;	    /* it is out (sampler/tracing.h) */
	/* For the tracing thread, and from it: */
	struct thread about; /* as it was at its look */
	const struct process *process;
	const struct threads *threads;
	size_t want;	    /* bytes of its stack */
	bool in_transfer;   /* it was stopped in one (sampler/transfers.h) */
	bool wall;	    /* if it waits, that is a sample as well */
	bool patient;	    /* it need not stop at once */
	uint64_t asked_ns;
	struct stop stop;   /* how that ended, */
	int rc;		    /* or why it could not be asked; 0: it was */
	bool glanced;	    /* taken without stopping the thread */
	bool labelled;	    /* what its goroutine's labels are has been found out */
	uint64_t moment;    /* labelling_moment before the stack was taken */
	bool other_cpu;	    /* the thread was on another CPU than ours at the look */
	struct stack_context context;
	struct call call;   /* of a blocked thread */
	uint64_t slices;    /* of the thread when its stack was taken */
	uint64_t waited_ns; /* how long it has waited for a CPU since the look */
	uint64_t looked_ns;
	struct buffer kernel; /* the kernel's part of the stack, as text */
	uint32_t weight;    /* what a CPU sample of it stands for, budget_weight */
	struct snapshot snapshot;
};

/* A thread that was on a CPU at its look, or has to be stopped for its registers. */
struct candidate {
	struct member *member;
	uint32_t thread;
	enum thread_state state;
};

/* Which of the members' threads was put on a CPU last, and so is there if any is. */
struct runner {
	struct member *member; /* NULL: none yet */
	uint32_t thread;
	bool seen;	       /* runnable in this tick */
	unsigned placed;       /* how many were put there since the last tick */
	uint64_t since;	       /* when, by the run queue's clock; 0: not asked yet */
};

struct round {
	struct member **members;
	uint32_t member_count, member_room;
	struct watchdog *watchdog; /* not owned */
	struct unwinder *unwinder;
	struct stackset stacks;
	struct stack walk, deeper, joined; /* reused; beyond the copy; with the kernel's part */
	struct kernelstack kernel;
	struct labelling labelling;
	bool no_memory;		   /* there was none for a sample: the round is lost */
	bool unlabelled;	   /* a stack was taken, and its labels have not been read yet */
	struct ledger ledger;
	struct slot slots[SLOTS];
	struct tracing *tracing;   /* while the round is sampled */
	struct stack_context *to_glance; /* members and threads */
	size_t glance_count, glance_room;
	struct candidate candidates[CANDIDATES];
	unsigned candidate_count;
	uint64_t candidates_ns;	   /* when the first of them was looked at */
	struct budget budget;
	uint64_t cpu_ns;	   /* of looking and of tracing, so far in the budget */
	uint32_t weight;	   /* of a CPU sample of the present tick */
	double looked_part;	   /* of the threads, in the present tick */
	bool contended;		   /* there are more runnable threads than CPUs */
	bool displaced;		   /* in the present tick a thread was kept waiting for our CPU */
	unsigned rate;
	bool wall, children, goid;
	double pause_share;	   /* of its time that a thread may be held */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; end 0: none */
	uint64_t start_real_ns;
	uint64_t next_tick_ns;	   /* when; jitter included */
	uint64_t tick_ns;	   /* when the present tick began */
	unsigned asked;		   /* in the present tick */
	unsigned runnable;	   /* threads in state R, in this tick */
	unsigned cpus;
	struct runner *runners;	   /* by CPU; kept while there are more runnable threads than CPUs */
	size_t runner_room;
	uint64_t first_glances;	   /* left in this tick, for threads that have no stack yet */
	uint64_t without_stack;	   /* threads that had none when last counted */
	uint64_t back_off_ticks;   /* how rarely an idle thread may be looked at */
	int own_sched_fd;	   /* /proc/thread-self/sched of the sampling thread */
	uint64_t got_cpu_ns;	   /* when the present tick put us on a CPU, by its run queue */
	int tick_cpu;		   /* and on which */
	uint64_t tick;		   /* number of the next tick */
	uint64_t random;
	int stop_fd;		   /* eventfd: recording_stop */
	_Atomic uint64_t intermission_ns; /* since when sampling is to pause for a moment;
				    * 0: it is not */
	int child_status;	   /* seen by a tracer, -1 until then */
	bool child_reaped;
	struct error error;	   /* why end is RECORDING_LOST */
	enum recording_end end;
	pthread_mutex_t lock;	   /* guards `stats`, which the progress shows */
	struct recording_stats stats;
};

/* Opens the processes, the first of which gives the profile its name, and readies
 * everything. In any case the caller closes with round_release what was opened. */
int round_init(struct round *r, const pid_t *pids, size_t count,
	       const struct recording_options *options, struct error *err);
void round_release(struct round *r);

/* Fixes the start of the accounting: now. */
int round_start(struct round *r, uint64_t duration_ns, struct error *err);

/* Adds members for processes that members have made since (children.c). ERR_NOMEM. */
int round_find_children(struct round *r);

/* A new member, not started yet. */
int round_add_member(struct round *r, pid_t pid, struct member **m, struct error *err);

/* Samples, in the calling thread, until the round's end or until we must stop
 * (sampler/watchdog.h), or there is an intermission; r->end tells whether it was the end. */
void round_sample(struct round *r);

/* From another thread: round_sample is to return soon, when no thread is on the way to a
 * stop, and may be called again. */
void round_want_intermission(struct round *r);

/* Reads the last figures of threads and process. */
void round_finish(struct round *r);

uint64_t round_random(struct round *r);

/* The end that was set beforehand has come. */
bool round_is_over(const struct round *r);

/* One tick's looks: asks the threads that run, waits for them, reads the stacks of
 * threads that wait (looking.c). Fills the slots. */
int round_look(struct round *r);

/* Takes back the slots of threads that were let go; of all that are expected, until then. */
void round_collect(struct round *r);
void round_collect_until(struct round *r, uint64_t until);

/* The tracer's callback (sampler/stop.h): the thread is held. */
bool slot_fill(void *owner, void *slot, pid_t tid, const struct registers *regs);

/* Has the thread been asked, and its slot not come back? */
bool round_has_asked(const struct round *r, pid_t tid);

/* After the first moments of a tick the calling thread is an ordinary one, where there is a CPU
 * for every thread. round_unwind makes it prompt again. */
void round_relax(struct round *r);

/* Unwinds what stands in the slots and counts it. ERR_NOMEM. */
int round_unwind(struct round *r);

/* The same, if there is anything; out of memory ends the round. */
void round_unwind_at_leisure(struct round *r);

/* May a thread that waits in the call be stopped, and its call still end as it would
 * without us? */
bool round_may_interrupt(const struct round *r, const struct member *m, const struct thread *thread,
			 const struct call *call);

#endif
