/*
 * A round while it goes on: the state that the round's thread works on.
 *
 * A *recording* (sampler/recording.h) is what the caller has: one sampling from its start to its
 * profile. Its *round* is the sampling itself, and *recorded* (sampler/recorded/recorded.h) is what
 * the round has gathered so far.
 *
 * Internal to sampler/. One thread works on a round. Tickers (sampler/capture/ticker.h) take
 * samples and hand it their slots.
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
#include "sampler/recorded/pidset.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"
#include "sampler/capture/roster.h"
#include "sampler/capture/slots.h"
#include "sampler/capture/ticker.h"
#include "sampler/capture/tickers.h"
#include "sampler/tick/brief.h"
#include "unwind/stack.h"

struct member;
struct slot;
struct unwinder;
struct reader;
struct watchdog;

/* When the round's thread looks, and how far the tickers may go. */
struct plan {
	struct budget budget;
	uint64_t cpu_ns;	       /* of all sampling threads, so far charged to the budget */
	uint64_t settled_ns;	       /* CLOCK_MONOTONIC: when that was */
	uint64_t stride_ns;	       /* from tick to tick of a ticker */
	_Atomic uint64_t next_tick_ns; /* CLOCK_MONOTONIC: of this thread */
	uint64_t tick_ns;	       /* when its present tick began */
	uint64_t refresh_due_ns;       /* when to ask again whether there are new threads */
	uint64_t changed_ns;	       /* when a process or thread last came or ended; 0: never */
	uint64_t stock_due_ns;	       /* when to add up again what the processes have used */
	uint64_t looks;		       /* how often it has looked at all threads */
	uint64_t looks_due_ns;	       /* when it is to do so again */
	uint64_t apart_ns;	       /* from such a look to the next */
	uint64_t back_off_looks;       /* most looks from one look at an idle thread to the next */
	uint64_t random;
};

