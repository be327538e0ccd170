/* Profiles are made from a small notation: each sample is a stack of addresses, one label, and its
 * values. Deltas are decoded, and the values of single stacks are compared. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "delta/delta.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"

enum { COLUMNS = 4, DEPTH_MAX = 4 };

struct one {
	uint64_t stack[DEPTH_MAX]; /* ends at a 0 */
	int64_t size;		   /* the label; 0: none */
	int64_t values[COLUMNS];
};

struct file {
	const struct one *samples;
	size_t count;
	int64_t time;
	uint64_t start, shift; /* the mapping's address; is added to addresses */
	const char *build_id;
	bool backwards; /* the tables are in another order */
};

static const char *const types[COLUMNS][2] = { { "alloc_objects", "count" },
					       { "alloc_space", "bytes" },
					       { "inuse_objects", "count" },
					       { "inuse_space", "bytes" } };

static uint32_t add_place(struct profile *p, uint64_t address, uint64_t shift)
{
	struct profile_location l = { .mapping = 1, .address = address + shift };
	struct profile_line line = { .line = (int64_t)address };
	struct profile_function f = { .start_line = 1 };
	char name[32];
	uint32_t id;

	snprintf(name, sizeof(name), "f%lu", address);
	cr_assert(!profile_string(p, name, &f.name) &&
		  !profile_add_function(p, &f, &line.function) &&
		  !profile_add_location(p, &l, &line, 1, &id));
	return id;
}

static void add_one(struct profile *p, const struct file *file, const struct one *s)
{
	struct profile_label label = { .num = s->size };
	uint32_t stack[DEPTH_MAX];
	size_t depth = 0;

	for (; depth < DEPTH_MAX && s->stack[depth]; depth++)
		stack[depth] = add_place(p, s->stack[depth], file->shift);
	cr_assert(!profile_string(p, "bytes", &label.key));
	label.num_unit = label.key;
	cr_assert(!profile_add_sample(p, stack, depth, s->values, &label, s->size ? 1 : 0));
}

static struct buffer encode(const struct file *file)
{
	struct profile_mapping m = { .start = file->start ? file->start : 0x1000 };
	struct buffer out = { 0 };
	struct profile p;
	struct error err;
	uint32_t id;

	cr_assert(!profile_init(&p));
	for (size_t i = 0; i < COLUMNS; i++)
		cr_assert(!profile_add_type(&p, types[i][0], types[i][1]));
	m.limit = m.start + 0x100000;
	cr_assert(!profile_string(&p, file->build_id, &m.build_id) &&
		  !profile_add_mapping(&p, &m, &id));
	if (file->backwards)
		for (uint64_t i = 50; i > 0; i--)
			add_place(&p, i, file->shift);
	for (size_t i = 0; i < file->count; i++)
		add_one(&p, file, &file->samples[i]);
	p.time_nanos = file->time;
	p.duration_nanos = 77;
	cr_assert_eq(profile_encode(&p, &out, &err), 0);
	profile_release(&p);
	return out;
}

static int to_buffer(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)err;
	return buffer_add(ctx, data, len);
}

static struct delta_computer *computer(struct delta_options options)
{
	struct delta_computer *dc;
	struct error err;

	cr_assert_eq(delta_new(&dc, &options, &err), 0);
	return dc;
}

/* Returns the delta of a file, decoded. */
static struct profile take(struct delta_computer *dc, struct file file)
{
	struct buffer in = encode(&file), out = { 0 };
	struct profile p;
	struct error err;

	cr_assert_eq(delta_compute(dc, in.data, in.len, to_buffer, &out, &err), 0, "%s", err.text);
	cr_assert_eq(profile_init(&p), 0);
	cr_assert_eq(profile_decode(&p, out.data, out.len, &err), 0, "%s", err.text);
	buffer_release(&in);
	buffer_release(&out);
	return p;
}

#define FILE_OF(array) { .samples = array, .count = sizeof(array) / sizeof(*array) }

