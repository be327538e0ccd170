/* The encoder against bytes written by hand from protobuf's rules, the decoder
 * against the encoder and against every truncation. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/outfile.h"
#include "pprof/decode.h"
#include "pprof/encode.h"
#include "pprof/gzip.h"
#include "pprof/profile.h"

/* A profile with every field set. */
static void fill(struct profile *p)
{
	struct profile_mapping m = { 0x400000, 0x500000, 0x1000, 0, 0, true, true, true, true };
	struct profile_function fn = { .start_line = 7 };
	struct profile_location loc = { .address = 0x400123, .is_folded = true };
	struct profile_line lines[2] = { { .line = 8, .column = 3 }, { .line = 300 } };
	struct profile_label labels[2] = { { 0 }, { .num = -5 } };
	int64_t values[2] = { 3, -1 };
	uint32_t ids[2];

	cr_assert_eq(profile_init(p), 0);
	profile_add_type(p, "samples", "count");
	profile_add_type(p, "cpu", "nanoseconds");
	profile_string(p, "/bin/x", &m.filename);
	profile_string(p, "abcd", &m.build_id);
	profile_add_mapping(p, &m, &loc.mapping);
	profile_string(p, "f", &fn.name);
	profile_string(p, "_Z1fv", &fn.system_name);
	profile_string(p, "f.c", &fn.filename);
	profile_add_function(p, &fn, &lines[0].function);
	fn.start_line = 9;
	profile_add_function(p, &fn, &lines[1].function);
	profile_add_location(p, &loc, lines, 2, &ids[0]);
	loc.address = 0xffffffffff600000;
	loc.is_folded = false;
	profile_add_location(p, &loc, NULL, 0, &ids[1]);
	profile_string(p, "thread", &labels[0].key);
	profile_string(p, "worker", &labels[0].str);
	profile_string(p, "tid", &labels[1].key);
	profile_string(p, "bytes", &labels[1].num_unit);
	profile_add_sample(p, ids, 2, values, labels, 2);
	profile_add_sample(p, ids, 0, values, NULL, 0);
	profile_add_comment(p, "a comment");
	p->time_nanos = 1700000000000000000;
	p->duration_nanos = 30000000000;
	p->period = 10101010;
	p->period_type = p->types[1];
	p->default_type = p->types[1].type;
	profile_string(p, "drop", &p->drop_frames);
	profile_string(p, "keep", &p->keep_frames);
	profile_string(p, "https://example.org", &p->doc_url);
}

Test(encode, writes_the_bytes_that_protobuf_wants)
{
	static const uint8_t want[] = {
		0x0a, 4, 0x08, 1, 0x10, 2,	  /* sample_type { type 1 unit 2 } */
		0x12, 7, 0x0a, 1, 1,		  /* sample { location_id [1] */
		0x12, 2, 0xac, 0x02,		  /*   value [300] } */
		0x22, 5, 0x08, 1, 0x18, 0x80, 0x02, /* location { id 1 address 256 } */
		0x32, 0, 0x32, 1, 'a', 0x32, 1, 'b', /* string_table */
		0x60, 5,			  /* period 5 */
	};
	struct profile_location loc = { .address = 256 };
	struct buffer out = { 0 };
	int64_t value = 300;
	struct profile p;
	uint32_t id;

	profile_init(&p);
	profile_add_type(&p, "a", "b");
	profile_add_location(&p, &loc, NULL, 0, &id);
	profile_add_sample(&p, &id, 1, &value, NULL, 0);
	p.period = 5;
	cr_assert_eq(profile_encode(&p, &out, NULL), 0);
	cr_assert_eq(out.len, sizeof(want));
	cr_assert_arr_eq(out.data, want, sizeof(want));
	buffer_release(&out);
	profile_release(&p);
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
	for (size_t n = 0; n < 40000; n = n * 5 / 2 + 60)
		profile_add_sample(&p, ids, n, &value, NULL, 0);
	cr_assert_eq(profile_encode(&p, &out, NULL), 0);
	cr_assert_eq(profile_decode(&q, out.data, out.len, NULL), 0);
	cr_assert_eq(q.sample_count, p.sample_count);
	for (size_t i = 0; i < p.sample_count; i++)
		cr_assert_eq(q.samples[i].locations, p.samples[i].locations);
	buffer_release(&out);
	profile_release(&p);
	profile_release(&q);
}