/* What a look has found. */
struct looks {
	struct stack_context *to_glance; /* want_glance; only member and thread are set */
	size_t glance_count, glance_room;
	uint64_t first_glances; /* glances left in this look for threads without a stack */
	uint64_t without_stack; /* threads without a stack when last counted */
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
	struct roster roster;
	struct ticking ticking;	  /* what the tickers share */
	struct tickers tickers;	  /* while the round is sampled */
	bool collecting;	  /* their samples are being read */
	bool stops;		  /* threads are to be stopped, or have to be */
	int no_rest;		  /* why they may not be read at rest; 0: they may, or need not */
	struct events *events;	  /* NULL: none are open */
	uint64_t events_ns;	  /* until when their periods are counted */
	uint64_t events_due_ns;	  /* when to look again at the CPUs */
	uint64_t events_apart_ns; /* how far they are apart, on the average; 0: not set yet */
	uint64_t events_set_ns;	  /* when that was set */
	uint64_t events_lost;	  /* as events_lost, so far counted */
	uint64_t events_weight;	  /* of all samples that came, in 1/BUDGET_ONE of a period */
	struct brief_names brief;
	struct lineage {
		struct events *events; /* of the command alone; NULL: none are open */
		struct pidset known;   /* descendants that live, by what was read so far */
	} lineage;		       /* lineage.h */
	uint64_t children_asked_ns; /* when all processes were asked for their children; 0: never */
	uint32_t listed;	    /* members in the roster's last list */
	struct walker walker;
	_Atomic pid_t tid;	   /* of its thread, while it samples; else 0 */
	struct watchdog *watchdog; /* not owned */
	struct reader *reader;	   /* by which the round's thread reads the processes' memory */
	bool no_memory;		   /* memory ran out at a sample: the round is lost */
	int stop_fd;		   /* eventfd, written by recording_stop */
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

/* Adds up what the processes have used, and reads the titles that are due (stock.c). */
void round_take_stock(struct round *r);

/* Reads the last figures of threads and process. */
void round_finish(struct round *r);

uint64_t plan_random(struct plan *p);

/* True when the duration is over. */
bool round_is_over(const struct recorded *r);

/* Brings the lists of processes and threads up to date, looks at the threads whose look is due, and
 * with wall time reads the stacks of waiting threads into slots. ERR_GONE: all processes have
 * ended; ERR_NOMEM. */
int round_look(struct round *r);

/* With wall time, what a look does about a waiting thread. `moved`: it has been on a CPU since the
 * last look. ERR_NOMEM. */
int look_at_waiting(struct round *r, struct member *m, struct thread *thread, bool moved);

/* Reads the stacks noted by look_at_waiting. Where a walk lacks registers, the thread is asked to
 * stop. ERR_NOMEM. */
int glance_all(struct round *r);

/* Takes back the slots that have come back. */
void round_collect(struct round *r);

/* Is hardly a slot free? */
bool round_is_full(const struct round *r);

/* Unwinds and counts the stacks in the slots. ERR_NOMEM. */
int round_unwind(struct round *r);

/* The same, if a slot holds a stack. If memory runs out, the round ends. */
void round_unwind_at_leisure(struct round *r);

/* Does the process have an address space, and its maps? What is from before m->space_ns comes from
 * another. */
bool round_know_space(struct round *r, struct member *m);

/* May a thread that waits in `call` be stopped without changing how the call ends? */
bool round_may_interrupt(const struct round *r, const struct member *m, const struct thread *thread,
			 const struct call *call);

/* Which source gives a process's CPU samples, and the samples of the second one (sourcing.c).
 *
 * Perf events (sampler/capture/events.h) serve a process all of whose frames lie on the machine's
 * stack. One of Go, or with an interpreter whose frames lie elsewhere, stays with the tickers:
 * these must be read while the thread stands still. So does one whose stacks are deeper than a
 * record, or go on in another place. With wall time all do. */

/* Opens the perf events, if they are wanted, and those of a command's lineage. Where they are
 * refused all processes stay with the tickers, unless the user insists: ERR_PERM, ERR_IO,
 * ERR_NOMEM. */
int sources_open(struct round *r, enum engine engine, struct error *err);
void sources_close(struct round *r);

/* Closes the perf events: all processes stay with the tickers from now on. */
void sources_drop_events(struct round *r);

/* Has threads read while they are at rest from now on (sampler/atrest/atrest.h), where that is
 * possible and no stops were asked for. */
void sources_open_rest(struct round *r);

/* Has longer copies made where walks have shown that they are needed: after the walks, since each
 * sample until then has a stack that is cut. */
void sources_judge(struct round *r);

/* Chooses the source of each process anew. True if any has changed: the roster is to be listed. */
bool sources_choose(struct round *r);

/* Do perf events suffice for a process, as far as it is known? */
bool sources_suffice(const struct round *r, const struct member *m);

/* Is any process served by tickers? */
bool sources_need_tickers(const struct round *r);

/* Takes what the events have brought into slots, and walks these where none is
 * free (intake.c). */
void sources_collect(struct round *r);

/* Readable when it is to be called at once; -1: that is not needed. */
int sources_fd(const struct round *r);

/* At least so often it is to be called, in ns. */
uint64_t sources_apart_ns(const struct round *r);

/* Do the rings hold so little that this thread must not wait for a CPU? */
bool sources_hurry(const struct round *r);

/* Ticks are to be so far apart, by the budget: chooses the period of the kernel's timers
 * (pacing.c). */
void sources_pace(struct round *r, uint64_t apart_ns);

/* Is the stack behind a copy that was too short to be read? After some of a process's, it is known
 * that longer copies are needed, and a deep stack's walk takes 30 ms. */
bool sources_want_deeper(const struct member *m, const struct slot *slot);

/* Learns from the walk of an event's stack whether records suffice; `deeper` is the walk beyond the
 * copy, if that was too short. */
void sources_learn(struct member *m, const struct slot *slot, const struct stack *walk,
		   const struct stack *deeper);

#endif
