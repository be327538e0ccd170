/* The decoder with files of our encoder, with files as only other writers make them, and with
 * damaged ones. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/append.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "tests/unit/pprof/full.h"

/* Decodes a heap copy of exactly that size, so that a sanitizer detects a read past the end. */
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

static const struct {
	const char *bytes;
	size_t len;
	const char *message;
} broken[] = {
#define CASE(bytes, message) { bytes, sizeof(bytes) - 1, "profile: " message }
	CASE("", "'string_table' is missing at offset 0"),
	CASE("\x60\x01", "'string_table' is missing at offset 2"),
	CASE("\x32\x01x",
	     "'string_table' does not begin with the empty string at offset 0, in string 1"),
	CASE("\x32\x00\x48", "ends too early at offset 3"),
	CASE("\x32\x00\x32\x05"
	     "abc",
	     "ends too early at offset 4"),
	CASE("\x32\x00\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "ends too early at offset 13"),
	CASE("\x32\x00\x33", "unknown wire type at offset 3"),
	CASE("\x32\x00\x34", "unknown wire type at offset 3"),
	CASE("\x32\x00\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	     "number of more than 10 bytes at offset 13"),
	CASE("\x32\x00\x70\x05", "'default_sample_type' is string 5 of only 1 at offset 2"),
	CASE("\x32\x00\x6a\x02\x00\x07", "'comment' is string 7 of only 1 at offset 2"),
	CASE("\x32\x00\x0a\x02\x10\x01",
	     "'value_type.unit' is string 1 of only 1 at offset 4, in sample type 1"),
	CASE("\x32\x00\x1a\x02\x28\x01",
	     "'mapping.filename' is string 1 of only 1 at offset 4, in mapping 1"),
	CASE("\x32\x00\x2a\x04\x08\x01\x10\x02",
	     "'function.name' is string 2 of only 1 at offset 6, in function 1 (id 1)"),
	CASE("\x32\x00\x0a\x00\x12\x04\x1a\x02\x08\x03",
	     "'label.key' is string 3 of only 1 at offset 8, in sample 1"),
	CASE("\x32\x00\x0a\x00\x12\x06\x1a\x04\x18\x01\x20\x03",
	     "'label.num_unit' is string 3 of only 1 at offset 6, in sample 1"),
	CASE("\x32\x00\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	     "'drop_frames' is string 18446744073709551615 of only 1 at offset 2"),
	CASE("\x32\x00\x2a\x06\x08\x01\x20\x00\x20\x07",
	     "'function.filename' is string 7 of only 1 at offset 8, in function 1 (id 1)"),
	CASE("\x32\x00\x5a\x02\x08\x03\x12\x02\x10\x01\x0a\x00",
	     "'value_type.type' is string 3 of only 1 at offset 4"),
	CASE("\x32\x00\x1a\x00", "'mapping.id' is 0 or missing at offset 2, in mapping 1"),
	CASE("\x32\x00\x2a\x00", "'function.id' is 0 or missing at offset 2, in function 1"),
	CASE("\x32\x00\x22\x02\x08\x00",
	     "'location.id' is 0 or missing at offset 2, in location 1"),
	CASE("\x32\x00\x1a\x02\x08\x07\x1a\x02\x08\x07",
	     "'mapping.id' 7 is there a second time at offset 6, in mapping 2 (id 7)"),
	CASE("\x32\x00\x2a\x02\x08\x01\x2a\x02\x08\x01",
	     "'function.id' 1 is there a second time at offset 6, in function 2 (id 1)"),
	CASE("\x32\x00\x22\x06\x08\x01\x22\x02\x08\x04",
	     "'line.function_id' names 4, which is not there, at offset 8, in location 1 (id 1)"),
	CASE("\x32\x00\x22\x06\x08\x01\x22\x02\x08\x00",
	     "'line.function_id' names 0, which is not there, at offset 8, in location 1 (id 1)"),
	CASE("\x32\x00\x22\x06\x08\x01\x22\x02\x10\x05",
	     "'line.function_id' is missing at offset 6, in location 1 (id 1)"),
	CASE("\x32\x00\x0a\x00\x12\x02\x08\x01",
	     "'sample.location_id' names 1, which is not there, at offset 6, in sample 1"),
	CASE("\x32\x00\x0a\x00\x12\x03\x0a\x01\x00",
	     "'sample.location_id' names 0, which is not there, at offset 6, in sample 1"),
	CASE("\x32\x00\x12\x02\x10\x01",
	     "'sample' is there without a sample type at offset 2, in sample 1"),
	CASE("\x32\x00\x0a\x00\x12\x04\x10\x01\x10\x01",
	     "'sample.value' has 2 values for 1 sample types at offset 4, in sample 1"),
	CASE("\x32\x00\x0a\x00\x12\x00",
	     "'sample.value' has 0 values for 1 sample types at offset 4, in sample 1"),
	CASE("\x32\x00\x0a\x00\x12\x03\x12\x01\x80", "ends too early at offset 9, in sample 1"),
	CASE("\x32\x00\x4d\x01\x02\x03\x04", "'time_nanos' has a wrong wire type at offset 2"),
	CASE("\x32\x00\x10\x01", "'sample' has a wrong wire type at offset 2"),
	CASE("\x32\x00\x0a\x00\x12\x09\x11\x01\x02\x03\x04\x05\x06\x07\x08",
	     "'sample.value' has a wrong wire type at offset 6, in sample 1"),
	CASE("\x30\x00", "'string_table' has a wrong wire type at offset 0"),
#undef CASE
};

Test(decode, names_the_field_the_rule_the_offset_and_the_entry)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct error err = { 0 };
		struct profile p;

		cr_assert_eq(decode(&p, broken[i].bytes, broken[i].len, &err), ERR_FORMAT, "%s",
			     broken[i].message);
		cr_assert_str_eq(err.text, broken[i].message);
		profile_release(&p);
	}
}

/* Tables come before the strings, samples before the entries that they refer to. */
Test(decode, takes_fields_in_any_order)
{
	static const char bytes[] =
		"\x12\x06\x12\x01\x05\x0a\x01\x01"	   /* sample: value, then stack */
		"\x22\x08\x22\x02\x08\x01\x10\x01\x08\x01" /* location */
		"\x2a\x04\x10\x02\x08\x01"		   /* function: name, then id */
		"\x1a\x04\x30\x01\x08\x01"		   /* mapping */
		"\x70\x01\x0a\x04\x10\x02\x08\x01"	   /* default, sample type */
		"\x32\x00\x32\x01"
		"a\x60\x07\x32\x01"
		"b";
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
		"\x22\x02\x08\x01"
		"\x22\x0d\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x05"
		"\x22\x04\x08\x02\x18\x07"	   /* locations 1, 2^64 - 1, 2 */
		"\x1a\x02\x08\x09\x1a\x02\x08\x05" /* mappings 9, 5 */
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
	static const char bytes[] = "\x32\x00\xba\x3e\x03xyz" /* field 999 */
				    "\x80\x01\x05"	      /* 16 */
				    "\x89\x01"
				    "12345678" /* 17, fixed64 */
				    "\x95\x01"
				    "1234"			/* 18, fixed32 */
				    "\x1a\x04\x08\x01\x78\x63"; /* mapping with a field 15 */
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.mapping_count, 1);
	profile_release(&p);
}

