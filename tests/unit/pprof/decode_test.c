/* The decoder against the encoder, against what other writers do that ours does
 * not, and against damage. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/decode.h"
#include "pprof/encode.h"
#include "pprof/profile.h"
#include "tests/unit/pprof/full.h"

/* An exact heap copy, so that a sanitizer sees a read past the end. */
static int decode(struct profile *p, const void *bytes, size_t len, struct error *err)
{
	uint8_t *copy = malloc(len ? len : 1);
	int rc;

	memcpy(copy, bytes, len);
	profile_init(p);
	rc = profile_decode(p, copy, len, err);
	free(copy);
	return rc;
}

static void assert_decodes(struct profile *p, const char *bytes, size_t len)
{
	struct error err = { 0 };

	cr_assert_eq(decode(p, bytes, len, &err), 0, "%s", err.text);
}

Test(decode, gives_back_what_was_encoded)
{
	struct buffer one = { 0 }, two = { 0 };
	struct profile p, q;

	fill_profile(&p);
	cr_assert_eq(profile_encode(&p, &one, NULL), 0);
	cr_assert_eq(decode(&q, one.data, one.len, NULL), 0);
	cr_assert_eq(q.sample_count, 2);
	cr_assert_eq(q.values[1], -1);
	cr_assert_eq(q.labels[1].num, -5);
	cr_assert_eq(q.mappings[0].offset, 0x1000);
	cr_assert(q.mappings[0].has_inline_frames);
	cr_assert_eq(q.locations[1].address, 0xffffffffff600000);
	cr_assert(q.locations[0].is_folded);
	cr_assert_eq(q.lines[0].column, 3);
	cr_assert_eq(q.time_nanos, 1700000000000000000);
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

	fill_profile(&p);
	profile_encode(&p, &whole, NULL);
	profile_release(&p);
	for (size_t n = 0; n < whole.len; n++) {
		struct error err = { 0 };
		int rc = decode(&p, whole.data, n, &err);

		cr_assert(rc == 0 || (rc == ERR_FORMAT && strstr(err.text, " at offset ")));
		profile_release(&p);
		for (int bit = 0; bit < 8; bit++) {
			whole.data[n] ^= 1 << bit;
			rc = decode(&p, whole.data, whole.len, &err);
			cr_assert(rc == 0 || (rc == ERR_FORMAT && strstr(err.text, " at offset ")));
			profile_release(&p);
			whole.data[n] ^= 1 << bit;
		}
	}
	buffer_release(&whole);
}

