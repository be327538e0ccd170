/* Single DIEs: attributes and ranges. */
#ifndef SYMBOLIZE_DWARF_DIE_H
#define SYMBOLIZE_DWARF_DIE_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct ranges;

/* An attribute of the DIE or of what it is an instance of (abstract origin,
 * specification, in whichever unit); 0 or NULL when it is not there. */
uint32_t die_number(Dwarf_Die *die, unsigned attribute);
const char *die_string(Dwarf_Die *die, unsigned attribute);

/* Adds where the DIE's code is. `*budget` range entries may be read, so that a
 * long list that every DIE points to cannot be read for each. ERR_NOMEM. */
int die_add_ranges(Dwarf_Die *die, struct ranges *r, uint32_t of, size_t *budget);

#endif
