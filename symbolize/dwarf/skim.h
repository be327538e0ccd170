/*
 * A quick walk over the DIEs of a unit, which finds those that matter.
 *
 * libdw decodes DIEs, but going from one DIE to the next with it costs some 50 ns, and a unit of
 * C++ has tens of thousands of types and variables that are not needed. So the way from DIE to DIE
 * is our own: for each abbreviation we keep how to skip its attributes. The attributes of the DIEs
 * found are read by libdw, except code ranges of the simplest form.
 *
 * The walk goes forward only, whatever the file says, so its time is bounded by the unit's length.
 */
#ifndef SYMBOLIZE_DWARF_SKIM_H
#define SYMBOLIZE_DWARF_SKIM_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct skim_unit;

/* Reads the abbreviations of a unit. A broken unit counts as one without DIEs. ERR_NOMEM. */
int skim_unit_new(struct skim_unit **unit, const Dwarf_Die *unit_die);
void skim_unit_free(struct skim_unit *unit);

/* The unit's bytes in its section. */
const void *skim_unit_bytes(const struct skim_unit *unit, size_t *len);

/* A DIE for libdw, from skim_die.addr. */
Dwarf_Die skim_libdw_die(const struct skim_unit *unit, const void *addr);

struct skim_die {
	const void *addr;
	int tag;
	bool children;
	bool has_code;	 /* it has code: in one range or in several */
	bool has_bounds; /* `start` and `end` are its range; else use dwarf_ranges() */
	uint64_t start, end;
	const uint8_t *behind; /* what follows its children; NULL: the file does not tell */
};

struct skim {
	const struct skim_unit *unit;
	struct cursor c;
};

/* Begins at the children of a DIE of this unit; NULL: of the unit itself. */
void skim_begin(struct skim *s, const struct skim_unit *unit, const void *parent);

/* The next DIE: a child if the last one had children and they were not skipped, else its sibling.
 * False at the end of the siblings; the next call goes on with what follows their parent. */
bool skim_next(struct skim *s, struct skim_die *die);

/* Skips the children of the DIE that skim_next returned last. */
void skim_over(struct skim *s, const struct skim_die *die);

/* Stores the ancestors of the DIE at `addr`, outermost first, without the unit itself. Returns how
 * many they are; 0 also if there are more than `max` or there is no such DIE. Takes no more time
 * than a walk over the unit. */
int skim_path(const struct skim_unit *unit, const void *addr, const void **path, int max);

#endif
