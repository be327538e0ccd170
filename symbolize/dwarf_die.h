/* Single DIEs: attributes, ranges, and a walk that ends whatever the file says. */
#ifndef SYMBOLIZE_DWARF_DIE_H
#define SYMBOLIZE_DWARF_DIE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranges;

/* A walk through a tree in the file's order. It goes forward only: a DIE that
 * does not lie behind the last one ends the siblings, so that no DIE is met
 * twice and a walk takes no longer than its unit is. {0} begins one. */
struct die_walk {
	const void *last;
};

/* The first child, or the sibling that follows; false when there is none. */
bool die_child(struct die_walk *w, Dwarf_Die *parent, Dwarf_Die *child);
bool die_sibling(struct die_walk *w, Dwarf_Die *die);

/* An attribute of the DIE or of what it is an instance of (abstract origin,
 * specification, in whichever unit); 0 or NULL when it is not there. */
uint32_t die_number(Dwarf_Die *die, unsigned attribute);
const char *die_string(Dwarf_Die *die, unsigned attribute);

/* Adds where the DIE's code is. `*budget` range entries may be read, so that a
 * long list that every DIE points to cannot be read for each. ERR_NOMEM. */
int die_add_ranges(Dwarf_Die *die, struct ranges *r, uint32_t of, size_t *budget);

#endif
