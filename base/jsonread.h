/*
 * Reads JSON (RFC 8259) through a cursor, value by value.
 *
 *   for (bool first = jsonread_open(c, '{'); jsonread_more(c, &first, '}');)
 *           if (jsonread_key(c, key, sizeof(key)) …)
 *                   value = jsonread_uint(c);
 *           else
 *                   jsonread_skip(c);
 *
 * What is not JSON, and a value of another kind than the caller reads, fails the cursor; from then
 * on nothing is read and every loop ends. Rejected: a tree of all values (jansson, json-c), whose
 * memory a hostile file would choose, for files of which a few values are needed.
 */
#ifndef BASE_JSONREAD_H
#define BASE_JSONREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor;

/* Skips blanks and the bracket `open`, '{' or '['. Always true: the `first` of jsonread_more. */
bool jsonread_open(struct cursor *c, char open);

/* Is there another member or element? Skips the comma before it, or the bracket `close` behind the
 * last one. False also on failure. */
bool jsonread_more(struct cursor *c, bool *first, char close);

/* Reads a member's key and its colon, as jsonread_text. */
void jsonread_key(struct cursor *c, char *key, size_t room);

/* Reads a string, or null as "". What does not fit into `room` bytes with the NUL is cut, at a
 * character. Control characters become '?', so that the text may be shown. */
void jsonread_text(struct cursor *c, char *text, size_t room);

/* A whole number without a sign, of at most 64 bits. */
uint64_t jsonread_uint(struct cursor *c);

/* Any number; NAN for null. Digits beyond the 17th do not count. */
double jsonread_number(struct cursor *c);

/* True, and skipped: the next value is null. */
bool jsonread_null(struct cursor *c);

/* True or false. */
bool jsonread_bool(struct cursor *c);

/* Skips a value of any kind, of at most 64 values within each other. */
void jsonread_skip(struct cursor *c);

/* Is anything but blanks left? For values that follow one another. */
bool jsonread_left(struct cursor *c);

/* Fails the cursor if anything but blanks is left. */
void jsonread_end(struct cursor *c);

#endif
