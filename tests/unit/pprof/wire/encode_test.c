/* The encoder against bytes written by hand from protobuf's rules. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "tests/unit/pprof/full.h"

static void assert_encodes_to(struct profile *p, const void *want, size_t len)
{
	struct buffer out = { 0 };

	cr_assert_eq(profile_encode(p, &out, NULL), 0);
	cr_assert_eq(out.len, len, "%zu bytes, not %zu", out.len, len);
	cr_assert_arr_eq(out.data, want, len);
	buffer_release(&out);
	profile_release(p);
}

Test(encode, empty_profile_is_an_empty_string)
{
	struct profile p;

	profile_init(&p);
	assert_encodes_to(&p, "\x32\x00", 2);
}

Test(encode, writes_the_bytes_that_protobuf_requires)
{
	static const uint8_t want[] = {
		0x0a, 4, 0x08, 1,    0x10, 2,		    /* sample_type { type 1 unit 2 } */
		0x12, 7, 0x0a, 1,    1,			    /* sample { location_id [1] */
		0x12, 2, 0xac, 0x02,			    /*   value [300] } */
		0x22, 5, 0x08, 1,    0x18, 0x80, 0x02,	    /* location { id 1 address 256 } */
		0x32, 0, 0x32, 1,    'a',  0x32, 1,    'b', /* string_table */
		0x60, 5,				    /* period 5 */
	};
	struct profile_location loc = { .address = 256 };
	int64_t value = 300;
	struct profile p;
	uint32_t id;

	profile_init(&p);
	profile_add_type(&p, "a", "b");
	profile_add_location(&p, &loc, NULL, 0, &id);
	profile_add_sample(&p, &id, 1, &value, NULL, 0);
	p.period = 5;
	assert_encodes_to(&p, want, sizeof(want));
}

Test(encode, writes_every_field)
{
	static const uint8_t want[] =
		"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04" /* sample_type */
		"\x12\x28\x0a\x02\x01\x02"			   /* sample { location_id [1 2] */
		"\x12\x0b\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" /*   value [3 -1] */
		"\x1a\x04\x08\x0a\x10\x0b"			       /*   label { key str } */
		"\x1a\x0f\x08\x0c\x18\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x0d"
		"\x12\x0d\x12\x0b\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" /* no stack */
		"\x1a\x1b\x08\x01\x10\x80\x80\x80\x02\x18\x80\x80\xc0\x02\x20\x80\x20"
		"\x28\x05\x30\x06\x38\x01\x40\x01\x48\x01\x50\x01" /* mapping */
		"\x22\x1a\x08\x01\x10\x01\x18\xa3\x82\x80\x02"	   /* location { line, line } */
		"\x22\x06\x08\x01\x10\x08\x18\x03\x22\x05\x08\x02\x10\xac\x02\x28\x01"
		"\x22\x0f\x08\x02\x10\x01\x18\x80\x80\x80\xfb\xff\xff\xff\xff\xff\x01"
		"\x2a\x0a\x08\x01\x10\x07\x18\x08\x20\x09\x28\x07" /* function */
		"\x2a\x0a\x08\x02\x10\x07\x18\x08\x20\x09\x28\x09"
		"\x32\x00\x32\x07samples\x32\x05"
		"count\x32\x03"
		"cpu\x32\x0bnanoseconds"
		"\x32\x06/bin/x\x32\x04"
		"abcd\x32\x01"
		"f\x32\x05_Z1fv\x32\x03"
		"f.c"
		"\x32\x06thread\x32\x06worker\x32\x03tid\x32\x05"
		"bytes\x32\x09"
		"a comment"
		"\x32\x04"
		"drop\x32\x04keep\x32\x13https://example.org"
		"\x38\x0f\x40\x10"			       /* drop_frames, keep_frames */
		"\x48\x80\x80\xa8\xb1\xe3\x9f\xe7\xcb\x17"     /* time_nanos */
		"\x50\x80\xd8\x8e\xe1\x6f"		       /* duration_nanos */
		"\x5a\x04\x08\x03\x10\x04\x60\x92\xc2\xe8\x04" /* period_type, period */
		"\x6a\x01\x0e\x70\x03\x78\x11";		       /* comment, default, doc_url */
	struct profile p;

	fill_profile(&p);
	assert_encodes_to(&p, want, sizeof(want) - 1);
}

Test(encode, lengths_of_more_than_one_byte)
{
	struct buffer out = { 0 };
	struct profile p, q;
	int64_t value = 1;
	uint32_t ids[40000];

	profile_init(&p);
	profile_init(&q);
	profile_add_type(&p, "a", "b");
	for (uint32_t i = 0; i < 40000; i++) {
		struct profile_location loc = { .address = i + 1 };

		profile_add_location(&p, &loc, NULL, 0, &ids[i]);
	}
	for (size_t n = 0; n < 40000; n = n < 200 ? n + 1 : n * 5 / 2)
		profile_add_sample(&p, ids, n, &value, NULL, 0);
	cr_assert_eq(profile_encode(&p, &out, NULL), 0);
	cr_assert_eq(profile_decode(&q, out.data, out.len, NULL), 0);
	cr_assert_eq(q.sample_count, p.sample_count);
	for (size_t i = 0; i < p.sample_count; i++)
		cr_assert_eq(q.samples[i].locations, p.samples[i].locations);
	cr_assert_eq(q.stack_count, p.stack_count);
	cr_assert_arr_eq(q.stack, p.stack, p.stack_count * sizeof(*p.stack));
	buffer_release(&out);
	profile_release(&p);
	profile_release(&q);
}

Test(encode, same_profile_same_bytes)
{
	struct buffer one = { 0 }, two = { 0 };
	struct profile p, q;

	fill_profile(&p);
	fill_profile(&q);
	cr_assert_eq(profile_encode(&p, &one, NULL), 0);
	cr_assert_eq(profile_encode(&q, &two, NULL), 0);
	cr_assert_eq(one.len, two.len);
	cr_assert_arr_eq(one.data, two.data, one.len);
	buffer_release(&one);
	buffer_release(&two);
	profile_release(&p);
	profile_release(&q);
}

Test(encode, appends_to_what_is_there)
{
	struct buffer out = { 0 };
	struct profile p;

	profile_init(&p);
	buffer_add(&out, "xyz", 3);
	cr_assert_eq(profile_encode(&p, &out, NULL), 0);
	cr_assert_eq(out.len, 5);
	cr_assert_arr_eq(out.data, "xyz\x32\x00", 5);
	buffer_release(&out);
	profile_release(&p);
}
