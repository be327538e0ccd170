/*
 * The contents of a skeleton unit (DWARF 5, section 3.1.2; in DWARF 4 GNU's extension
 * "DebugFission"): the part of a unit of split DWARF that stays in the program.
 *
 * libdw's dwarf_attr_integrate and its callers dwarf_lowpc, dwarf_highpc and dwarf_ranges are not
 * used. They look an attribute up in the split unit, too: for each unit they open the split file,
 * by whatever path the unit gives.
 */
#ifndef SYMBOLIZE_DWARF_SKELETON_H
#define SYMBOLIZE_DWARF_SKELETON_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct ranges;

struct skeleton {
	uint64_t id; /* of the split unit: both halves have it */
	unsigned version;
	uint64_t low_pc;      /* base address of ranges; 0 when it is not given */
	uint64_t addr_base;   /* offset of its part of .debug_addr */
	uint64_t ranges_base; /* offset of the split unit's part of .debug_ranges; DWARF 4 */
	const char *dwo_name, *comp_dir; /* NULL when there is none; owned by the Dwarf */
};

/* Reads the DIE of a unit. False when the unit is no skeleton. */
bool skeleton_read(Dwarf_Die *die, struct skeleton *s);

/* As die_add_ranges, for a skeleton. ERR_NOMEM. */
int skeleton_add_ranges(Dwarf_Die *die, struct ranges *r, uint32_t of, size_t *budget);

/* A section of the unit's file, uncompressed, from the offset `base` on; empty if missing. */
void skeleton_section(const Dwarf_Die *die, const char *name, uint64_t base, struct cursor *c);

#endif