static const char *leaf_name(const struct profile *p, const struct profile_sample *s)
{
	const struct profile_location *l = &p->locations[p->stack[s->first_location] - 1];

	return strset_get(&p->strings, p->functions[p->lines[l->first_line].function - 1].name);
}

/* The values of the sample with that leaf function; NULL: there is none. */
static const int64_t *values_of(const struct profile *p, const char *leaf)
{
	const int64_t *found = NULL;

	for (size_t i = 0; i < p->sample_count; i++)
		if (!strcmp(leaf_name(p, &p->samples[i]), leaf)) {
			cr_assert_null(found, "%s is there twice", leaf);
			found = p->values + p->samples[i].first_value;
		}
	return found;
}

static void expect(const struct profile *p, const char *leaf, int64_t a, int64_t b, int64_t c,
		   int64_t d)
{
	const int64_t want[COLUMNS] = { a, b, c, d }, *have = values_of(p, leaf);

	cr_assert_not_null(have, "%s is not there", leaf);
	for (size_t i = 0; i < COLUMNS; i++)
		cr_assert_eq(have[i], want[i], "%s: column %zu is %ld, not %ld", leaf, i, have[i],
			     want[i]);
}

Test(delta, the_first_comes_out_whole)
{
	const struct one a[] = { { { 1, 2 }, 0, { 5, 50, 1, 10 } }, { { 3 }, 0, { 0, 0, 0, 0 } } };
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct profile p = take(dc, (struct file)FILE_OF(a));

	cr_assert_eq(p.sample_count, 1);
	expect(&p, "f1", 5, 50, 1, 10);
	cr_assert_eq(p.duration_nanos, 77);
	cr_assert(delta_stats(dc)->first);
	cr_assert_eq(delta_stats(dc)->dropped, 1);
	profile_release(&p);
	delta_free(dc);
}

Test(delta, selected_columns_are_subtracted_others_stay)
{
	const struct one a[] = { { { 1 }, 0, { 5, 50, 1, 10 } }, { { 2 }, 0, { 7, 70, 0, 0 } } };
	const struct one b[] = { { { 2 }, 0, { 7, 70, 0, 0 } },
				 { { 1 }, 0, { 8, 80, 2, 20 } },
				 { { 3 }, 0, { 1, 10, 1, 10 } } };
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct profile p = take(dc, (struct file)FILE_OF(a));

	profile_release(&p);
	p = take(dc, (struct file)FILE_OF(b));
	cr_assert_eq(p.sample_count, 2);
	expect(&p, "f1", 3, 30, 2, 20);
	expect(&p, "f3", 1, 10, 1, 10);
	cr_assert_eq(delta_stats(dc)->kept, 2);
	cr_assert_eq(delta_stats(dc)->dropped, 1);
	cr_assert_eq(delta_stats(dc)->added, 1);
	profile_release(&p);
	delta_free(dc);
}

Test(delta, equal_samples_add_up)
{
	const struct one a[] = { { { 1 }, 8, { 1, 8, 0, 0 } },
				 { { 1 }, 8, { 2, 16, 1, 8 } },
				 { { 1 }, 8, { 3, 24, 0, 0 } } };
	const struct one b[] = { { { 1 }, 8, { 5, 40, 0, 0 } }, { { 1 }, 8, { 5, 40, 1, 8 } } };
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct profile p = take(dc, (struct file)FILE_OF(a));

	expect(&p, "f1", 6, 48, 1, 8);
	profile_release(&p);
	p = take(dc, (struct file)FILE_OF(b));
	expect(&p, "f1", 4, 32, 1, 8);
	cr_assert(!delta_stats(dc)->reset);
	profile_release(&p);
	delta_free(dc);
}

