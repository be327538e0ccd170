/*
 * .debug_cu_index of a package of split DWARF (.dwp): a hash table from a unit's id to the unit's
 * parts of the package's sections. DWARF 5, section 7.3.5, and GNU's earlier version 2
 * ("DebugFission DWP" in the GCC wiki), which numbers the sections differently.
 */
#ifndef SYMBOLIZE_DWARF_DWPINDEX_H
#define SYMBOLIZE_DWARF_DWPINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dwp_section { DWP_INFO, DWP_ABBREV, DWP_STR_OFFSETS, DWP_RNGLISTS, DWP_SECTIONS };

struct dwp_part {
	uint64_t offset, len;
};

/* Finds a unit in an index of `len` bytes. False when it is not there, or the index is broken. If
 * the unit has no part of a section, the part has length 0. The parts are as the index gives them:
 * the caller checks that they lie in the sections. */
bool dwpindex_find(const void *index, size_t len, uint64_t id, struct dwp_part parts[DWP_SECTIONS]);

#endif
