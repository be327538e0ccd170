/* Each function appends to the buffer and keeps the first failure, so that a message is written
 * without a check for each field. */
#include "pprof/wire/writer.h"

#include <endian.h>
#include <string.h>

#include "base/buffer.h"
#include "pprof/wire/fields.h"

enum { VARINT_MAX = 10 };

void writer_item(struct writer *w, uint64_t v)
{
	if (!w->rc)
		w->rc = buffer_reserve(w->out, VARINT_MAX);
	if (!w->rc)
		w->out->len = (size_t)(writer_varint(w->out->data + w->out->len, v) - w->out->data);
}

static void writer_put_tag(struct writer *w, unsigned field, enum wire_type type)
{
	writer_item(w, field << 3 | type);
}

static void writer_put(struct writer *w, const void *data, size_t len)
{
	if (!w->rc)
		w->rc = buffer_add(w->out, data, len);
}

void writer_value(struct writer *w, unsigned field, uint64_t v)
{
	writer_put_tag(w, field, WIRE_VARINT);
	writer_item(w, v);
}

void writer_number(struct writer *w, unsigned field, uint64_t v)
{
	if (v)
		writer_value(w, field, v);
}

void writer_fixed64(struct writer *w, unsigned field, uint64_t v)
{
	if (!v)
		return;
	v = htole64(v);
	writer_put_tag(w, field, WIRE_FIXED64);
	writer_put(w, &v, sizeof(v));
}

void writer_bytes(struct writer *w, unsigned field, const void *data, size_t len)
{
	writer_put_tag(w, field, WIRE_BYTES);
	writer_item(w, len);
	writer_put(w, data, len);
}

size_t writer_begin(struct writer *w, unsigned field)
{
	writer_put_tag(w, field, WIRE_BYTES);
	writer_put(w, "", 1);
	return w->out->len;
}

void writer_end(struct writer *w, size_t start)
{
	uint8_t head[VARINT_MAX];
	size_t len, more;

	if (w->rc)
		return;
	len = w->out->len - start;
	more = (size_t)(writer_varint(head, len) - head) - 1;
	if (more)
		writer_put(w, head, more); /* only makes room */
	if (w->rc)
		return;
	memmove(w->out->data + start + more, w->out->data + start, len);
	memcpy(w->out->data + start - 1, head, more + 1);
}

void writer_packed(struct writer *w, unsigned field, const uint32_t *numbers, size_t count)
{
	size_t start;

	if (!count)
		return;
	start = writer_begin(w, field);
	for (size_t i = 0; i < count; i++)
		writer_item(w, numbers[i]);
	writer_end(w, start);
}
