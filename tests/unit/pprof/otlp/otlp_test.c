/* The encoder; tests/profiles/otlp.test reads its messages by another program. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/otlp/otlp.h"
#include "pprof/profile.h"
#include "tests/unit/pprof/full.h"

static bool contains(const struct buffer *b, const char *text)
{
	return memmem(b->data, b->len, text, strlen(text));
}

Test(otlp, the_same_profile_gives_the_same_bytes)
{
	struct buffer one = { 0 }, two = { 0 };
	struct profile p;

	fill_profile(&p);
	cr_assert_eq(otlp_encode(&p, &(struct otlp_origin){ 0 }, &one, NULL), 0);
	cr_assert_eq(otlp_encode(&p, &(struct otlp_origin){ 0 }, &two, NULL), 0);
	cr_assert_eq(one.len, two.len);
	cr_assert_arr_eq(one.data, two.data, one.len);
	buffer_release(&one);
	buffer_release(&two);
	profile_release(&p);
}

Test(otlp, origin_is_text_or_a_number)
{
	static const struct otlp_attribute resource[] = { { "host.name", "a\xff", 0 },
							  { "process.pid", NULL, 300 } };
	static const struct otlp_attribute scope[] = { { "sampler.profile", "cpu", 0 } };
	struct otlp_origin origin = { { resource, 2 }, { scope, 1 } };
	struct buffer out = { 0 };
	struct profile p;

	fill_profile(&p);
	cr_assert_eq(otlp_encode(&p, &origin, &out, NULL), 0);
	cr_assert(contains(&out, "\x0a\x13\x0a\x09host.name\x12\x06\x0a\x04"
				 "a\xef\xbf\xbd"));
	cr_assert(contains(&out, "\x0a\x12\x0a\x0bprocess.pid\x12\x03\x18\xac\x02"));
	cr_assert(contains(&out, "\x1a\x18\x0a\x0fsampler.profile\x12\x05\x0a\x03"
				 "cpu"));
	buffer_release(&out);
	profile_release(&p);
}

Test(otlp, appends_to_what_is_there)
{
	struct buffer out = { 0 };
	struct profile p;

	profile_init(&p);
	buffer_add(&out, "head", 4);
	cr_assert_eq(otlp_encode(&p, &(struct otlp_origin){ 0 }, &out, NULL), 0);
	cr_assert_arr_eq(out.data, "head\x0a", 5);
	buffer_release(&out);
	profile_release(&p);
}
