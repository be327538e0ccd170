/*
 * CPython's strings as UTF-8: names of functions and files.
 *
 * A string's characters all have 1, 2 or 4 bytes (PEP 393). They follow the object's head, or, in a
 * subclass of str and in a string of the old interface up to 3.11, stand elsewhere. What UTF-8 has
 * no bytes for, a surrogate, becomes an escape as Python's "backslashreplace" makes it: the name of
 * a file that is not UTF-8 has such characters ("surrogateescape").
 */
#ifndef RUNTIMES_CPYTHON_UNICODE_H
#define RUNTIMES_CPYTHON_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpython;
struct memory;

enum {
	PYUNICODE_HEAD_MAX = 128,
	PYUNICODE_MAX = 4096, /* bytes of UTF-8, with the "…" of a longer string, without the NUL */
};

/* Where the characters of a string are. */
struct pyunicode_place {
	uint64_t addr, count;
	unsigned width; /* bytes of a character: 1, 2, 4 */
};

/* From `len` bytes of the object at `addr`. ERR_SHORT: more are needed, PYUNICODE_HEAD_MAX suffice;
 * ERR_FORMAT: it is no string. */
int pyunicode_find(const struct cpython *python, uint64_t addr, const uint8_t *object, size_t len,
		   struct pyunicode_place *place);

/* Writes `count` characters of `width` bytes each to `text` as UTF-8 with a NUL, and returns the
 * length. If `more` follow them or the room ends, "…" stands at the end. Room is at least 4 bytes.
 * NUL becomes "\x00"; a number beyond Unicode becomes an escape, too ("\U00110000"). */
size_t pyunicode_encode(const void *chars, size_t count, unsigned width, bool more, char *text,
			size_t room);

/* Reads a string as UTF-8 into `text`. One of more than `room` or PYUNICODE_MAX bytes is cut and
 * ends in "…". ERR_IO, ERR_FORMAT. */
int pyunicode_read(const struct cpython *python, const struct memory *memory, uint64_t addr,
		   char *text, size_t room);

#endif