Test(decode, names_the_field_the_rule_and_the_place)
{
	static const struct { const char *bytes; size_t len; const char *message; } all[] = {
#define CASE(bytes, message) { bytes, sizeof(bytes) - 1, "profile: " message }
		CASE("", "'string_table' is missing at offset 0"),
		CASE("\x60\x01", "'string_table' is missing at offset 2"),
		CASE("\x32\x01x", "'string_table' does not begin with the empty string at offset 0"),
		CASE("\x32\x00\x48", "ends too early at offset 3"),
		CASE("\x32\x00\x32\x05" "abc", "ends too early at offset 4"),
		CASE("\x32\x00\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "ends too early at offset 13"),
		CASE("\x32\x00\x33", "unknown wire type at offset 3"),
		CASE("\x32\x00\x02\x00", "field number out of range at offset 3"),
		CASE("\x32\x00\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		     "number of more than 64 bits at offset 13"),
		CASE("\x32\x00\x70\x05", "'default_sample_type' is string 5 of only 1 at offset 2"),
		CASE("\x32\x00\x6a\x02\x00\x07", "'comment' is string 7 of only 1 at offset 2"),
		CASE("\x32\x00\x0a\x02\x10\x01", "'value_type.unit' is string 1 of only 1 at offset 4"),
		CASE("\x32\x00\x1a\x02\x28\x01", "'mapping.filename' is string 1 of only 1 at offset 4"),
		CASE("\x32\x00\x2a\x04\x08\x01\x10\x02",
		     "'function.name' is string 2 of only 1 at offset 6"),
		CASE("\x32\x00\x0a\x00\x12\x04\x1a\x02\x08\x03",
		     "'label.key' is string 3 of only 1 at offset 8"),
		CASE("\x32\x00\x1a\x00", "'mapping.id' is 0 or missing at offset 2"),
		CASE("\x32\x00\x2a\x00", "'function.id' is 0 or missing at offset 2"),
		CASE("\x32\x00\x22\x02\x08\x00", "'location.id' is 0 or missing at offset 2"),
		CASE("\x32\x00\x1a\x02\x08\x07\x1a\x02\x08\x07",
		     "'mapping.id' 7 is there a second time at offset 6"),
		CASE("\x32\x00\x2a\x02\x08\x01\x2a\x02\x08\x01",
		     "'function.id' 1 is there a second time at offset 6"),
		CASE("\x32\x00\x22\x04\x08\x01\x10\x09",
		     "'location.mapping_id' names 9, which is not there, at offset 6"),
		CASE("\x32\x00\x22\x06\x08\x01\x22\x02\x08\x04",
		     "'line.function_id' names 4, which is not there, at offset 8"),
		CASE("\x32\x00\x22\x06\x08\x01\x22\x02\x08\x00",
		     "'line.function_id' names 0, which is not there, at offset 8"),
		CASE("\x32\x00\x22\x06\x08\x01\x22\x02\x10\x05",
		     "'line.function_id' is missing at offset 6"),
		CASE("\x32\x00\x0a\x00\x12\x02\x08\x01",
		     "'sample.location_id' names 1, which is not there, at offset 6"),
		CASE("\x32\x00\x0a\x00\x12\x03\x0a\x01\x00",
		     "'sample.location_id' names 0, which is not there, at offset 6"),
		CASE("\x32\x00\x12\x02\x10\x01",
		     "'sample' is there without a sample type at offset 2"),
		CASE("\x32\x00\x0a\x00\x12\x04\x10\x01\x10\x01",
		     "'sample.value' has 2 values for 1 sample types at offset 4"),
		CASE("\x32\x00\x0a\x00\x12\x00",
		     "'sample.value' has 0 values for 1 sample types at offset 4"),
		CASE("\x32\x00\x0a\x00\x12\x03\x12\x01\x80", "ends too early at offset 9"),
		CASE("\x32\x00\x4d\x01\x02\x03\x04", "'time_nanos' has a wrong wire type at offset 2"),
		CASE("\x32\x00\x10\x01", "'sample' has a wrong wire type at offset 2"),
		CASE("\x32\x00\x0a\x00\x12\x09\x11\x01\x02\x03\x04\x05\x06\x07\x08",
		     "'sample.value' has a wrong wire type at offset 6"),
		CASE("\x30\x00", "'string_table' has a wrong wire type at offset 0"),
#undef CASE
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct error err = { 0 };
		struct profile p;

		cr_assert_eq(decode(&p, all[i].bytes, all[i].len, &err), ERR_FORMAT, "%s",
			     all[i].message);
		cr_assert_str_eq(err.text, all[i].message);
		profile_release(&p);
	}
}

/* Tables before the strings, samples before what they name. */
Test(decode, takes_fields_in_any_order)
{
	static const char bytes[] = "\x12\x06\x12\x01\x05\x0a\x01\x01" /* sample: value, then stack */
				    "\x22\x08\x22\x02\x08\x01\x10\x01\x08\x01" /* location */
				    "\x2a\x04\x10\x02\x08\x01"	       /* function: name, then id */
				    "\x1a\x04\x30\x01\x08\x01"	       /* mapping */
				    "\x70\x01\x0a\x04\x10\x02\x08\x01" /* default, sample type */
				    "\x32\x00\x32\x01" "a\x60\x07\x32\x01" "b";
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.values[0], 5);
	cr_assert_eq(p.period, 7);
	cr_assert_str_eq(strset_get(&p.strings, p.functions[0].name), "b");
	cr_assert_str_eq(strset_get(&p.strings, p.types[0].type), "a");
	cr_assert_str_eq(strset_get(&p.strings, p.default_type), "a");
	profile_release(&p);
}

Test(decode, takes_unpacked_numbers)
{
	static const char bytes[] = "\x32\x00\x0a\x00\x0a\x00\x0a\x00" /* "", three sample types */
				    "\x12\x0b\x08\x01\x10\x01\x10\x02\x08\x01\x12\x01\x03"
				    "\x22\x02\x08\x01"
				    "\x68\x00\x6a\x02\x00\x00"; /* comment, comments */
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.samples[0].locations, 2);
	cr_assert_eq(p.values[0], 1);
	cr_assert_eq(p.values[1], 2);
	cr_assert_eq(p.values[2], 3, "packed and unpacked in one message");
	cr_assert_eq(p.comment_count, 3);
	profile_release(&p);
}

