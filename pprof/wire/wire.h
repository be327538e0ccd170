/*
 * Reads protobuf's wire format from a cursor, one field after the other.
 *
 * Everything that google/pprof's decoder accepts (profile/proto.go) is accepted: numbers
 * may take up to 10 bytes, and bits beyond the 64th are dropped; field number 0 is an
 * unknown field. Groups, which protobuf has deprecated, are rejected.
 */
#ifndef PPROF_WIRE_WIRE_H
#define PPROF_WIRE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "pprof/wire/fields.h"

struct wire_field {
	size_t at; /* offset of its tag, from the file's start */
	uint64_t number;
	enum wire_type type;
	uint64_t value;	     /* the number; for WIRE_BYTES the length */
	const uint8_t *data; /* for WIRE_BYTES: the contents, not owned */
};

uint64_t wire_long(struct cursor *c); /* only for wire_number */

/* The next number (varint), usually one or two bytes. If it is broken, the cursor fails and the
 * result is 0. */
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

bool wire_rare(struct cursor *c, struct wire_field *f); /* only for wire_next */

/* The next field of a message. False at the message's end, or when the field is broken: then the
 * cursor has failed. */
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

/* A cursor on the contents of a field of WIRE_BYTES; empty for other fields. Its offsets count
 * from the start of `whole`, so that messages name an offset in the file. */
static inline struct cursor wire_inside(const struct cursor *whole, const struct wire_field *f)
{
	struct cursor c = *whole;

	if (f->type == WIRE_BYTES)
		c.pos = f->data;
	c.end = c.pos + (f->type == WIRE_BYTES ? f->value : 0);
	return c;
}

#endif
