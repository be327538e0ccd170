/*
 * The small scanners that legacy formats are read with, where google/pprof uses
 * regular expressions: each takes what it knows from the front of a cursor and says
 * whether it was there. A cursor here is a line or a piece of one.
 *
 * What counts as blank differs as it does there: a regular expression's \s is ASCII's
 * white space without \v (text_space), Go's strings.TrimSpace is Unicode's (text_trim).
 */
#ifndef PPROF_LEGACY_TEXT_H
#define PPROF_LEGACY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/* Which bytes belong to a run. */
typedef bool text_class(uint8_t ch);

bool is_digit(uint8_t ch);
bool is_xdigit(uint8_t ch);	  /* of either case */
bool is_lower_xdigit(uint8_t ch); /* as legacy addresses are written */
bool is_blank(uint8_t ch);	  /* ' ' and no other */
bool is_space(uint8_t ch);	  /* \s */
bool is_solid(uint8_t ch);	  /* \S */

/* The byte `at` bytes ahead, -1 beyond the end. */
int text_peek(const struct cursor *c, size_t at);

/* Takes the literal, or nothing. */
bool text_take(struct cursor *c, const char *literal);

/* Takes the longest run of a class through *run; false when it is empty. */
bool text_run(struct cursor *c, text_class *class, struct cursor *run);

/* Passes over a run of a class, which may be empty; returns its length. */
size_t text_skip(struct cursor *c, text_class *class);

/* Takes "0x" and what follows, when that is a hexadecimal digit. */
bool text_take_0x(struct cursor *c);

/* The piece of `c` from `from` (inclusive) to `to`, both offsets from where it stands. */
struct cursor text_piece(const struct cursor *c, size_t from, size_t to);

/* Takes Unicode's white space from both ends. */
void text_trim(struct cursor *c);

/* Empty but for white space, or its first other byte is '#'. */
bool text_is_comment(struct cursor line);

bool text_begins(const struct cursor *c, const char *literal);
bool text_equals(const struct cursor *c, const char *literal);

/* Where the literal first stands, in bytes from where the cursor does, or -1. */
ptrdiff_t text_find(const struct cursor *c, const char *literal);

/* Go's strconv.ParseInt and ParseUint with 64 bits: false unless all of it is a number
 * that fits. Base 0 goes by the prefix (0x 0o 0b 0) and allows underscores. */
bool text_int(struct cursor digits, unsigned base, int64_t *value);
bool text_uint(struct cursor digits, unsigned base, uint64_t *value);

#endif
