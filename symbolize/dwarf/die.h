/* Single DIEs: attributes, ranges, and the scope that a name is declared in. */
#ifndef SYMBOLIZE_DWARF_DIE_H
#define SYMBOLIZE_DWARF_DIE_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct ranges;
struct skim_unit;

/* An attribute of the DIE or of its abstract origin or specification, in whichever unit that is; 0
 * or NULL when there is none. */
uint32_t die_number(Dwarf_Die *die, unsigned attribute);
const char *die_string(Dwarf_Die *die, unsigned attribute);

/* Adds the ranges of the DIE's code to `r`, with the index `of`. At most `*budget` entries are read
 * and counted off, because a long list to which every DIE points must not be read for each DIE.
 * ERR_NOMEM. */
int die_add_ranges(Dwarf_Die *die, struct ranges *r, uint32_t of, size_t *budget);

/*
 * Appends the C++ scope of the function with this DIE, in `unit` or in a unit that it refers to, as
 * "ns::Class" without a "::" at its end; nothing if it has none. gcc writes no linkage name for a
 * function that other files cannot call, so the scope of an inlined one stands in its DIE's
 * ancestors only. Names are gdb's; a function as a scope has no parameters, because DWARF does not
 * spell types as the demangler does; a lambda's class, which has no name, is "<lambda(int)>", as
 * gcc writes it in template arguments. ERR_NOMEM.
 */
int die_add_scope(const Dwarf_Die *die, const struct skim_unit *unit, struct buffer *out);

#endif
