/*
 * The stacks of a round, each kept once for each context (thread, state, labels), with its samples
 * and times.
 */
#ifndef SAMPLER_ACCOUNT_STACKSET_H
#define SAMPLER_ACCOUNT_STACKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "unwind/stack.h"

enum thread_state {
	THREAD_RUNNING,
	THREAD_RUNNABLE, /* waiting for a CPU */
	THREAD_BLOCKED,
	THREAD_STOPPED, /* by job control or another tracer */
};

/* What a thread does with its interpreter's lock (CPython's GIL, Ruby's GVL). */
enum gil_state { GIL_NONE, GIL_HELD, GIL_WAITED_FOR };

/* Which thread a stack was taken of, and in which state. */
struct stack_context {
	uint32_t member, thread; /* process and thread, by their indices in the round */
	enum thread_state state;
	int32_t syscall;      /* in which it waits; -1: none, or not needed */
	uint32_t labels;      /* of its goroutine: a set of the round's labelling; 0: none */
	uint64_t goid;	      /* of its goroutine; 0: none, or not needed */
	uint32_t lock;	      /* that it waits for: a number of the round's lockset; 0: none */
	uint32_t owner_stack; /* of the lock's owner: an entry's origin + 1; 0: not known */
	uint32_t awaited;     /* what else it waits for: a number of the round's waitset; 0: none */
	enum gil_state gil;
	bool cut; /* outer frames are missing (stack_end_is_cut) */
};

struct stackset_entry {
	struct stack_context context;
	uint32_t count;	     /* frames */
	uint32_t origin;     /* the entry that the frames were first added for in such a context */
	size_t first;	     /* index of its first frame in stackset.frames */
	uint64_t samples;    /* at ticks */
	uint64_t cpu_weight; /* of the samples on a CPU, in 1/BUDGET_ONE */
	uint64_t wall_ns;
};

struct stackset {
	struct stackset_entry *entries; /* in the order of first sight */
	uint32_t count;
	size_t room;
	struct frame *frames;
	size_t frame_count, frame_room;
	struct hashindex index;
};

/* {0} is an empty set. */
void stackset_release(struct stackset *s);

/* Finds this stack in this context, or adds it; *entry is its index in `entries`. ERR_NOMEM. */
int stackset_add(struct stackset *s, const struct stack_context *context, const struct stack *stack,
		 uint32_t *entry);

/* The same for the stack of the entry `of` in another context; frames are shared. */
int stackset_in_context(struct stackset *s, uint32_t of, const struct stack_context *context,
			uint32_t *entry);

#endif
