/* Pointers as .eh_frame encodes them (LSB Core, 10.5, "DWARF Exception Header Encoding"). */
#ifndef UNWIND_TABLE_EHPOINTER_H
#define UNWIND_TABLE_EHPOINTER_H

#include <stdint.h>

struct cfi_section;
struct cursor;

/* Reads one pointer at the cursor, which must be in the section's bytes, and returns its value.
 * Fails the cursor when the base of a relative pointer is not known, or when the pointer would have
 * to be loaded from memory of a running process (DW_EH_PE_indirect). */
uint64_t ehpointer_take(const struct cfi_section *s, struct cursor *c, uint8_t encoding);

/* Passes over a pointer without its value. Accepts DW_EH_PE_indirect and DW_EH_PE_omit, too. */
void ehpointer_skip(struct cursor *c, uint8_t encoding);

#endif
