/*
 * Writes protobuf messages whose size is not known before, into a buffer that grows.
 *
 * A nested message is preceded by its length, which is known only at its end. It is written behind
 * a gap of one byte, and is moved if its length takes more. The encoder of profile.proto (encode.c)
 * does the same within room that it makes once for each entry; it shares writer_varint.
 */
#ifndef PPROF_WIRE_WRITER_H
#define PPROF_WIRE_WRITER_H

#include <stddef.h>
#include <stdint.h>

struct buffer;

/* The first error stays, and nothing is written after it. */
struct writer {
	struct buffer *out; /* not owned */
	int rc;		    /* 0 or ERR_NOMEM */
};

/* Writes 1 to 10 bytes and returns the place behind them. */
static inline uint8_t *writer_varint(uint8_t *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (uint8_t)(v | 0x80);
	*to++ = (uint8_t)v;
	return to;
}

/* A number. 0 is a field's default and is left out; writer_value writes it, too, as a member of a
 * oneof requires. */
void writer_number(struct writer *w, unsigned field, uint64_t v);
void writer_value(struct writer *w, unsigned field, uint64_t v);
void writer_fixed64(struct writer *w, unsigned field, uint64_t v);

/* A number without its field, in a packed array. */
void writer_item(struct writer *w, uint64_t v);

/* Bytes, a string or a complete message; written when empty, too. */
void writer_bytes(struct writer *w, unsigned field, const void *data, size_t len);

/* Begins a nested message; what is written until writer_end is its content. */
size_t writer_begin(struct writer *w, unsigned field);
void writer_end(struct writer *w, size_t start);

/* A packed array of numbers; left out when it is empty. */
void writer_packed(struct writer *w, unsigned field, const uint32_t *numbers, size_t count);

#endif
