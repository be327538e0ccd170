/*
 * The labels of the goroutines that are told, each set read once.
 *
 * They are read where a goroutine's g says, and believed if it says so still: while it does they
 * are not freed. A set that was seen is not read again until a GC has begun, without which its
 * memory cannot come to hold another.
 */
#ifndef GOPROFILE_LABELREADING_H
#define GOPROFILE_LABELREADING_H

#include <stdbool.h>
#include <stdint.h>

#include "goprofile/labelsets.h"

struct go_goroutine;
struct golabels;
struct golive;

struct labelreading {
	const struct golive *live; /* not owned */
	struct labelsets *sets;	   /* where they are put; not owned */
	struct golabels *reader;
	uint32_t gc_cycles;
	uint64_t told, unreadable; /* goroutines; those with labels that could not be read */
};

/* {0} may be released. ERR_NOMEM. */
int labelreading_init(struct labelreading *l, const struct golive *live, struct labelsets *sets);
void labelreading_release(struct labelreading *l);

/* The set of a goroutine that is being told: 1 + its index in sets->sets; 0 where it has none,
 * or it cannot be read. ERR_NOMEM. */
int labelreading_of(struct labelreading *l, const struct go_goroutine *g, uint32_t *set);

/* runtime.work.cycles: GC cycles begun; false: not known. */
bool labelreading_gc_cycles(const struct golive *live, uint32_t *cycles);

#endif
