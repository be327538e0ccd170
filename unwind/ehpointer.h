/* Pointers as .eh_frame encodes them (LSB Core, 10.5 "DWARF Exception Header
 * Encoding"). */
#ifndef UNWIND_EHPOINTER_H
#define UNWIND_EHPOINTER_H

#include <stdint.h>

struct cfi_section;
struct cursor;

/* One pointer at the cursor, which reads bytes of the section. Fails the cursor
 * when the base that it is relative to is not known, or when it only says where
 * the pointer would stand in a running process (DW_EH_PE_indirect). */
uint64_t ehpointer_take(const struct cfi_section *s, struct cursor *c, uint8_t encoding);

/* Passes over a pointer that nobody asks for, indirect and omitted ones too. */
void ehpointer_skip(struct cursor *c, uint8_t encoding);

#endif
