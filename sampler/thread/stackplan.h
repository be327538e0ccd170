/*
 * Where a thread's stack goes on, other than right behind its stack pointer.
 *
 * A walk may change to another stack: from a signal handler's (sigaltstack(2)), from a stack that
 * code has made to recurse on or to run a coroutine. Or a frame is so large that its bytes would be
 * most of the copy: Ruby's threads have 1 MiB of values in one. What walks went through there is
 * copied with the next sample, at the same addresses, which hardly change; the bytes near the stack
 * pointer move.
 *
 * Rejected: searching in the hold for words that lead to other stacks. Only a walk knows them, and
 * it takes longer than the copy.
 */
#ifndef SAMPLER_THREAD_STACKPLAN_H
#define SAMPLER_THREAD_STACKPLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spans;
struct stack;

enum { STACKPLAN_RANGES = 256 };

struct stackplan_range {
	uint64_t low, high; /* stack pointers of the lowest frame there and of the highest one */
	uint32_t unused;    /* walks in a row that did not go there */
};

/* {0} is an empty plan. */
struct stackplan {
	struct stackplan_range *ranges; /* owned */
	size_t count, room;
};

void stackplan_release(struct stackplan *p);

/* How many bytes from the stack pointer on a walk went through until it went on elsewhere. False:
 * it went on nowhere else. `spans` may be NULL (not known). */
bool stackplan_near(const struct stack *walk, const struct spans *spans, uint64_t *bytes);

/* The addresses that a range's frames use, as far as they are in one mapping; the next walk may
 * come from deeper. `mapping_end` is exclusive. Returns the first one; *len: bytes. */
uint64_t stackplan_bytes(const struct stackplan_range *range, uint64_t mapping_start,
			 uint64_t mapping_end, size_t *len);

/* Learns from a walk. Best effort: without memory it learns less. */
void stackplan_learn(struct stackplan *p, const struct stack *walk, const struct spans *spans);

#endif
