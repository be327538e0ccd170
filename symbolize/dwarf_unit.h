/*
 * One compilation unit, decoded: its functions, found at once, of each function the
 * tree of calls inlined there, found when an address first falls into it, and its
 * line table, likewise.
 */
#ifndef SYMBOLIZE_DWARF_UNIT_H
#define SYMBOLIZE_DWARF_UNIT_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_frame;
struct dwarf_unit;
struct line_sections;
struct ranges;
struct split;

/* What all units of a file have in common; must outlive them. */
struct dwarf_file {
	struct split *split; /* finds split DWARF, or NULL */
	const struct line_sections *lines;
	size_t budget; /* as for die_add_ranges, of the unit at hand */
};

/* Lists the functions of the unit with this DIE. ERR_NOMEM. */
int dwarf_unit_new(struct dwarf_unit **unit, const Dwarf_Die *die, struct dwarf_file *file);
void dwarf_unit_free(struct dwarf_unit *unit);

/* Where functions have code; not the caller's. */
const struct ranges *dwarf_unit_ranges(const struct dwarf_unit *unit);

/* What dwarf_index_find says. */
int dwarf_unit_find(struct dwarf_unit *unit, uint64_t addr, struct dwarf_frame *frames);

/* Where the i-th of its parts (its DIEs, its line table) lie in the file's sections;
 * NULL behind the last. */
const void *dwarf_unit_bytes(const struct dwarf_unit *unit, unsigned i, size_t *len);

#endif
