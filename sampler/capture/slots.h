/*
 * The slots of a round: requests to stop that are out, and stacks that have been taken and not
 * walked yet.
 *
 * A slot is what a source of samples delivers: a thread, a moment, registers and stack bytes. The
 * rest of the round does not know which source it was. A source takes a free slot, and owns it
 * until it gives it back. The round's thread then owns it, until it has walked the stack.
 *
 * Internal to sampler/.
 */
#ifndef SAMPLER_CAPTURE_SLOTS_H
#define SAMPLER_CAPTURE_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "sampler/account/stackset.h"
#include "sampler/stop/stop.h"
#include "sampler/thread/snapshot.h"
#include "sampler/thread/threads.h"

struct member;
struct process;
struct registers;
struct thread;

enum slot_state {
	SLOT_FREE,
	SLOT_OUT,  /* a source owns it */
	SLOT_BACK, /* it has come back, with or without a stack */
	SLOT_FULL, /* its stack waits for its walk */
};

/* How far the moment of a CPU sample is certain. */
enum slot_trust {
	TRUST_FULL, /* the thread has not gone on in user space since the tick */
	TRUST_NONE, /* it may have: it was not on our own CPU, or was moved to another one; or the
		     * tick came when it was about to leave the CPU */
};

/* What is looked for in all slots: these lie beside each other. */
struct slot_mark {
	_Atomic int state; /* enum slot_state */
	_Atomic pid_t tid; /* of the thread */
};

/* The place of one request: its thread, and the thread's stack when that has been taken. */
struct slot {
	struct slot_mark *mark;
	_Atomic int stuck; /* 1: a copier that was given up may still write to it (copier.h) */
	/* What is asked for: */
	pid_t tid;
	const struct process *process;
	uint64_t stack_top; /* of the thread, as in struct thread */
	size_t want;	    /* bytes of its stack to copy */
	bool wall;	    /* a waiting thread gives a sample, too */
	bool ticked;	    /* the thread was on a CPU at a tick: any stop gives a sample */
	bool remote;	    /* that CPU was not the ticker's */
	bool yielded;	    /* it may have left its CPU by itself: ours is no higher priority */
	bool at_rest;	    /* it is read while it does not run: `regs` are its registers */
	bool late; /* the tick came late: it may have left its CPU, which was not taken from it */
	int schedstat_fd;     /* of the thread, borrowed; -1: it is opened */
	int pagemap_fd;	      /* of the process, borrowed; -1: not open */
	_Atomic bool *absent; /* of the process: a page of a stack was not there once */
	bool placed; /* the kernel told where it was at the tick, and it may be stopped there */
	int64_t call_then;		 /* the call that it was in at the tick; -1: none; or: */
	uint64_t ran_ns, waited_from_ns; /* its counters at the tick */
	uint64_t slices_then;		 /* the same */
	uint64_t woke_ns;		 /* when the ticker woke */
	uint64_t search_ns; /* from then to the request, or to the end of its copy at rest */
	uint64_t rest_ns;   /* how long that copy took */
	/* What has become of it: */
	struct stop stop; /* how the request ended */
	int rc;		  /* why no request could be made; 0: it was made */
	bool left_alone;  /* it was in a call that a stop might cut short */
	bool taken;	  /* the stack was copied */
	bool glanced;	  /* without stopping the thread */
	bool by_event;	  /* the kernel copied it (events.h) */
	bool urgent; /* code that its process compiles may be gone soon, or its held time counts */
	bool labelled; /* its labels have been read */
	enum slot_trust trust;
	uint64_t moment; /* labelling_moment before the stack was taken */
	struct stack_context context;
	struct call call;     /* in which it was stopped, or waits; number -1: in none */
	uint64_t slices;      /* of the thread when its stack was taken */
	uint64_t cpu_ns;      /* its CPU time then; 0: not known */
	uint64_t waited_ns;   /* for a CPU, since the tick; UINT64_MAX: not known */
	uint64_t looked_ns;   /* CLOCK_MONOTONIC: the moment of the sample */
	struct buffer kernel; /* the kernel's part of the stack: text, or of events addresses */
	uint64_t weight;      /* of a CPU sample, in 1/BUDGET_ONE */
	struct registers regs;
	struct snapshot snapshot;
};

#define CALL_UNKNOWN INT64_MIN	  /* not known */
#define CALL_OVER (INT64_MIN + 1) /* some call, which has its result */

struct slots {
	struct slot *all;
	struct slot_mark *marks;
	unsigned count;
	bool unlabelled; /* a stack was taken, and its labels have not been read yet */
};

/* All are empty, without room for bytes: slot_prepare makes it. ERR_NOMEM. */
int slots_init(struct slots *s, unsigned count);

/* Makes room in all that are free, before the first ticker starts: that is not to take its time on
 * the CPU that it samples. No slot may be taken meanwhile. ERR_NOMEM. */
int slots_touch(struct slots *s);

/* Memory that a stuck copier may still write to is left as it is. */
void slots_release(struct slots *s);

/* Takes a free slot: SLOT_OUT. NULL: there is none. Any thread may call it. */
struct slot *slots_take(struct slots *s);

/* The slot in that state whose moment is the earliest, since a thread's newest stack is the last
 * one that comes; NULL: none is. */
struct slot *slots_first(struct slots *s, enum slot_state state);

/* Has a thread been asked to stop, and its slot not come back yet? */
bool slots_asked(const struct slots *s, pid_t tid);

/* As slots_asked; also while the cost of an urgent stop is not accounted yet, which is to be known
 * before the thread is stopped again. */
bool slots_pending(const struct slots *s, pid_t tid);

void slot_set(struct slot *slot, enum slot_state state);
enum slot_state slot_state(const struct slot *slot);

/* What a recording wants of each thread. */
struct slot_wants {
	bool wall; /* a waiting thread gives a sample, too */
	bool goid; /* which goroutine it runs */
};

/* Prepares a slot that was taken for a sample of a thread. No thread is held, and what is kept of
 * the thread does not change meanwhile. ERR_NOMEM. */
int slot_prepare(struct slot *slot, const struct slot_wants *wants, struct member *m,
		 struct thread *thread, enum thread_state state);

/* Of copiers for slot_fill: a slot is not used again, or freed, until its copier is back. */
extern const struct copier_loss slot_loss;

/* The tracer's stop_take callback (sampler/stop/stop.h): copies a held thread into its slot. */
bool slot_fill(void *owner, void *slot, pid_t tid, const struct registers *regs);

/* The same of a thread that is at rest (resting.h). */
bool slot_fill_at_rest(void *owner, void *slot, pid_t tid, const struct registers *regs);

/* The tracer's stop_comes_back: true if the stack's pages are all present, and nothing else is to
 * be read. A page that is not there may be served by a daemon (FUSE) or by the process itself
 * (userfaultfd), or never. Of a process in which one was met, no other is trusted: it might take
 * one away after the look. */
bool slot_comes_back(void *owner, void *slot, const struct registers *regs);

/* Is it to be looked at soon after it was taken? What labels and interpreted frames refer to may
 * change. */
bool slot_is_urgent(const struct slot *slot);

#endif