Test(delta, labels_tell_samples_apart)
{
	const struct one a[] = { { { 1 }, 8, { 1, 8, 0, 0 } }, { { 2 }, 16, { 2, 32, 0, 0 } } };
	const struct one b[] = { { { 1 }, 16, { 1, 8, 0, 0 } }, { { 2 }, 16, { 2, 32, 0, 0 } } };
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct profile p = take(dc, (struct file)FILE_OF(a));

	profile_release(&p);
	p = take(dc, (struct file)FILE_OF(b));
	cr_assert_eq(p.sample_count, 1);
	expect(&p, "f1", 1, 8, 0, 0);
	cr_assert_eq(delta_stats(dc)->vanished, 1);
	profile_release(&p);
	delta_free(dc);
}

Test(delta, time_is_from_one_profile_to_the_next)
{
	const struct one a[] = { { { 1 }, 0, { 1, 1, 1, 1 } } };
	struct file file = FILE_OF(a);
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	static const int64_t times[] = { 1000, 1600, 0, 2500, 2600 },
			     durations[] = { 77, 600, 0, 0, 100 };

	for (size_t i = 0; i < 5; i++) {
		struct profile p;

		file.time = times[i];
		p = take(dc, file);
		cr_assert_eq(p.time_nanos, times[i]);
		cr_assert_eq(p.duration_nanos, durations[i], "%zu: %ld", i, p.duration_nanos);
		profile_release(&p);
	}
	delta_free(dc);
}

Test(delta, what_vanishes_is_forgotten)
{
	const struct one both[] = { { { 1 }, 0, { 5, 5, 0, 0 } }, { { 2 }, 0, { 7, 7, 0, 0 } } };
	const struct one less[] = { { { 1 }, 0, { 5, 5, 1, 1 } } };

	for (unsigned rounds = 1; rounds <= 3; rounds++) {
		struct delta_computer *dc = computer(
			(struct delta_options){ .forget_after = rounds });
		struct profile p = take(dc, (struct file)FILE_OF(both));

		for (unsigned missing = 1; missing <= 2; missing++) {
			profile_release(&p);
			p = take(dc, (struct file)FILE_OF(less));
			cr_assert_eq(delta_stats(dc)->vanished, missing == 1);
			cr_assert_eq(delta_stats(dc)->known, rounds > missing ? 2 : 1);
		}
		profile_release(&p);
		p = take(dc, (struct file)FILE_OF(both));
		cr_assert_eq(values_of(&p, "f2") != NULL, rounds < 3);
		profile_release(&p);
		delta_free(dc);
	}
}

Test(delta, a_counter_that_runs_backwards_is_a_new_process)
{
	const struct one a[] = { { { 1 }, 0, { 50, 500, 1, 1 } }, { { 2 }, 0, { 7, 7, 0, 0 } } };
	const struct one b[] = { { { 1 }, 0, { 60, 400, 1, 1 } }, { { 2 }, 0, { 9, 9, 0, 0 } } };
	const struct one c[] = { { { 1 }, 0, { 61, 410, 1, 1 } }, { { 2 }, 0, { 9, 9, 0, 0 } } };

	for (int negative = 0; negative <= 1; negative++) {
		struct delta_computer *dc = computer(
			(struct delta_options){ .allow_negative = negative });
		struct profile p = take(dc, (struct file)FILE_OF(a));

		profile_release(&p);
		p = take(dc, (struct file)FILE_OF(b));
		cr_assert_eq(delta_stats(dc)->reset, !negative);
		if (negative)
			expect(&p, "f1", 10, -100, 1, 1);
		else
			expect(&p, "f1", 60, 400, 1, 1);
		if (negative)
			expect(&p, "f2", 2, 2, 0, 0);
		else
			expect(&p, "f2", 9, 9, 0, 0);
		profile_release(&p);
		p = take(dc, (struct file)FILE_OF(c));
		expect(&p, "f1", 1, 10, 1, 1);
		cr_assert_null(values_of(&p, "f2"));
		profile_release(&p);
		delta_free(dc);
	}
}

