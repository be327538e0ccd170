#include "pprof/wire.h"

uint64_t wire_long(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint64_t byte = cursor_byte(c);

		if (c->failed)
			return 0;
		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor_fail(c, "number of more than 10 bytes");
	return 0;
}

/* A part of a message as a cursor whose offsets still count from the start of
 * the whole, so that messages name a place in the file. */
static struct cursor part(struct cursor *whole, uint64_t len)
{
	struct cursor c = *whole;

	c.end = cursor_bytes(whole, len) ? whole->pos : c.pos;
	return c;
}

bool wire_next(struct cursor *m, struct wire_field *f)
{
	uint64_t tag;

	if (!cursor_left(m))
		return false;
	f->at = (size_t)(m->pos - m->start);
	tag = wire_number(m);
	f->number = tag >> 3;
	f->type = (enum wire_type)(tag & 7);
	f->value = 0;
	switch (f->type) {
	case WIRE_VARINT:
		f->value = wire_number(m);
		break;
	case WIRE_FIXED64:
		f->value = cursor_uint(m, 8);
		break;
	case WIRE_FIXED32:
		f->value = cursor_uint(m, 4);
		break;
	case WIRE_BYTES:
		f->bytes = part(m, wire_number(m));
		break;
	default:
		cursor_fail(m, "unknown wire type");
	}
	return !m->failed;
}