Test(encode, decode_gives_back_what_was_encoded)
{
	struct buffer one = { 0 }, two = { 0 };
	struct profile p, q;

	fill(&p);
	cr_assert_eq(profile_encode(&p, &one, NULL), 0);
	profile_init(&q);
	cr_assert_eq(profile_decode(&q, one.data, one.len, NULL), 0);
	cr_assert_eq(q.sample_count, 2);
	cr_assert_eq(q.values[1], -1);
	cr_assert_eq(q.labels[1].num, -5);
	cr_assert_eq(q.mappings[0].offset, 0x1000);
	cr_assert(q.mappings[0].has_inline_frames);
	cr_assert_eq(q.locations[1].address, 0xffffffffff600000);
	cr_assert(q.locations[0].is_folded);
	cr_assert_eq(q.lines[0].column, 3);
	cr_assert_str_eq(strset_get(&q.strings, q.functions[0].system_name), "_Z1fv");
	cr_assert_str_eq(strset_get(&q.strings, q.comments[0]), "a comment");
	cr_assert_str_eq(strset_get(&q.strings, q.doc_url), "https://example.org");
	cr_assert_eq(profile_encode(&q, &two, NULL), 0);
	cr_assert_eq(one.len, two.len);
	cr_assert_arr_eq(one.data, two.data, one.len);
	buffer_release(&one);
	buffer_release(&two);
	profile_release(&p);
	profile_release(&q);
}

Test(decode, survives_truncation_and_flips_at_every_byte)
{
	struct buffer whole = { 0 };
	struct profile p;

	fill(&p);
	profile_encode(&p, &whole, NULL);
	profile_release(&p);
	for (size_t n = 0; n < whole.len; n++) {
		uint8_t *copy = malloc(whole.len);
		struct error err = { 0 };
		int rc;

		memcpy(copy, whole.data, n);
		profile_init(&p);
		rc = profile_decode(&p, copy, n, &err);
		cr_assert(rc == 0 || (rc == ERR_FORMAT && strstr(err.text, "offset")));
		profile_release(&p);
		memcpy(copy, whole.data, whole.len);
		copy[n] ^= 0x41;
		profile_init(&p);
		profile_decode(&p, copy, whole.len, &err);
		profile_release(&p);
		free(copy);
	}
	buffer_release(&whole);
}

Test(decode, names_the_rule_and_the_place)
{
	static const struct { const char *bytes; size_t len; const char *what; } all[] = {
		{ "", 0, "no string table at offset 0" },
		{ "\x32\x01x", 3, "string table does not begin with the empty string at offset 2" },
		{ "\x32\x00\x48", 3, "ends too early at offset 3" },
		{ "\x32\x00\x70\x05", 4, "string index out of range at offset 4" },
		{ "\x32\x00\x1a\x00", 4, "id is 0 at offset 4" },
		{ "\x32\x00\x1a\x02\x08\x07\x1a\x02\x08\x07", 10, "id is there twice at offset 10" },
		{ "\x32\x00\x12\x02\x08\x01", 6, "sample names a location that is not there at offset 6" },
		{ "\x32\x00\x22\x04\x08\x01\x10\x09", 8,
		  "location names a mapping that is not there at offset 8" },
		{ "\x32\x00\x12\x02\x10\x01", 6,
		  "sample has another number of values than there are sample types at offset 6" },
		{ "\x32\x00\x33", 3, "unknown wire type at offset 3" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct error err = { 0 };
		struct profile p;

		profile_init(&p);
		cr_assert_eq(profile_decode(&p, all[i].bytes, all[i].len, &err), ERR_FORMAT, "%zu", i);
		cr_assert(strstr(err.text, all[i].what), "%s", err.text);
		profile_release(&p);
	}
}

Test(decode, takes_unpacked_numbers_and_sparse_ids)
{
	static const char bytes[] = "\x32\x00\x0a\x00\x0a\x00"	  /* "", two sample types */
				    "\x12\x06\x08\x09\x10\x01\x10\x02" /* 9; 1, 2: unpacked */
				    "\x22\x02\x08\x09"		  /* location 9 */
				    "\xba\x3e\x03xyz";		  /* unknown field 999 */
	struct profile p;

	profile_init(&p);
	cr_assert_eq(profile_decode(&p, bytes, sizeof(bytes) - 1, NULL), 0);
	cr_assert_eq(p.stack[0], 1, "ids become dense");
	cr_assert_eq(p.values[1], 2);
	profile_release(&p);
}

static int into_buffer(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)err;
	return buffer_add(ctx, data, len);
}

