/*
 * What stands in a skeleton unit (DWARF 5, section 3.1.2; in DWARF 4 GNU's extension
 * "DebugFission"): the part of a unit of split DWARF that stays in the program.
 *
 * Read without those functions of libdw that look an attribute up in the split unit,
 * too (dwarf_attr_integrate and whatever uses it: dwarf_lowpc, dwarf_highpc,
 * dwarf_ranges): for that they open the file, by whatever path stands there, of every
 * unit that they are asked about.
 */
#ifndef SYMBOLIZE_SKELETON_H
#define SYMBOLIZE_SKELETON_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct ranges;

struct skeleton {
	uint64_t id; /* of the split unit: both have it */
	unsigned version;
	uint64_t low_pc;      /* what ranges are relative to; 0 when it is not said */
	uint64_t addr_base;   /* where its part of .debug_addr begins */
	uint64_t ranges_base; /* likewise of .debug_ranges, for the split unit; DWARF 4 */
	const char *dwo_name, *comp_dir; /* NULL when there is none; they are the Dwarf's */
};

/* False when the DIE is no skeleton unit's. */
bool skeleton_read(Dwarf_Die *die, struct skeleton *s);

/* As die_add_ranges, for a skeleton. ERR_NOMEM. */
int skeleton_add_ranges(Dwarf_Die *die, struct ranges *r, uint32_t of, size_t *budget);

/* A section of the unit's file, plain, from `base` on; empty when there is none. */
void skeleton_section(const Dwarf_Die *die, const char *name, uint64_t base, struct cursor *c);

#endif
