/*
 * Stacks seen, each kept once for each thread and state, and what they stand for.
 */
#ifndef SAMPLER_STACKSET_H
#define SAMPLER_STACKSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "unwind/stack.h"

enum thread_state {
	THREAD_RUNNING,
	THREAD_RUNNABLE, /* waiting for a CPU */
	THREAD_BLOCKED,
	THREAD_STOPPED,	 /* by job control or another tracer */
};

/* Whose stack, and as what. */
struct stack_context {
	uint32_t member, thread; /* process and thread, by their indices in the round */
	enum thread_state state;
	int32_t syscall; /* in which it waits; -1: none, or it is of no interest */
	uint32_t labels; /* of its goroutine: a set of the round's labelling; 0: none */
	uint64_t goid;	 /* of its goroutine; 0: none, or it is of no interest */
};

struct stackset_entry {
	struct stack_context context;
	uint32_t count;	 /* frames */
	size_t first;	 /* of its frames in stackset.frames */
	uint64_t samples;	       /* at ticks */
	uint64_t cpu_weight;	       /* of those on a CPU (budget_weight) */
	uint64_t wall_ns;
};

struct stackset {
	struct stackset_entry *entries; /* in the order of first sight */
	uint32_t count, room;
	struct frame *frames;
	size_t frame_count, frame_room;
	struct hashindex index;
};

/* An empty set; {0} is as good. Owns its memory until release. */
void stackset_init(struct stackset *s);
void stackset_release(struct stackset *s);

/* The number of this stack in this context, with a new entry where there was none.
 * ERR_NOMEM. */
int stackset_add(struct stackset *s, const struct stack_context *context,
		 const struct stack *stack, uint32_t *entry);

#endif
