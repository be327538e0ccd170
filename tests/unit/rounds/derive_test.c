/* Profiles of three stacks, and the profiles derived from them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "delta/delta.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"
#include "rounds/derive.h"

enum { STACKS = 3 };

static void add_stack(struct profile *p, const char *name, uint32_t *location)
{
	struct profile_function f = { 0 };
	struct profile_line line = { 0 };

	cr_assert(profile_string(p, name, &f.name) == 0);
	cr_assert(profile_add_function(p, &f, &line.function) == 0);
	cr_assert(profile_add_location(p, &(struct profile_location){ 0 }, &line, 1, location) ==
		  0);
}

/* `values` has a row for each stack. With `states`, each row is of the same stack and has a label
 * "state". */
static struct buffer made(const char *const *types, size_t type_count, const int64_t *values,
			  const char *const *states, int64_t time)
{
	static const char *const names[STACKS] = { "main.a", "main.b", "main.c" };
	struct buffer out = { 0 };
	struct profile p;

	cr_assert(profile_init(&p) == 0);
	p.time_nanos = time;
	for (size_t i = 0; i < type_count; i++)
		cr_assert(profile_add_type(&p, types[i],
					   strstr(types[i], "space")	? "bytes" :
					   strstr("cpu wall", types[i]) ? "nanoseconds" :
									  "count") == 0);
	p.default_type = p.types[type_count - 1].type;
	for (int i = 0; i < STACKS; i++) {
		struct profile_label label = { 0 };
		uint32_t location;

		add_stack(&p, names[states ? 0 : i], &location);
		if (states)
			cr_assert(profile_string(&p, "state", &label.key) == 0 &&
				  profile_string(&p, states[i], &label.str) == 0);
		cr_assert(profile_add_sample(&p, &location, 1, values + (size_t)i * type_count,
					     &label, states != NULL) == 0);
	}
	cr_assert(profile_encode(&p, &out, NULL) == 0);
	profile_release(&p);
	return out;
}

static const char *const heap_types[] = { "alloc_objects", "alloc_space", "inuse_objects",
					  "inuse_space" };

static struct buffer heap(const int64_t values[4 * STACKS], int64_t time)
{
	return made(heap_types, 4, values, NULL, time);
}

static const int64_t first[] = { 1, 10, 1, 10, /**/ 5, 50, 0, 0, /**/ 2, 20, 2, 20 };
static const int64_t second[] = { 4, 40, 1, 10, /**/ 5, 50, 0, 0, /**/ 3, 30, 0, 0 };

/* A profile as text: "TYPE TYPE* ; NAME: VALUE VALUE; …", the default type with a "*". Releases
 * `bytes`. */
static char *shown(struct buffer *bytes)
{
	static char text[1000];
	struct profile p;
	struct error err = { 0 };
	size_t at = 0;

	cr_assert(profile_init(&p) == 0);
	cr_assert(profile_parse(&p, bytes->data, bytes->len, 0, &err) == 0, "%s", err.text);
	for (size_t i = 0; i < p.type_count; i++)
		at += (size_t)sprintf(text + at, "%s%s ", strset_get(&p.strings, p.types[i].type),
				      p.types[i].type == p.default_type ? "*" : "");
	for (size_t i = 0; i < p.sample_count; i++) {
		const struct profile_location *l =
			&p.locations[p.stack[p.samples[i].first_location] - 1];
		const struct profile_function *f =
			&p.functions[p.lines[l->first_line].function - 1];

		at += (size_t)sprintf(text + at, "; %s:", strset_get(&p.strings, f->name));
		for (size_t j = 0; j < p.type_count; j++)
			at += (size_t)sprintf(text + at, " %ld",
					      p.values[p.samples[i].first_value + j]);
		if (p.samples[i].labels)
			at += (size_t)sprintf(text + at, " labels");
	}
	if (p.duration_nanos)
		sprintf(text + at, "; %ldns", p.duration_nanos);
	profile_release(&p);
	buffer_release(bytes);
	return text;
}

