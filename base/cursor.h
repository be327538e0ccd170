/*
 * The one way to read untrusted bytes.
 *
 * A cursor walks a buffer of known length and never leaves it. The first read that does not fit, or
 * that breaks the encoding, puts the cursor into a failed state with a reason and an offset. From
 * then on every read returns 0 and moves nowhere. So a parser may read a whole structure and check
 * once, at its end, whether all of it was there (libbacktrace's dwarf_buf works the same way).
 *
 * Little-endian only, like the machines and the formats that we read.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct cursor {
	const uint8_t *start, *pos, *end;
	const char *what;   /* what the bytes are, for the message; not owned */
	const char *failed; /* why it failed; NULL: it has not failed */
	size_t failed_at;   /* offset of the failure, bytes from start */
};

/* Starts at the first of `len` bytes at `data`, which the caller keeps alive meanwhile. */
void cursor_init(struct cursor *c, const void *data, size_t len, const char *what);

static inline size_t cursor_left(const struct cursor *c)
{
	return c->failed ? 0 : (size_t)(c->end - c->pos);
}

size_t cursor_offset(const struct cursor *c);

/* Fails the cursor at its present offset, for a reason that only the parser can detect. `why` is
 * not copied. Later failures do not overwrite the first reason. */
void cursor_fail(struct cursor *c, const char *why);

/* 0, or ERR_FORMAT with "WHAT: WHY at offset N" in err. */
int cursor_error(const struct cursor *c, struct error *err);

/* An unsigned integer of 1, 2, 4 or 8 bytes. */
uint64_t cursor_uint(struct cursor *c, unsigned bytes);

/* One byte. Inline, for the interpreters of byte code. */
static inline uint8_t cursor_byte(struct cursor *c)
{
	return !c->failed && c->pos < c->end ? *c->pos++ : (uint8_t)cursor_uint(c, 1);
}

uint64_t cursor_long_uleb(struct cursor *c); /* only for cursor_uleb */

/* DWARF's LEB128 (DWARF 5, section 7.6). A number of more than 64 bits or of more than 10 bytes is
 * a failure. Inline, because nearly all numbers have one byte. */
static inline uint64_t cursor_uleb(struct cursor *c)
{
	return cursor_left(c) && *c->pos < 0x80 ? *c->pos++ : cursor_long_uleb(c);
}

int64_t cursor_sleb(struct cursor *c);

/* The next `len` bytes in place, or NULL. */
const uint8_t *cursor_bytes(struct cursor *c, uint64_t len);

/* Sets *line to the text up to the next newline, or to the end if no newline follows. Skips the
 * newline. False at the end of the bytes. */
bool cursor_line(struct cursor *c, struct cursor *line);

/* A number in base 10 or 16: at least one digit, no sign. More than 64 bits is a failure. A "0x"
 * before a number in base 16 is not accepted: the kernel's tables have none. */
uint64_t cursor_number(struct cursor *c, int base);

/* Skips the byte `ch`; fails if the next byte is another one or missing. */
void cursor_expect(struct cursor *c, char ch);

/* Skips blanks and tabs. */
void cursor_blanks(struct cursor *c);

#endif
