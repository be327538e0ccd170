#include "pprof/wire.h"

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
	f->at = cursor_offset(m);
	tag = cursor_uleb(m);
	if (!m->failed && (tag >> 3 == 0 || tag >> 3 > 0x1fffffff))
		cursor_fail(m, "field number out of range");
	f->number = (uint32_t)(tag >> 3);
	f->type = (enum wire_type)(tag & 7);
	f->value = 0;
	switch (f->type) {
	case WIRE_VARINT:
		f->value = cursor_uleb(m);
		break;
	case WIRE_FIXED64:
		f->value = cursor_uint(m, 8);
		break;
	case WIRE_FIXED32:
		f->value = cursor_uint(m, 4);
		break;
	case WIRE_BYTES:
		f->bytes = part(m, cursor_uleb(m));
		break;
	default:
		cursor_fail(m, "unknown wire type");
	}
	return !m->failed;
}
