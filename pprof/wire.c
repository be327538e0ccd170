#include "pprof/wire.h"

/* A part of a message as a cursor whose offsets still count from the start of
 * the whole, so that messages name a place in the file. */
static struct cursor part(struct cursor *whole, uint64_t len)
{
	struct cursor c = *whole;

	if (!cursor_bytes(whole, len)) {
		c.pos = c.end;
		return c;
	}
	c.end = c.pos + len;
	return c;
}

bool wire_next(struct cursor *m, struct wire_field *f)
{
	uint64_t tag;

	if (!cursor_left(m))
		return false;
	tag = cursor_uleb(m);
	f->number = (uint32_t)(tag >> 3);
	f->type = (enum wire_type)(tag & 7);
	f->value = 0;
	if (!m->failed && (tag >> 3 == 0 || tag >> 3 > 0x1fffffff))
		cursor_fail(m, "field number out of range");
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

bool wire_number(struct cursor *m, struct wire_field *f, bool first, uint64_t *number)
{
	if (f->type == WIRE_BYTES) {
		if (!cursor_left(&f->bytes))
			return false;
		*number = cursor_uleb(&f->bytes);
		if (f->bytes.failed)
			cursor_fail(m, f->bytes.failed);
		return !m->failed;
	}
	*number = f->value;
	return first;
}