/* Equal strings are kept once; other equal entries are all kept. */
Test(decode, strings_alone_become_one)
{
	static const char bytes[] =
		"\x32\x00\x32\x00\x32\x01x\x32\x01x\x0a\x00"
		"\x2a\x04\x08\x05\x10\x02\x2a\x04\x08\x06\x10\x03"
		"\x22\x06\x08\x01\x22\x02\x08\x05\x22\x06\x08\x02\x22\x02\x08\x06"
		"\x12\x07\x0a\x02\x01\x02\x12\x01\x07";
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.strings.count, 2);
	cr_assert_eq(p.function_count, 2);
	cr_assert_eq(p.functions[0].name, p.functions[1].name);
	cr_assert_eq(p.location_count, 2);
	cr_assert_eq(p.lines[1].function, 2);
	cr_assert_eq(p.stack[0], 1);
	cr_assert_eq(p.stack[1], 2);
	profile_release(&p);
}

/* Adding to a decoded profile finds existing entries, and the first of two equal ones. */
Test(decode, may_be_added_to)
{
	static const char bytes[] =
		"\x32\x00\x32\x01x\x0a\x00"
		"\x2a\x02\x08\x01\x2a\x04\x08\x02\x10\x01"
		"\x2a\x04\x08\x03\x10\x01"
		"\x22\x06\x08\x01\x22\x02\x08\x03\x22\x06\x08\x02\x22\x02\x08\x03";
	struct profile_function fn = { .name = 1 };
	struct profile_line line = { .function = 3 };
	struct profile_location loc = { 0 };
	struct profile p;
	uint32_t id;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(profile_add_function(&p, &fn, &id), 0);
	cr_assert_eq(id, 2);
	cr_assert_eq(profile_add_location(&p, &loc, &line, 1, &id), 0);
	cr_assert_eq(id, 1);
	for (uint32_t i = 1; i <= 100; i++) {
		fn.start_line = line.line = i;
		cr_assert_eq(profile_add_function(&p, &fn, &id), 0);
		cr_assert_eq(id, 3 + i);
		cr_assert_eq(profile_add_location(&p, &loc, &line, 1, &id), 0);
		cr_assert_eq(id, 2 + i);
	}
	fn.start_line = line.line = 50;
	profile_add_function(&p, &fn, &id);
	cr_assert_eq(id, 53);
	profile_add_location(&p, &loc, &line, 1, &id);
	cr_assert_eq(id, 52);
	profile_release(&p);
}

