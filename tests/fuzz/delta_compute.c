// links: delta
/* Two profiles from one input: the first two bytes choose the length of the first one, and with
 * the third the options. They are added in turn. A delta that is written must decode; if one is
 * refused, nothing may have been written. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "delta/delta.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int to_buffer(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)err;
	return buffer_add(ctx, data, len);
}

static void must_decode(const struct buffer *delta)
{
	struct error err = { 0 };
	struct profile p;

	if (profile_init(&p))
		abort();
	if (profile_decode(&p, delta->data, delta->len, &err) == ERR_FORMAT)
		abort();
	profile_release(&p);
}

static void take(struct delta_computer *dc, const uint8_t *data, size_t len)
{
	struct buffer out = { 0 };
	struct error err = { 0 };
	uint8_t *copy = malloc(len + !len); /* exact, so that a read past its end is detected */

	if (!copy)
		abort();
	memcpy(copy, data, len);
	if (!delta_compute(dc, copy, len, to_buffer, &out, &err))
		must_decode(&out);
	else if (out.len)
		abort();
	buffer_release(&out);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct delta_type type = { "a", "b" };
	struct delta_options options = { .types = &type, .max_size = 1 << 20 };
	struct delta_computer *dc;
	struct error err = { 0 };
	size_t first;

	if (size < 3)
		return 0;
	first = (size_t)(data[0] & 0x7f) << 8 | data[1];
	options.type_count = data[0] >> 7;
	options.forget_after = data[2] & 3;
	options.allow_negative = data[2] >> 2 & 1;
	if (delta_new(&dc, &options, &err))
		abort();
	data += 3, size -= 3;
	first = first < size ? first : size;
	take(dc, data, first);
	take(dc, data + first, size - first);
	take(dc, data, first);
	delta_free(dc);
	return 0;
}