Test(decode, makes_sparse_ids_dense)
{
	static const char bytes[] =
		"\x32\x00\x0a\x00"
		"\x22\x02\x08\x01" "\x22\x0d\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x05"
		"\x22\x04\x08\x02\x18\x07"			 /* locations 1, 2^64 - 1, 2 */
		"\x1a\x02\x08\x09\x1a\x02\x08\x05"		 /* mappings 9, 5 */
		"\x12\x11\x0a\x0c\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x12\x01\x00";
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.stack[0], 3);
	cr_assert_eq(p.stack[1], 2);
	cr_assert_eq(p.stack[2], 1);
	cr_assert_eq(p.locations[1].mapping, 2);
	profile_release(&p);
}

Test(decode, skips_unknown_fields_of_every_wire_type)
{
	static const char bytes[] = "\x32\x00\xba\x3e\x03xyz"	  /* field 999 */
				    "\x80\x01\x05"		  /* 16 */
				    "\x89\x01" "12345678"	  /* 17, fixed64 */
				    "\x95\x01" "1234"		  /* 18, fixed32 */
				    "\x1a\x04\x08\x01\x78\x63";	  /* mapping with a field 15 */
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.mapping_count, 1);
	profile_release(&p);
}

Test(decode, entries_that_are_the_same_become_one)
{
	static const char bytes[] = "\x32\x00\x32\x00\x32\x01x\x32\x01x\x0a\x00"
				    "\x2a\x04\x08\x05\x10\x02\x2a\x04\x08\x06\x10\x03"
				    "\x22\x06\x08\x01\x22\x02\x08\x05\x22\x06\x08\x02\x22\x02\x08\x06"
				    "\x12\x07\x0a\x02\x01\x02\x12\x01\x07";
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.strings.count, 2);
	cr_assert_eq(p.function_count, 1);
	cr_assert_eq(p.location_count, 1);
	cr_assert_eq(p.stack[0], p.stack[1]);
	profile_release(&p);
}

Test(decode, keeps_nuls_in_strings)
{
	static const char bytes[] = "\x32\x00\x32\x03" "a\0b\x0a\x02\x08\x01\x68\x01";
	struct buffer out = { 0 };
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.strings.count, 2);
	cr_assert_eq(p.types[0].type, 1);
	cr_assert_eq(p.comments[0], 1);
	cr_assert_eq(profile_encode(&p, &out, NULL), 0);
	cr_assert_eq(out.len, sizeof(bytes));
	buffer_release(&out);
	profile_release(&p);
}

/* A last field wins, as protobuf wants it; parts of a message are merged. */
Test(decode, repeated_single_fields)
{
	static const char bytes[] = "\x32\x00\x32\x01x\x60\x01\x60\x02"
				    "\x5a\x02\x08\x01\x5a\x02\x10\x01";
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.period, 2);
	cr_assert_eq(p.period_type.type, 1);
	cr_assert_eq(p.period_type.unit, 1);
	profile_release(&p);
}