/* What google/pprof accepts, although it does not conform to profile.proto. */
Test(decode, is_as_lenient_as_google)
{
	static const char bytes[] =
		"\x32\x00\x32\x01x\x0a\x00\x02\x00\x00\x07"    /* field 0, twice */
		"\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f" /* more than 64 bits */
		"\x22\x04\x08\x01\x10\x09"		       /* a mapping that is not there */
		"\x12\x0c\x10\x01\x1a\x08\x08\x01\x10\x01\x18\x05\x20\x63"; /* string and number,
										 unit out of range */
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.time_nanos, -1);
	cr_assert_eq(p.locations[0].mapping, 0);
	cr_assert_eq(p.labels[0].str, 1);
	cr_assert_eq(p.labels[0].num, 0);
	cr_assert_eq(p.labels[0].num_unit, 0);
	profile_release(&p);
}

Test(decode, keeps_bytes_that_are_no_utf8)
{
	static const char bytes[] = "\x32\x00\x32\x03\xff\xfe\xc0\x68\x01";
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_str_eq(strset_get(&p.strings, p.comments[0]), "\xff\xfe\xc0");
	profile_release(&p);
}

static void put_varint(struct buffer *b, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (uint8_t)(v | 0x80);
	bytes[n++] = (uint8_t)v;
	buffer_add(b, bytes, n);
}

/* Packed numbers of all lengths in one array, and arrays of 1 to 40 numbers. */
Test(decode, unpacks_numbers_of_every_length)
{
	struct buffer file = { 0 }, sample = { 0 }, packed = { 0 }, out = { 0 };
	int64_t values[40];
	struct profile p;

	for (size_t i = 0; i < 40; i++)
		values[i] = (int64_t)(((uint64_t)1 << (i * 29 % 64)) - i % 2);
	for (size_t n = 1; n <= 40; n++) {
		file.len = sample.len = packed.len = out.len = 0;
		buffer_add(&file, "\x32\x00", 2);
		for (size_t i = 0; i < n; i++) {
			buffer_add(&file, "\x0a\x00", 2);
			put_varint(&packed, (uint64_t)values[i]);
		}
		buffer_add(&sample, "\x12", 1);
		put_varint(&sample, packed.len);
		buffer_add(&sample, packed.data, packed.len);
		buffer_add(&file, "\x12", 1);
		put_varint(&file, sample.len);
		buffer_add(&file, sample.data, sample.len);
		assert_decodes(&p, (char *)file.data, file.len);
		cr_assert_eq(p.value_count, n);
		cr_assert_arr_eq(p.values, values, n * sizeof(*values));
		profile_release(&p);
	}
	buffer_release(&file);
	buffer_release(&sample);
	buffer_release(&packed);
	buffer_release(&out);
}

/* Ids of one to four bytes, through decoder and encoder. */
Test(decode, stacks_of_many_locations)
{
	enum { LOCATIONS = 2200000, STACK = 1000 };
	struct buffer one = { 0 }, two = { 0 };
	struct profile_location loc = { 0 };
	uint32_t stack[STACK], id;
	int64_t value = 1;
	struct profile p, q;

	profile_init(&p);
	profile_add_type(&p, "a", "b");
	for (uint32_t i = 0; i < LOCATIONS; i++)
		profile_append_location(&p, &loc);
	for (uint32_t i = 0; i < STACK; i++) {
		id = (uint32_t)((uint64_t)i * i * i * 2654435761u >> i % 24) % LOCATIONS;
		stack[i] = id + 1;
	}
	for (size_t n = 0; n < STACK; n += 13)
		profile_add_sample(&p, stack + n, STACK - n, &value, NULL, 0);
	cr_assert_eq(profile_encode(&p, &one, NULL), 0);
	assert_decodes(&q, (char *)one.data, one.len);
	cr_assert_eq(q.stack_count, p.stack_count);
	cr_assert_arr_eq(q.stack, p.stack, p.stack_count * sizeof(*p.stack));
	cr_assert_eq(profile_encode(&q, &two, NULL), 0);
	cr_assert_eq(one.len, two.len);
	cr_assert_eq(memcmp(one.data, two.data, one.len), 0);
	buffer_release(&one);
	buffer_release(&two);
	profile_release(&p);
	profile_release(&q);
}

