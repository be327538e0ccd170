/*
 * One decoded compilation unit. Its functions are read at once, its line table when an address is
 * first looked up, the tree of a function's inlined calls when an address first falls into the
 * function.
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
	size_t budget; /* as for die_add_ranges; set anew for each unit */
};

/* Lists the functions of the unit with this DIE. ERR_NOMEM. */
int dwarf_unit_new(struct dwarf_unit **unit, const Dwarf_Die *die, struct dwarf_file *file);
void dwarf_unit_free(struct dwarf_unit *unit);

/* The ranges of its functions' code; owned by the unit. */
const struct ranges *dwarf_unit_ranges(const struct dwarf_unit *unit);

/* As dwarf_index_find, for this unit. */
int dwarf_unit_find(struct dwarf_unit *unit, uint64_t addr, struct dwarf_frame *frames);

/* The bytes of the i-th of its parts (its DIEs, its line table) in the file's sections; NULL after
 * the last one. */
const void *dwarf_unit_bytes(const struct dwarf_unit *unit, unsigned i, size_t *len);

#endif
