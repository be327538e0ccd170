/*
 * Reads .eh_frame and .debug_frame into rows: from this address on, this rule.
 *
 * libdw splits the sections into entries (dwarf_next_cfi); the instructions in them are interpreted
 * here. Asking libdw for each row (dwarf_cfi_addrframe) would run an entry from its beginning every
 * time, which is five to seven times slower.
 */
#ifndef UNWIND_TABLE_CFI_H
#define UNWIND_TABLE_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_rule;

struct cfi_section {
	const uint8_t *data;
	size_t len;
	uint64_t vaddr;		    /* of data, for pc-relative pointers */
	uint64_t data_base;	    /* for data-relative pointers (.eh_frame_hdr), 0 when unknown */
	uint64_t text_base;	    /* for text-relative pointers, 0 when unknown */
	bool eh_frame;		    /* else .debug_frame */
	const unsigned char *ident; /* the file's e_ident */
};

/* The receiver of the rows. A rule names an expression by its offset in the section; the length
 * stands there as ULEB128, then the expression. When begin or row returns a negative value, the
 * entry is left out. An entry covers [start, end). */
struct cfi_sink {
	int (*begin)(struct cfi_sink *sink, uint64_t start, uint64_t end);
	/* `rule` holds from `pc` on. Rows lie inside the entry and come in ascending order. */
	int (*row)(struct cfi_sink *sink, uint64_t pc, const struct cfi_rule *rule);
	/* End of the entry. `good` is false when it is broken and must be left out. */
	void (*end)(struct cfi_sink *sink, bool good);
	/* Set before begin: exceptions may land in the entry. */
	bool lands;
};

/* Gives every entry of the section to the sink. Returns the number of entries that were broken or
 * that the sink rejected. Time is linear in the section's length. */
size_t cfi_read(const struct cfi_section *section, struct cfi_sink *sink);

/* Pointers as .eh_frame encodes them (LSB Core, 10.5, "DWARF Exception Header Encoding"). */

struct cursor;

/* Reads one pointer at the cursor, which must be in the section's bytes, and returns its value.
 * Fails the cursor when the base of a relative pointer is not known, or when the pointer would have
 * to be loaded from memory of a running process (DW_EH_PE_indirect). */
uint64_t ehpointer_take(const struct cfi_section *s, struct cursor *c, uint8_t encoding);

/* Passes over a pointer without its value. Accepts DW_EH_PE_indirect and DW_EH_PE_omit, too. */
void ehpointer_skip(struct cursor *c, uint8_t encoding);

#endif
