/* Messages against bytes written by hand from protobuf's rules. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "pprof/wire/writer.h"

static void assert_written(struct buffer *out, const void *want, size_t len)
{
	cr_assert_eq(out->len, len, "%zu bytes, not %zu", out->len, len);
	cr_assert_arr_eq(out->data, want, len);
	buffer_release(out);
}

Test(writer, zero_is_left_out_unless_it_is_a_value)
{
	struct buffer out = { 0 };
	struct writer w = { .out = &out };

	writer_number(&w, 1, 0);
	writer_fixed64(&w, 1, 0);
	writer_packed(&w, 1, NULL, 0);
	writer_value(&w, 2, 0);
	writer_number(&w, 3, 300);
	writer_bytes(&w, 4, "", 0);
	writer_fixed64(&w, 5, 1);
	assert_written(&out, "\x10\x00\x18\xac\x02\x22\x00\x29\x01\0\0\0\0\0\0\0", 16);
}

Test(writer, fields_above_15_have_longer_tags)
{
	struct buffer out = { 0 };
	struct writer w = { .out = &out };
	size_t start = writer_begin(&w, 16);

	writer_number(&w, 16, 1);
	writer_end(&w, start);
	assert_written(&out, "\x82\x01\x03\x80\x01\x01", 6);
}

/* Lengths of one, two and three bytes, nested. */
Test(writer, a_long_message_is_moved_behind_its_length)
{
	static const uint32_t numbers[] = { 1, 300 };
	static const size_t lengths[] = { 0, 100, 127, 128, 16383, 16384, 70000 };
	char *text = calloc(1, 70000);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct buffer out = { 0 }, inner = { 0 }, want = { 0 };
		struct writer w = { .out = &out }, in = { .out = &inner },
			      by_hand = { .out = &want };
		size_t start = writer_begin(&w, 1), nested = writer_begin(&w, 2);

		writer_bytes(&w, 3, text, lengths[i]);
		writer_end(&w, nested);
		writer_packed(&w, 4, numbers, 2);
		writer_end(&w, start);

		writer_bytes(&in, 3, text, lengths[i]);
		writer_bytes(&by_hand, 2, inner.data, inner.len);
		writer_bytes(&by_hand, 4, "\x01\xac\x02", 3);
		inner.len = 0;
		buffer_add(&inner, want.data, want.len);
		want.len = 0;
		writer_bytes(&by_hand, 1, inner.data, inner.len);
		cr_assert_eq(w.rc, 0);
		assert_written(&out, want.data, want.len);
		buffer_release(&inner);
		buffer_release(&want);
	}
	free(text);
}
