/* The slots of a round: requests to stop that are out, and stacks that have been taken and not
 * walked yet. Internal to sampler/tick/. */
#ifndef SAMPLER_TICK_SLOTS_H
#define SAMPLER_TICK_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "sampler/account/stackset.h"
#include "sampler/stop/stop.h"
#include "sampler/thread/snapshot.h"
#include "sampler/thread/threads.h"

struct process;
struct recorded;
struct registers;
struct tracing;

enum { SLOTS = 64 }; /* as many as requests can be out */

/* The place of one request: its thread, and the thread's stack when that has been taken. */
struct slot {
	bool busy, taken;
	bool asked; /* it belongs to the tracing thread (sampler/tick/tracing.h) */
	/* Input and results of the tracing thread: */
	struct thread about; /* the thread, as it was at its look */
	const struct process *process;
	const struct threads *threads;
	size_t want;  /* bytes of its stack to copy */
	bool wall;    /* a waiting thread gives a sample, too */
	bool patient; /* it need not stop at once */
	uint64_t asked_ns;
	struct stop stop; /* how the request ended */
	int rc;		  /* why no request could be made; 0: it was made */
	bool glanced;	  /* taken without stopping the thread */
	bool labelled;	  /* slot_label has set its labels */
	uint64_t moment;  /* labelling_moment before the stack was taken */
	bool other_cpu;	  /* the thread was on another CPU than ours at the look */
	struct stack_context context;
	struct call call;   /* in which it was stopped, or waits; number -1: in none */
	uint64_t slices;    /* of the thread when its stack was taken */
	uint64_t waited_ns; /* for a CPU, since the look; UINT64_MAX: not known */
	uint64_t looked_ns;
	struct buffer kernel; /* the kernel's part of the stack, as text */
	uint64_t weight;      /* of a CPU sample, as in struct thread */
	struct snapshot snapshot;
};

struct slots {
	struct slot at[SLOTS];
	struct tracing *tracing; /* while the round is sampled */
	bool unlabelled;	 /* a stack was taken, and its labels have not been read yet */
};

/* ERR_NOMEM. */
int slots_init(struct slots *s);
void slots_release(struct slots *s);

/* A slot that is not busy, or NULL. */
struct slot *slots_free(struct slots *s);

/* Has it come back with a stack? (`asked` is read first: until it is false, the tracing thread
 * writes the rest.) */
bool slot_has_stack(const struct slot *slot);

/* Has the thread been asked to stop, and its slot not come back yet? */
bool slots_asked(const struct slots *s, pid_t tid);

/* The tracer's stop_take callback (sampler/stop/stop.h): copies a held thread into its slot. */
bool slot_fill(void *owner, void *slot, pid_t tid, const struct registers *regs);

/* Sets labels and goid of a slot's context, once after its stack was taken. Labels that cannot be
 * read are left out and counted (labels_lost, labels_unknown of the stats). ERR_NOMEM. */
int slot_label(struct recorded *r, struct slot *slot);

/* The same for all slots whose stacks have been taken. Where memory runs out, the slot is left for
 * the next slot_label, which returns ERR_NOMEM. */
void slots_label(struct recorded *r, struct slots *s);

#endif
