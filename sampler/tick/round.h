/*
 * A round while it is recorded: the state that the looking thread works on.
 *
 * Internal to sampler/. One thread works on a round. It hands slots to the tracing thread
 * (sampler/tick/tracing.h) and gets them back.
 */
#ifndef SAMPLER_TICK_ROUND_H
#define SAMPLER_TICK_ROUND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "sampler/account/budget.h"
#include "sampler/account/stackset.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/recorded.h"
#include "sampler/tick/slots.h"
#include "sampler/unwind/stack.h"

struct member;
struct unwinder;
struct watchdog;

enum { CANDIDATES = 32 };

/* A thread that was on a CPU at its look, or has to be stopped for its registers. */
struct candidate {
	struct member *member;
	uint32_t thread;
	enum thread_state state;
};

/* For one CPU: the thread of the members that was put there last. If a thread of the members is on
 * that CPU, it is this one. */
struct runner {
	struct member *member; /* NULL: none yet */
	uint32_t thread;
	bool seen;	 /* it was runnable in this tick */
	unsigned placed; /* how many threads were put there since the last tick */
	uint64_t since;	 /* when, by the run queue's clock in ns; 0: not read yet */
};

/* When ticks come, and how much each may cost. */
struct plan {
	double pause_share; /* largest share of its time that a thread may be held */
	struct budget budget;
	uint64_t cpu_ns;	 /* of both sampling threads, so far charged to the budget */
	uint64_t next_tick_ns;	 /* CLOCK_MONOTONIC; jitter included */
	uint64_t tick_ns;	 /* when the present tick began */
	uint64_t tick;		 /* number of the next tick */
	uint32_t weight;	 /* of a CPU sample of the present tick */
	double looked_part;	 /* of the threads that the present tick looks at */
	uint64_t back_off_ticks; /* most ticks from one look at an idle thread to the next */
	uint64_t random;
};

/* What the looks of a tick have found, and what they hand on. */
struct looks {
	unsigned cpus;
	struct stack_context *to_glance; /* want_glance; only member and thread are set */
	size_t glance_count, glance_room;
	struct candidate candidates[CANDIDATES];
	unsigned candidate_count;
	uint64_t candidates_ns; /* when the first of them was looked at */
	struct runner *runners; /* by CPU; kept while there are more runnable threads than CPUs */
	size_t runner_room;
	unsigned asked;		/* requests made in the present tick */
	unsigned runnable;	/* threads in state R, in this tick */
	bool contended;		/* there are more runnable threads than CPUs */
	bool displaced;		/* in the present tick a thread waited for our CPU */
	uint64_t first_glances; /* glances left in this tick for threads without a stack */
	uint64_t without_stack; /* threads without a stack when last counted */
	int own_sched_fd;	/* /proc/thread-self/sched of the looking thread */
	uint64_t got_cpu_ns;	/* when we got a CPU for this tick, by its run queue's clock */
	int tick_cpu;		/* that CPU */
};

struct walker {
	struct unwinder *unwinder;
	/* Reused: of the copy; beyond it; with interpreted frames; with kernel frames. */
	struct stack walk, deeper, merged, joined;
};

struct round {
	struct recorded recorded;
	struct plan plan;
	struct looks looks;
	struct slots slots;
	struct walker walker;
	struct watchdog *watchdog;	  /* not owned */
	bool no_memory;			  /* memory ran out at a sample: the round is lost */
	int stop_fd;			  /* eventfd, written by recording_stop */
	_Atomic uint64_t intermission_ns; /* since when an intermission is wanted; 0: it is not */
	int child_status; /* of the first member, if a tracer has waited for it; else -1 */
	bool child_reaped;
	struct error error; /* why end is RECORDING_LOST */
	enum recording_end end;
};

/* Opens the processes and prepares the round. The first process gives the profile its name. The
 * caller calls round_release in any case. ERR_GONE, ERR_PERM, ERR_IO, ERR_NOMEM. */
int round_init(struct round *r, const pid_t *pids, size_t count,
	       const struct recording_options *options, struct error *err);
void round_release(struct round *r);

/* Starts the members; accounting begins now. `duration_ns` 0: no end. Errors as of member_start. */
int round_start(struct round *r, uint64_t duration_ns, struct error *err);

/* Samples in the calling thread until the round ends, we must stop (sampler/child/watchdog.h), or
 * an intermission begins. r->end is RECORDING_RUNNING unless the round has ended. */
void round_sample(struct round *r);

/* Called from another thread: makes round_sample return soon, at a moment when no requested stop is
 * pending. It may be called again afterwards. */
void round_want_intermission(struct round *r);

/* Reads the last figures of threads and process. */
void round_finish(struct round *r);

uint64_t plan_random(struct plan *p);

/* True when the duration is over. */
bool round_is_over(const struct recorded *r);

/* One tick's looks (looking.c): asks running threads to stop and waits for them, reads the stacks
 * of waiting threads, and so fills the slots. ERR_GONE: all processes have ended; ERR_NOMEM. */
int round_look(struct round *r);

/* round_collect takes back the slots of released threads. round_collect_until waits for all slots
 * that are out, until `until` (CLOCK_MONOTONIC, ns) at most. */
void round_collect(struct round *r);
void round_collect_until(struct round *r, uint64_t until);

/* Makes the calling thread an ordinary one while a tick has lasted for 0.3 to 20 ms and there is a
 * CPU for every thread; else a prompt one (priority.h). At its end round_unwind makes it prompt. */
void round_relax(struct round *r);

/* Unwinds and counts the stacks in the slots. ERR_NOMEM. */
int round_unwind(struct round *r);

/* The same, if a slot holds a stack. If memory runs out, the round ends. */
void round_unwind_at_leisure(struct round *r);

/* May a thread that waits in `call` be stopped without changing how the call ends? */
bool round_may_interrupt(const struct round *r, const struct member *m, const struct thread *thread,
			 const struct call *call);

#endif