/* Entries of different tables alternate, and some refer to entries that come later. */
Test(decode, takes_tables_in_pieces)
{
	static const char bytes[] = "\x32\x00\x22\x02\x08\x01\x2a\x02\x08\x01\x12\x05\x0a\x01\x02"
				    "\x10\x05\x22\x06\x08\x02\x22\x02\x08\x02\x0a\x02\x08\x01"
				    "\x32\x01y\x2a\x04\x08\x02\x10\x01\x12\x02\x10\x07";
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.sample_count, 2);
	cr_assert_eq(p.stack[0], 2);
	cr_assert_eq(p.values[1], 7);
	cr_assert_eq(p.lines[0].function, 2);
	cr_assert_str_eq(strset_get(&p.strings, p.functions[1].name), "y");
	profile_release(&p);
}

Test(decode, keeps_nuls_in_strings)
{
	static const char bytes[] = "\x32\x00\x32\x03"
				    "a\0b\x0a\x02\x08\x01\x68\x01";
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

/* A reference that a later field of the same message replaces may be invalid. */
Test(decode, only_last_references_count)
{
	static const char bytes[] =
		"\x32\x00\x32\x01x"
		"\x38\x07\x38\x01"			    /* drop_frames */
		"\x5a\x02\x08\x09\x5a\x04\x10\x01\x08\x01"  /* period_type */
		"\x0a\x04\x08\x05\x08\x01"		    /* sample_type */
		"\x1a\x06\x08\x01\x28\x63\x28\x01"	    /* mapping */
		"\x2a\x06\x08\x01\x10\x63\x10\x01"	    /* function */
		"\x22\x08\x08\x01\x22\x04\x08\x09\x08\x01"  /* a location's line */
		"\x12\x08\x10\x01\x1a\x04\x08\x63\x08\x01"; /* a sample's label */
	struct profile p;

	assert_decodes(&p, bytes, sizeof(bytes) - 1);
	cr_assert_eq(p.drop_frames, 1);
	cr_assert_eq(p.period_type.type, 1);
	cr_assert_eq(p.period_type.unit, 1);
	cr_assert_eq(p.types[0].type, 1);
	cr_assert_eq(p.mappings[0].filename, 1);
	cr_assert_eq(p.functions[0].name, 1);
	cr_assert_eq(p.lines[0].function, 1);
	cr_assert_eq(p.labels[0].key, 1);
	profile_release(&p);
}

/* The last of several fields counts, as protobuf requires; parts of a message are merged. */
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

/* Labels of two bytes take twelve times as many when decoded; all in one sample, or one in each. */
Test(decode, memory_is_bounded)
{
	enum { LABELS = 300000, LIMIT = 1 << 20 };

	for (int samples = 0; samples <= 1; samples++) {
		struct buffer b = { 0 };
		struct profile p;
		struct error err;

		cr_assert(!buffer_add(&b, "\x0a\x04\x08\x01\x10\x01\x32\x00\x32\x01x", 11));
		if (!samples) /* its length: 2 for the value and LABELS * 2, in three bytes */
			cr_assert(!buffer_add(&b, "\x12\xc2\xcf\x24\x10\x01", 6));
		for (size_t i = 0; i < LABELS; i++)
			cr_assert(!buffer_add(&b, samples ? "\x12\x04\x10\x01\x1a\x00" : "\x1a\x00",
					      samples ? 6 : 2));
		cr_assert_eq(profile_init(&p), 0);
		cr_assert_eq(profile_decode_within(&p, b.data, b.len, LIMIT, &err), ERR_LIMIT);
		cr_assert(strstr(err.text, "more than 1048576 bytes of tables at offset "), "%s",
			  err.text);
		profile_release(&p);
		cr_assert_eq(profile_init(&p), 0);
		cr_assert_eq(profile_decode(&p, b.data, b.len, &err), 0, "%s", err.text);
		cr_assert_eq(p.label_count, LABELS);
		profile_release(&p);
		buffer_release(&b);
	}
}