/* Each of two samples of a stack is below the previous value, but their sum is not: no reset. */
Test(delta, parts_of_a_sum_do_not_run_backwards)
{
	const struct one a[] = { { { 1 }, 0, { 10, 10, 0, 0 } } };
	const struct one b[] = { { { 1 }, 0, { 6, 6, 0, 0 } }, { { 1 }, 0, { 6, 6, 0, 0 } } };
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct profile p = take(dc, (struct file)FILE_OF(a));

	profile_release(&p);
	p = take(dc, (struct file)FILE_OF(b));
	cr_assert(!delta_stats(dc)->reset);
	expect(&p, "f1", 2, 2, 0, 0);
	profile_release(&p);
	delta_free(dc);
}

Test(delta, ids_and_load_addresses_do_not_matter)
{
	const struct one a[] = { { { 1, 2, 3 }, 8, { 10, 10, 0, 0 } },
				 { { 3, 2 }, 0, { 1, 1, 0, 0 } } };
	const struct one b[] = { { { 1, 2, 3 }, 8, { 15, 15, 0, 0 } },
				 { { 3, 2 }, 0, { 1, 1, 0, 0 } } };
	struct file old = FILE_OF(a), new = FILE_OF(b);
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct profile p;

	old.build_id = new.build_id = "abc";
	old.start = 0x1000, old.shift = 0x1000;
	new.start = 0x7000, new.shift = 0x7000;
	new.backwards = true;
	p = take(dc, old);
	profile_release(&p);
	p = take(dc, new);
	cr_assert_eq(p.sample_count, 1);
	expect(&p, "f1", 5, 5, 0, 0);
	profile_release(&p);
	delta_free(dc);
}

/* Without a build ID it is not known whether the mapped file is the same. */
Test(delta, without_a_build_id_addresses_count)
{
	const struct one a[] = { { { 1 }, 0, { 10, 10, 0, 0 } } };
	struct file old = FILE_OF(a), new = FILE_OF(a);
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct profile p;

	old.shift = 0x1000;
	new.start = 0x7000, new.shift = 0x7000;
	p = take(dc, old);
	profile_release(&p);
	p = take(dc, new);
	expect(&p, "f1", 10, 10, 0, 0);
	profile_release(&p);
	delta_free(dc);
}

Test(delta, without_addresses_functions_and_lines_count)
{
	struct delta_computer *dc = computer((struct delta_options){ 0 });

	for (int round = 1; round <= 2; round++) {
		struct buffer in = { 0 }, out = { 0 };
		struct profile p;
		struct error err;

		cr_assert(!profile_init(&p));
		for (size_t i = 0; i < COLUMNS; i++)
			cr_assert(!profile_add_type(&p, types[i][0], types[i][1]));
		for (int i = 0; i < 6; i++) {
			int64_t values[COLUMNS] = { i + 10 * round, 1, 0, 0 };
			struct profile_location l = { 0 };
			struct profile_function f = { .start_line = 1 };
			struct profile_line line = { .line = i / 2 };
			char name[8];
			uint32_t id;

			snprintf(name, sizeof(name), "g%d", i % 2);
			cr_assert(!profile_string(&p, name, &f.name) &&
				  !profile_add_function(&p, &f, &line.function) &&
				  !profile_add_location(&p, &l, &line, 1, &id) &&
				  !profile_add_sample(&p, &id, 1, values, NULL, 0));
		}
		cr_assert(!profile_encode(&p, &in, &err) &&
			  !delta_compute(dc, in.data, in.len, to_buffer, &out, &err));
		profile_release(&p);
		cr_assert(!profile_init(&p) && !profile_decode(&p, out.data, out.len, &err));
		cr_assert_eq(p.sample_count, 6);
		for (size_t i = 0; round == 2 && i < 6; i++)
			cr_assert_eq(p.values[i * COLUMNS], 10);
		profile_release(&p);
		buffer_release(&in);
		buffer_release(&out);
	}
	delta_free(dc);
}

