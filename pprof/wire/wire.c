/* Only the slow ways are here: long numbers, and wire types that profile.proto does not use. The
 * fast ones are inline in the header. */
#include "pprof/wire/wire.h"

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

/* Numbers of fixed length, which profile.proto does not use, and unknown types. */
bool wire_rare(struct cursor *c, struct wire_field *f)
{
	if (f->type == WIRE_FIXED64)
		f->value = cursor_uint(c, 8);
	else if (f->type == WIRE_FIXED32)
		f->value = cursor_uint(c, 4);
	else
		cursor_fail(c, "unknown wire type");
	return !c->failed;
}
