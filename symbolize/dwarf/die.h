/* Single DIEs: attributes and ranges. */
#ifndef SYMBOLIZE_DWARF_DIE_H
#define SYMBOLIZE_DWARF_DIE_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct ranges;

/* An attribute of the DIE or of its abstract origin or specification, in whichever unit that is; 0
 * or NULL when there is none. */
uint32_t die_number(Dwarf_Die *die, unsigned attribute);
const char *die_string(Dwarf_Die *die, unsigned attribute);

/* Adds the ranges of the DIE's code to `r`, with the index `of`. At most `*budget` entries are read
 * and counted off, because a long list to which every DIE points must not be read for each DIE.
 * ERR_NOMEM. */
int die_add_ranges(Dwarf_Die *die, struct ranges *r, uint32_t of, size_t *budget);

#endif