Test(delta, any_columns_can_be_named)
{
	const struct delta_type named[] = { { "inuse_space", "bytes" },
					    { "inuse_objects", "count" },
					    { "alloc_objects", "count" } };
	const struct delta_type wrong[] = { { "alloc_objects", "bytes" } };
	const struct one a[] = { { { 1 }, 0, { 1, 2, 3, 4 } } };
	const struct one b[] = { { { 1 }, 0, { 11, 22, 33, 44 } } };
	struct file file = FILE_OF(a);
	struct delta_computer *dc = computer(
		(struct delta_options){ .types = named, .type_count = 3 });
	struct buffer in = encode(&file), out = { 0 };
	struct profile p = take(dc, file);
	struct error err;

	profile_release(&p);
	p = take(dc, (struct file)FILE_OF(b));
	expect(&p, "f1", 10, 22, 30, 40);
	profile_release(&p);
	delta_free(dc);
	dc = computer((struct delta_options){ .types = wrong, .type_count = 1 });
	cr_assert_eq(delta_compute(dc, in.data, in.len, to_buffer, &out, &err), ERR_USAGE);
	cr_assert_str_eq(err.text, "the profile has no sample type 'alloc_objects/bytes'");
	cr_assert_eq(out.len, 0);
	buffer_release(&in);
	delta_free(dc);
}

/* A field unknown to profile.proto, one in the sample and one in the profile. */
Test(delta, unknown_fields_stay)
{
	static const uint8_t unknown[] = { 0xa2, 0x06, 3, 'x', 'y', 'z' }; /* field 100, of bytes */
	const struct one a[] = { { { 1 }, 0, { 1, 2, 3, 4 } } };
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct file file = FILE_OF(a);
	struct buffer plain = encode(&file), in = { 0 }, out = { 0 };
	size_t at = 0, found = 0;
	struct error err;

	while (plain.data[at] != 0x12) /* past the sample types */
		at += 2u + plain.data[at + 1];
	cr_assert(!buffer_add(&in, plain.data, at + 1));
	in.data[in.len++] = (uint8_t)(plain.data[at + 1] + sizeof(unknown));
	cr_assert(!buffer_add(&in, plain.data + at + 2, plain.data[at + 1]) &&
		  !buffer_add(&in, unknown, sizeof(unknown)));
	at += 2u + plain.data[at + 1];
	cr_assert(!buffer_add(&in, plain.data + at, plain.len - at) &&
		  !buffer_add(&in, unknown, sizeof(unknown)));
	cr_assert_eq(delta_compute(dc, in.data, in.len, to_buffer, &out, &err), 0, "%s", err.text);
	for (size_t i = 0; i + sizeof(unknown) <= out.len; i++)
		found += memcmp(out.data + i, unknown, sizeof(unknown)) == 0;
	cr_assert_eq(found, 2);
	buffer_release(&plain);
	buffer_release(&in);
	buffer_release(&out);
	delta_free(dc);
}

/* Computes a delta of bytes that are cut short or changed, which may still be a valid profile. If
 * not, nothing was written, the next profile is a first one, and the one after it gives a normal
 * delta. */
static void recovers(struct delta_computer *dc, const struct buffer *bad, struct file a,
		     struct file b)
{
	struct buffer out = { 0 };
	struct error err;
	struct profile p;
	int rc = delta_compute(dc, bad->data, bad->len, to_buffer, &out, &err);

	if (rc) {
		cr_assert_eq(out.len, 0);
		p = take(dc, a);
		cr_assert(delta_stats(dc)->first);
		expect(&p, "f1", 5, 50, 1, 10);
		profile_release(&p);
		p = take(dc, b);
		cr_assert(!delta_stats(dc)->first);
		expect(&p, "f1", 3, 30, 2, 20);
		profile_release(&p);
	}
	buffer_release(&out);
}

