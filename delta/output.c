/* Records are gathered in a block of OUTPUT_BLOCK bytes; a record that is larger goes to the sink
 * by itself. */
#include "delta/output.h"

void output_begin(struct output *o, delta_sink *sink, void *ctx, struct error *err)
{
	o->sink = sink;
	o->ctx = ctx;
	o->err = err;
	o->rc = 0;
	o->len = 0;
}

void output_flush(struct output *o)
{
	if (!o->rc && o->len)
		o->rc = o->sink(o->ctx, o->block, o->len, o->err);
	o->len = 0;
}

int output_end(struct output *o)
{
	output_flush(o);
	return o->rc;
}

void output_bytes(struct output *o, const void *data, size_t len)
{
	if (len > OUTPUT_BLOCK - o->len)
		output_flush(o);
	if (len > OUTPUT_BLOCK) {
		if (!o->rc)
			o->rc = o->sink(o->ctx, data, len, o->err);
		return;
	}
	if (len)
		memcpy(o->block + o->len, data, len);
	o->len += len;
}
