/*
 * Protobuf's wire format, read: one field after the other on a cursor.
 *
 * What is well-formed is what google/pprof's decoder takes (profile/proto.go), so that
 * whatever it reads we read: numbers may take up to 10 bytes, and bits beyond the 64th
 * are dropped; field number 0 is one that nobody knows; groups, which protobuf has
 * given up, are refused.
 */
#ifndef PPROF_WIRE_H
#define PPROF_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "pprof/fields.h"

struct wire_field {
	size_t at; /* offset of its tag, from the file's start */
	uint64_t number;
	enum wire_type type;
	uint64_t value;	     /* of a number; of WIRE_BYTES their length */
	const uint8_t *data; /* of WIRE_BYTES */
};

uint64_t wire_long(struct cursor *c); /* only for the next */

/* The next number (varint), one or two bytes in most places; 0 and the cursor failed when
 * it is broken. */
static inline uint64_t wire_number(struct cursor *c)
{
	const uint8_t *p = c->pos;
	size_t left = cursor_left(c);

	if (left && p[0] < 0x80) {
		c->pos += 1;
		return p[0];
	}
	if (left > 1 && p[1] < 0x80) {
		c->pos += 2;
		return (p[0] & 0x7f) | (uint64_t)p[1] << 7;
	}
	return wire_long(c);
}

bool wire_rare(struct cursor *c, struct wire_field *f); /* only for the next */

/* The next field of a message. False at its end or when it is broken. */
static inline bool wire_next(struct cursor *c, struct wire_field *f)
{
	uint64_t tag;

	if (!cursor_left(c))
		return false;
	f->at = (size_t)(c->pos - c->start);
	tag = wire_number(c);
	f->number = tag >> 3;
	f->type = (enum wire_type)(tag & 7);
	if (f->type != WIRE_VARINT && f->type != WIRE_BYTES)
		return wire_rare(c, f);
	f->value = wire_number(c);
	f->data = c->pos;
	if (f->type == WIRE_VARINT)
		return !c->failed;
	if (f->value > cursor_left(c)) {
		cursor_fail(c, "ends too early");
		return false;
	}
	c->pos += f->value;
	return !c->failed;
}

/* What a field of WIRE_BYTES holds, as a cursor whose offsets still count from the start
 * of the whole, so that messages name a place in the file. Nothing, of another field. */
static inline struct cursor wire_inside(const struct cursor *whole, const struct wire_field *f)
{
	struct cursor c = *whole;

	if (f->type == WIRE_BYTES)
		c.pos = f->data;
	c.end = c.pos + (f->type == WIRE_BYTES ? f->value : 0);
	return c;
}

#endif
