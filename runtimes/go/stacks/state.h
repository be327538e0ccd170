/*
 * A goroutine's state in its g: what must be the same before and after its stack was read, where it
 * was left, and the reason for which it waits.
 */
#ifndef RUNTIMES_GO_STACKS_STATE_H
#define RUNTIMES_GO_STACKS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gofields;
struct memory;

struct gostate {
	uint64_t low, high; /* bounds of its stack */
	uint64_t m;
	uint64_t sp, pc, syscall_sp, syscall_pc;
	uint64_t goid;
	uint32_t status; /* enum go_status, without _Gscan */
	uint8_t tracking_seq;
	bool scan;
};

/* Bytes of a g up to the end of the last of these fields, all of which lie within it (gocheck). */
size_t gostate_bytes(const struct gofields *f);

/* Fills *s from the first gostate_bytes of a g. */
void gostate_load(struct gostate *s, const struct gofields *f, const uint8_t *g);

/* True when the goroutine did not run in between. (A GC may have begun or ended scanning its
 * stack.) */
bool gostate_same(const struct gostate *a, const struct gostate *b);

/* True for a live goroutine if the bounds of its stack are valid, or do not fit together because
 * the stack is just being exchanged (then gostate_rests is false). False for one that is idle or
 * dead. */
bool gostate_lives(const struct gostate *s);
/* True for one that is idle or dead. Both are false for an unknown status. */
bool gostate_dead(const struct gostate *s);

/* Where the goroutine was left when it stopped running or called the kernel or C. False when it is
 * running, or when *sp is not on its stack, as for a moment while the stack is exchanged. */
bool gostate_rests(const struct gostate *s, uint64_t *pc, uint64_t *sp);

/* True for an aligned stack pointer on the goroutine's stack. */
bool gostate_on_stack(const struct gostate *s, uint64_t sp);

#endif