Test(derive, allocs)
{
	struct buffer in = heap(first, 0), out = { 0 };

	cr_assert(derive_allocs(in.data, in.len, &out, NULL) == 0);
	cr_expect_str_eq(shown(&out), "alloc_objects alloc_space* inuse_objects inuse_space "
				      "; main.a: 1 10 1 10; main.b: 5 50 0 0; main.c: 2 20 2 20");
	buffer_release(&in);
}

Test(derive, inuse)
{
	struct buffer in = heap(first, 0), out = { 0 };

	cr_assert(derive_inuse(in.data, in.len, &out, NULL) == 0);
	cr_expect_str_eq(shown(&out), "alloc_objects alloc_space inuse_objects inuse_space* "
				      "; main.a: 0 0 1 10; main.c: 0 0 2 20");
	buffer_release(&in);
}

Test(derive, alloc)
{
	struct buffer a = heap(first, 1000), b = heap(second, 1700), out = { 0 };
	struct error err;

	cr_assert(derive_alloc(a.data, a.len, b.data, b.len, &out, NULL) == 0);
	cr_expect_str_eq(shown(&out),
			 "alloc_objects alloc_space* ; main.a: 3 30; main.c: 1 10; 700ns");
	cr_expect(derive_alloc(b.data, b.len, a.data, a.len, &out, &err) == ERR_FORMAT);
	cr_expect(strstr(err.text, "two processes") && !out.len);
	buffer_release(&a);
	buffer_release(&b);
}

Test(derive, cpu)
{
	static const char *const types[] = { "samples", "cpu", "wall" };
	static const char *const states[] = { "running", "blocked", "running" };
	static const int64_t values[] = { 3, 30, 30, /**/ 9, 0, 900, /**/ 1, 10, 10 };
	struct buffer in = made(types, 3, values, states, 0), out = { 0 };

	cr_assert(derive_cpu(in.data, in.len, &out, NULL) == 0);
	cr_expect_str_eq(shown(&out), "samples cpu* ; main.a: 4 40");
	buffer_release(&in);
}

Test(derive, what_is_none)
{
	static const char *const types[] = { "contentions", "delay" };
	static const int64_t values[2 * STACKS] = { 1, 1 };
	struct buffer in = made(types, 2, values, NULL, 0), out = { 0 };
	struct error err;

	cr_expect(derive_inuse(in.data, in.len, &out, &err) == ERR_USAGE);
	cr_expect_str_eq(err.text, "no heap profile: it has no 'alloc_objects'");
	cr_expect(derive_cpu(in.data, in.len, &out, &err) == ERR_USAGE);
	cr_expect(derive_allocs("nonsense", 8, &out, &err) == ERR_FORMAT);
	cr_expect(!out.len);
	buffer_release(&in);
}

Test(derive, deltas)
{
	struct buffer a = heap(first, 0), b = heap(second, 0), out = { 0 };
	const struct delta_stats *stats;
	struct derive_deltas *d;

	cr_assert(derive_deltas_new(&d, NULL) == 0);
	cr_assert(derive_delta(d, CAPTURE_HEAP, a.data, a.len, &out, &stats, NULL) == 0);
	cr_expect(stats->first);
	cr_expect(strstr(shown(&out), "main.b: 5 50 0 0"));
	out = (struct buffer){ 0 };
	cr_assert(derive_delta(d, CAPTURE_HEAP, b.data, b.len, &out, &stats, NULL) == 0);
	cr_expect(!stats->first);
	cr_expect_str_eq(strchr(shown(&out), ';'), "; main.a: 3 30 1 10; main.c: 1 10 0 0");
	out = (struct buffer){ 0 };
	cr_assert(derive_delta(d, CAPTURE_ALLOCS, b.data, b.len, &out, &stats, NULL) == 0);
	cr_expect(stats->first, "each type has a state of its own");
	buffer_release(&out);
	derive_deltas_forget(d);
	cr_assert(derive_delta(d, CAPTURE_HEAP, b.data, b.len, &out, &stats, NULL) == 0);
	cr_expect(stats->first);
	buffer_release(&out);
	buffer_release(&a);
	buffer_release(&b);
	derive_deltas_free(d);
}
