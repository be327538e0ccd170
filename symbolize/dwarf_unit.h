/*
 * One compilation unit: its functions, found when an address first falls into
 * it, and of each function the tree of calls inlined there, found when an
 * address first falls into that.
 */
#ifndef SYMBOLIZE_DWARF_UNIT_H
#define SYMBOLIZE_DWARF_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/ranges.h"
#include "symbolize/split.h"

struct dwarf_frame;
struct names;

struct dwarf_function {
	Dwarf_Die die;
	struct dwarf_inlines *inlines; /* NULL until an address falls into it */
};

struct dwarf_unit {
	Dwarf_Die die;	/* in the file itself: ranges, lines, compilation folder */
	Dwarf_Die code; /* the same, or of split DWARF the unit that was found for it */
	struct split_unit split;
	bool listed;
	struct ranges ranges; /* `of` indexes functions */
	struct dwarf_function *functions;
	size_t count, room;
};

void dwarf_unit_release(struct dwarf_unit *u);

/* Lists the functions, once. `budget` as for die_add_ranges; `split` may be NULL.
 * ERR_NOMEM. */
int dwarf_unit_list(struct dwarf_unit *u, struct split *split, size_t *budget);

/* The function that covers the address, or NULL. */
struct dwarf_function *dwarf_unit_function(struct dwarf_unit *u, uint64_t addr);

/* Fills frames with the function and the calls inlined at the address, innermost
 * first, without the innermost's line. How many (1 at least), or ERR_NOMEM. */
int dwarf_unit_frames(struct dwarf_unit *u, struct dwarf_function *f, uint64_t addr,
		      struct dwarf_frame *frames, size_t *budget);

#endif
