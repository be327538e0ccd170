/*
 * A goroutine's state as its g has it: what must be the same before and after its stack was
 * read, and where it was left.
 */
#ifndef GORUNTIME_GOSTATE_H
#define GORUNTIME_GOSTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gofields;

struct gostate {
	uint64_t low, high; /* its stack */
	uint64_t m;
	uint64_t sp, pc, syscall_sp, syscall_pc;
	uint64_t goid;
	uint32_t status; /* enum go_status, without _Gscan */
	uint8_t tracking_seq;
	bool scan;
};

/* How many bytes of a g say all that; 0 when the fields cannot be right. */
size_t gostate_bytes(const struct gofields *f);

void gostate_load(struct gostate *s, const struct gofields *f, const uint8_t *g);

/* Did it not run in between? (A GC may have begun or ended to look at it.) */
bool gostate_same(const struct gostate *a, const struct gostate *b);

/* Is this a status that a live goroutine has? Not those that are idle or dead. */
bool gostate_lives(const struct gostate *s);
bool gostate_dead(const struct gostate *s);

/* Where the goroutine was left when it ceased to run, or has called the kernel or C; false
 * when it runs, or when that is not on its stack. */
bool gostate_rests(const struct gostate *s, uint64_t *pc, uint64_t *sp);

/* Is this on its stack? */
bool gostate_on_stack(const struct gostate *s, uint64_t sp);

#endif