Test(gzip, round_trip_members_and_limits)
{
	struct buffer zipped = { 0 }, plain = { 0 };
	struct error err = { 0 };
	static char zeros[3000000];

	cr_assert_eq(gzip_compress("hello", 5, into_buffer, &zipped, NULL), 0);
	cr_assert_arr_eq(zipped.data, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8, "no flags, mtime 0");
	cr_assert_eq(zipped.data[9], 3);
	cr_assert_eq(gzip_compress(" world", 6, into_buffer, &zipped, NULL), 0);
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, 100, &plain, &err), 0);
	cr_assert_eq(plain.len, 11, "two members are one text");
	cr_assert_arr_eq(plain.data, "hello world", 11);
	for (size_t n = 0; n < zipped.len; n++) {
		plain.len = 0;
		if (n != 25) /* where the first member ends */
			cr_assert_neq(gzip_uncompress(zipped.data, n, 100, &plain, &err), 0, "%zu", n);
	}
	zipped.len = plain.len = 0;
	cr_assert_eq(gzip_compress(zeros, sizeof(zeros), into_buffer, &zipped, NULL), 0);
	cr_assert(zipped.len < 10000);
	cr_assert_eq(gzip_uncompress(zipped.data, zipped.len, 1000000, &plain, &err), ERR_LIMIT);
	cr_assert_str_eq(err.text, "more than 1000000 bytes when uncompressed");
	buffer_release(&zipped);
	buffer_release(&plain);
}

Test(file, is_read_back_and_broken_ones_are_named)
{
	char path[] = "/tmp/encode-test-XXXXXX";
	struct error err = { 0 };
	struct profile p, q;
	struct outfile f;

	close(mkstemp(path));
	fill(&p);
	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	cr_assert_eq(profile_write(&p, &f, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	profile_init(&q);
	cr_assert_eq(profile_read(&q, path, 0, &err), 0);
	cr_assert_eq(q.sample_count, 2);
	profile_release(&q);
	profile_init(&q);
	cr_assert_eq(profile_read(&q, path, 50, &err), ERR_LIMIT);
	cr_assert(strstr(err.text, path));
	profile_release(&q);
	profile_release(&p);
	unlink(path);
}

Test(model, keeps_functions_and_locations_once)
{
	struct profile_function fn = { 0 };
	struct profile_location loc = { .address = 1 };
	struct profile_line line = { .line = 1 };
	uint32_t a, b, c;
	struct profile p;

	profile_init(&p);
	profile_add_function(&p, &fn, &a);
	profile_add_function(&p, &fn, &b);
	cr_assert_eq(a, b);
	fn.start_line = 1;
	profile_add_function(&p, &fn, &b);
	cr_assert_neq(a, b);
	line.function = a;
	profile_add_location(&p, &loc, &line, 1, &a);
	profile_add_location(&p, &loc, &line, 1, &b);
	line.column = 4;
	profile_add_location(&p, &loc, &line, 1, &c);
	cr_assert_eq(a, b);
	cr_assert_neq(a, c);
	profile_release(&p);
}