Test(delta, recovers_from_what_is_broken, .timeout = 120)
{
	const struct one x[] = { { { 1, 2 }, 8, { 5, 50, 1, 10 } }, { { 2 }, 0, { 7, 70, 0, 0 } } };
	const struct one y[] = { { { 1, 2 }, 8, { 8, 80, 2, 20 } }, { { 2 }, 0, { 7, 70, 0, 0 } } };
	struct file a = FILE_OF(x), b = FILE_OF(y);
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct buffer whole = encode(&a), bad = { 0 };

	a.time = 10, b.time = 30;
	for (size_t len = 0; len < whole.len; len++) {
		bad.len = 0;
		cr_assert(!buffer_add(&bad, whole.data, len));
		recovers(dc, &bad, a, b);
	}
	for (size_t bit = 0; bit < whole.len * 8; bit++) {
		bad.len = 0;
		cr_assert(!buffer_add(&bad, whole.data, whole.len));
		bad.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		recovers(dc, &bad, a, b);
	}
	buffer_release(&whole);
	buffer_release(&bad);
	delta_free(dc);
}

static int refuse(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)ctx, (void)data, (void)len;
	return error_set(err, ERR_IO, "disk full");
}

Test(delta, after_an_error_of_the_sink_the_next_is_a_first)
{
	const struct one x[] = { { { 1 }, 0, { 5, 50, 1, 10 } } };
	struct file a = FILE_OF(x);
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct buffer in = encode(&a);
	struct profile p = take(dc, a);
	struct error err;

	profile_release(&p);
	cr_assert_eq(delta_compute(dc, in.data, in.len, refuse, NULL, &err), ERR_IO);
	p = take(dc, a);
	expect(&p, "f1", 5, 50, 1, 10);
	cr_assert(delta_stats(dc)->first);
	profile_release(&p);
	buffer_release(&in);
	delta_free(dc);
}

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t n)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % n;
}

/* The sum of all deltas is the last profile. */
Test(delta, deltas_add_up)
{
	enum { STACKS = 40, ROUNDS = 30 };
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct one now[STACKS];
	int64_t sum[STACKS] = { 0 };

	memset(now, 0, sizeof(now));
	for (uint64_t i = 0; i < STACKS; i++)
		now[i].stack[0] = i + 1;
	for (int round = 0; round < ROUNDS; round++) {
		struct profile p;

		for (size_t i = 0; i < STACKS; i++)
			now[i].values[0] += (int64_t)(random_below(3) *
						      random_below(INT64_MAX / 400));
		p = take(dc, (struct file)FILE_OF(now));
		for (size_t i = 0; i < STACKS; i++) {
			char name[8];
			const int64_t *values;

			snprintf(name, sizeof(name), "f%zu", i + 1);
			values = values_of(&p, name);
			sum[i] += values ? values[0] : 0;
		}
		profile_release(&p);
	}
	for (size_t i = 0; i < STACKS; i++)
		cr_assert_eq(sum[i], now[i].values[0]);
	delta_free(dc);
}

Test(delta, stacks_that_come_and_go_leave_nothing)
{
	enum { STACKS = 200, ROUNDS = 1000 };
	struct delta_computer *dc = computer((struct delta_options){ 0 });
	struct one now[STACKS];
	size_t after_ten = 0;

	memset(now, 0, sizeof(now));
	for (int round = 0; round < ROUNDS; round++) {
		struct profile p;

		for (uint64_t i = 0; i < STACKS; i++) {
			now[i].stack[0] = (uint64_t)round * STACKS / 2 + i + 1;
			now[i].values[0] = 1000 + round;
		}
		p = take(dc, (struct file)FILE_OF(now));
		profile_release(&p);
		cr_assert_eq(delta_stats(dc)->known, STACKS);
		cr_assert_eq(delta_stats(dc)->vanished, round ? STACKS / 2 : 0);
		if (round == 10)
			after_ten = delta_stats(dc)->state_bytes;
	}
	cr_assert_eq(delta_stats(dc)->state_bytes, after_ten);
	delta_free(dc);
}
