/*
 * Scans legacy formats, where google/pprof uses regular expressions. Each scanner takes
 * one thing from the front of a cursor and returns whether it was there. A cursor here is a
 * line or a piece of one.
 *
 * White space has two meanings, as in google/pprof: \s of a regular expression is ASCII's
 * white space without \v (is_space), Go's strings.TrimSpace removes Unicode's (scan_trim).
 */
#ifndef PPROF_LEGACY_SCAN_H
#define PPROF_LEGACY_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/* True for the bytes of a class. */
typedef bool scan_class(uint8_t ch);

bool is_digit(uint8_t ch);
bool is_xdigit(uint8_t ch);	  /* of either case */
bool is_lower_xdigit(uint8_t ch); /* as legacy addresses are written */
bool is_blank(uint8_t ch);	  /* ' ' and no other */
bool is_space(uint8_t ch);	  /* \s */
bool is_solid(uint8_t ch);	  /* \S */

/* The byte `at` bytes ahead, or -1 beyond the end. */
int scan_peek(const struct cursor *c, size_t at);

/* Takes the literal, or nothing. */
bool scan_take(struct cursor *c, const char *literal);

/* Takes the longest run of bytes of a class into *run; false when it is empty. */
bool scan_run(struct cursor *c, scan_class *class, struct cursor *run);

/* Skips the longest run of bytes of a class; returns its length, which may be 0. */
size_t scan_skip(struct cursor *c, scan_class *class);

/* Takes "0x" if a hexadecimal digit follows. */
bool scan_take_0x(struct cursor *c);

/* The piece of `c` from `from` (inclusive) to `to`: offsets from c's position, cut at its end. */
struct cursor scan_piece(const struct cursor *c, size_t from, size_t to);

/* Removes Unicode's white space from both ends. */
void scan_trim(struct cursor *c);

/* True if the line is only white space, or if its first other byte is '#'. */
bool scan_is_comment(struct cursor line);

bool scan_begins(const struct cursor *c, const char *literal);
bool scan_equals(const struct cursor *c, const char *literal);

/* The offset of the first occurrence of the literal from the cursor's position, or -1. */
ptrdiff_t scan_find(const struct cursor *c, const char *literal);

/* Go's strconv.ParseInt and ParseUint with 64 bits: false unless the whole text is a number
 * that fits. With base 0 the prefix (0x 0o 0b 0) selects the base and underscores are allowed. */
bool scan_int(struct cursor digits, unsigned base, int64_t *value);
bool scan_uint(struct cursor digits, unsigned base, uint64_t *value);

#endif
