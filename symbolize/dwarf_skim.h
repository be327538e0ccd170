/*
 * A quick walk over the DIEs of a unit, which finds those that matter.
 *
 * libdw decodes what is asked of a DIE, but to get from one to the next through it
 * costs some 50 ns, and a unit of C++ has tens of thousands of types and variables
 * that nobody asks about. So the way from DIE to DIE is our own: of each abbreviation
 * we keep how to pass over its attributes. What a DIE says is libdw's business again,
 * except code ranges of the simplest form.
 *
 * The walk goes forward only, whatever the file says, so that it takes no longer
 * than its unit is.
 */
#ifndef SYMBOLIZE_DWARF_SKIM_H
#define SYMBOLIZE_DWARF_SKIM_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct skim_unit;

/* Reads the abbreviations of a unit. A broken unit is one without DIEs. ERR_NOMEM. */
int skim_unit_new(struct skim_unit **unit, const Dwarf_Die *unit_die);
void skim_unit_free(struct skim_unit *unit);

/* Where its bytes are. */
const void *skim_unit_bytes(const struct skim_unit *unit, size_t *len);

/* A DIE for libdw, from skim_die.addr. */
Dwarf_Die skim_libdw_die(const struct skim_unit *unit, const void *addr);

struct skim_die {
	const void *addr;
	int tag;
	bool children;
	bool has_code;	       /* says where its code is: */
	bool has_bounds;       /* by these two, else ask libdw (dwarf_ranges) */
	uint64_t start, end;
	const uint8_t *behind; /* its children; NULL where the file does not say it */
};

struct skim {
	const struct skim_unit *unit;
	struct cursor c;
};

/* Begins at the children of a DIE of this unit; NULL: of the unit itself. */
void skim_begin(struct skim *s, const struct skim_unit *unit, const void *parent);

/* The next DIE: a child if the last one had children and they were not passed over,
 * else its sibling. False at the end of the siblings, where the walk goes on with
 * what follows their parent. */
bool skim_next(struct skim *s, struct skim_die *die);

/* Passes over the children of the DIE that skim_next gave last. */
void skim_over(struct skim *s, const struct skim_die *die);

#endif
