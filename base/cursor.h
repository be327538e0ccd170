/*
 * The one way to read bytes that nobody vouches for.
 *
 * A cursor walks a buffer of known length and never leaves it. The first read
 * that does not fit, or that breaks the encoding, puts it into a failed state
 * with a message that carries the offset; from then on every read gives 0 and
 * moves nowhere. So a parser may read a whole structure and look once, at its
 * end, whether all of it was there (libbacktrace's dwarf_buf works the same).
 *
 * Little-endian only: so are the machines and the formats that we read.
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
	const char *failed; /* what broke, NULL while all is well */
	size_t failed_at;   /* offset of that, bytes from start */
};

/* Reads `len` bytes at `data`, which stay the caller's and must outlive it. */
void cursor_init(struct cursor *c, const void *data, size_t len, const char *what);

static inline size_t cursor_left(const struct cursor *c)
{
	return c->failed ? 0 : (size_t)(c->end - c->pos);
}

size_t cursor_offset(const struct cursor *c);

/* Declares the bytes broken at the present offset, for a reason that only the
 * parser knows. `why` is not copied. The first reason stays. */
void cursor_fail(struct cursor *c, const char *why);

/* 0, or ERR_FORMAT with "WHAT: WHY at offset N" in err. */
int cursor_error(const struct cursor *c, struct error *err);

/* An unsigned integer of 1, 2, 4 or 8 bytes. */
uint64_t cursor_uint(struct cursor *c, unsigned bytes);

/* One byte, without a call: interpreters of byte code live on it. */
static inline uint8_t cursor_byte(struct cursor *c)
{
	return !c->failed && c->pos < c->end ? *c->pos++ : (uint8_t)cursor_uint(c, 1);
}

uint64_t cursor_long_uleb(struct cursor *c); /* only for the next */

/* DWARF's LEB128 (DWARF 5, section 7.6); more than 64 bits is a failure, and so
 * are more than 10 bytes. Nearly all are one byte, which costs no call. */
static inline uint64_t cursor_uleb(struct cursor *c)
{
	return cursor_left(c) && *c->pos < 0x80 ? *c->pos++ : cursor_long_uleb(c);
}

int64_t cursor_sleb(struct cursor *c);

/* `len` bytes in place, or NULL. */
const uint8_t *cursor_bytes(struct cursor *c, uint64_t len);

/* Text up to the next newline, or to the end when none follows; the newline is
 * passed over and not counted. False at the end of the bytes. */
bool cursor_line(struct cursor *c, struct cursor *line);

/* A number in base 10 or 16, at least one digit, no sign; more than 64 bits
 * fails. A "0x" before a number in base 16 is not accepted: the kernel's
 * tables have none. */
uint64_t cursor_number(struct cursor *c, int base);

/* Passes over the byte `ch`, fails when another one stands there. */
void cursor_expect(struct cursor *c, char ch);

/* Passes over blanks and tabs. */
void cursor_blanks(struct cursor *c);

#endif
