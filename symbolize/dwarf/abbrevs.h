/* Declarations in .debug_abbrev, and the lengths of the values that they declare. */
#ifndef SYMBOLIZE_DWARF_ABBREVS_H
#define SYMBOLIZE_DWARF_ABBREVS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct abbrev {
	uint64_t code, tag;
	uint8_t children;
	struct cursor attributes; /* for abbrev_attribute, including the zeroes at the end */
	const uint8_t *start;	  /* of the whole declaration */
	size_t len;
};

/* The next declaration; false after the last one, and for broken bytes (c->failed). */
bool abbrev_next(struct cursor *c, struct abbrev *a);

struct abbrev_attribute {
	uint64_t name, form;
};

/* The next attribute of a declaration; false after the last one. */
bool abbrev_attribute(struct cursor *attributes, struct abbrev_attribute *a);

/* How long a value is, by its form. */
enum form_kind {
	FORM_BYTES, /* n bytes */
	FORM_LEB,
	FORM_STRING,   /* up to a NUL */
	FORM_BLOCK,    /* n bytes of length, or LEB128 if n is 0, then the block */
	FORM_INDIRECT, /* its form, then the value */
	FORM_UNKNOWN,
};

struct form_length {
	uint8_t kind;
	uint8_t n;
};

struct form_length abbrev_form(uint64_t form, unsigned version, unsigned address_size,
			       unsigned offset_size);

/* Passes over such a value; of an indirect or unknown form it fails the cursor. */
void abbrev_pass(struct cursor *value, struct form_length length);

/* Skips a value in .debug_info of 32-bit DWARF with addresses of eight bytes. An unknown form fails
 * the cursor. */
void abbrev_skip(struct cursor *value, uint64_t form, unsigned version);

#endif
