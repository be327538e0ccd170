/* Rows and threads of a live view, from two profiles. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/report/live.h"

static uint32_t function(struct profile *p, const char *name)
{
	struct profile_function fn = { 0 };
	uint32_t id;

	profile_string(p, name, &fn.name);
	profile_add_function(p, &fn, &id);
	return id;
}

/* A location in `outer` with a call of `inlined` inlined there; NULL: no such line. */
static uint32_t place(struct profile *p, uint64_t address, const char *outer, const char *inlined)
{
	struct profile_location loc = { .address = address };
	struct profile_line lines[2];
	size_t n = 0;
	uint32_t id;

	memset(lines, 0, sizeof(lines));
	if (inlined)
		lines[n++].function = function(p, inlined);
	if (outer)
		lines[n++].function = function(p, outer);
	profile_add_location(p, &loc, lines, n, &id);
	return id;
}

static void init(struct profile *p)
{
	profile_init(p);
	profile_add_type(p, "samples", "count");
	profile_add_type(p, "cpu", "nanoseconds");
}

static void sample(struct profile *p, int64_t tid, const char *name, int64_t cpu, size_t depth,
		   const uint32_t *stack)
{
	struct profile_label labels[2] = { { .num = tid } };
	int64_t values[2] = { 1, cpu };

	profile_string(p, "tid", &labels[0].key);
	profile_string(p, "thread", &labels[1].key);
	profile_string(p, name, &labels[1].str);
	profile_add_sample(p, stack, depth, values, labels, tid ? 2 : 0);
}

static void assert_row(const struct live *l, size_t i, const char *name, int64_t recent_flat,
		       int64_t recent_cum, int64_t flat, int64_t cum)
{
	cr_assert_lt(i, l->count);
	cr_assert_str_eq(l->rows[i].name, name);
	cr_assert_eq(l->rows[i].recent.flat, recent_flat, "%s", name);
	cr_assert_eq(l->rows[i].recent.cum, recent_cum, "%s", name);
	cr_assert_eq(l->rows[i].whole.flat, flat, "%s", name);
	cr_assert_eq(l->rows[i].whole.cum, cum, "%s", name);
}

static void assert_thread(const struct live *l, size_t i, int64_t tid, const char *name,
			  int64_t recent, int64_t whole, const char *hottest)
{
	cr_assert_lt(i, l->thread_count);
	cr_assert_eq(l->threads[i].tid, tid);
	cr_assert_str_eq(l->threads[i].name, name);
	cr_assert_eq(l->threads[i].recent, recent);
	cr_assert_eq(l->threads[i].whole, whole);
	if (hottest)
		cr_assert_str_eq(l->threads[i].hottest, hottest);
	else
		cr_assert_null(l->threads[i].hottest);
}

/* In `whole`, main calls a, b and c, and a has tiny inlined; in `recent`, main calls b only.
 * Strings and functions have different numbers in the two profiles. */
static void fill_two(struct profile *recent, struct profile *whole)
{
	uint32_t a[2], b[2], c[2];

	init(recent);
	b[0] = place(recent, 2, "b", NULL);
	b[1] = place(recent, 3, "main", NULL);
	sample(recent, 10, "one", 5, 2, b);
	init(whole);
	a[0] = place(whole, 1, "a", "tiny");
	a[1] = b[1] = c[1] = place(whole, 3, "main", NULL);
	b[0] = place(whole, 2, "b", NULL);
	c[0] = place(whole, 4, "c", NULL);
	sample(whole, 10, "one", 20, 2, a);
	sample(whole, 10, "one", 7, 2, b);
	sample(whole, 11, "two", 9, 2, c);
	sample(whole, 11, "two", 9, 2, b);
	sample(whole, 0, "", 3, 0, NULL);
}

Test(live, counts_both_into_the_same_rows)
{
	struct profile recent, whole;
	struct live l;

	fill_two(&recent, &whole);
	cr_assert_eq(live_fill(&l, &recent, &whole, "cpu", NULL, 0, NULL), 0);
	profile_release(&recent);
	profile_release(&whole); /* the view has its own copies of the names */
	cr_assert_eq(l.total.flat, 5);
	cr_assert_eq(l.total.cum, 48);
	live_sort(&l, LIVE_RECENT);
	cr_assert_eq(l.count, 5);
	assert_row(&l, 0, "b", 5, 5, 16, 16);
	assert_row(&l, 1, "tiny", 0, 0, 20, 20);
	assert_row(&l, 2, "c", 0, 0, 9, 9);
	assert_row(&l, 3, "a", 0, 0, 0, 20);
	assert_row(&l, 4, "main", 0, 5, 0, 45);
	live_release(&l);
}

Test(live, orders)
{
	static const char *const first[LIVE_ORDERS] = { "b", "b", "tiny", "main", "a" };
	struct profile recent, whole;
	struct live l;

	fill_two(&recent, &whole);
	cr_assert_eq(live_fill(&l, &recent, &whole, "cpu", NULL, 0, NULL), 0);
	for (int i = 0; i < LIVE_ORDERS; i++) {
		live_sort(&l, (enum live_order)i);
		cr_assert_str_eq(l.rows[0].name, first[i], "order %d", i);
	}
	live_release(&l);
	profile_release(&recent);
	profile_release(&whole);
}

Test(live, threads_and_their_hottest_function)
{
	struct profile recent, whole;
	struct live l;

	fill_two(&recent, &whole);
	cr_assert_eq(live_fill(&l, &recent, &whole, "cpu", NULL, 0, NULL), 0);
	cr_assert_eq(l.thread_count, 2, "a sample of no thread is in no thread's line");
	live_sort(&l, LIVE_RECENT);
	assert_thread(&l, 0, 10, "one", 5, 27, "b");
	assert_thread(&l, 1, 11, "two", 0, 18, "b"); /* c has the same value: ordered by name */
	live_sort(&l, LIVE_NAME);
	assert_thread(&l, 0, 10, "one", 5, 27, "b");
	live_release(&l);
	profile_release(&recent);
	profile_release(&whole);
}

Test(live, recursion_counts_once)
{
	struct profile p;
	uint32_t stack[3];
	struct live l;

	init(&p);
	stack[0] = place(&p, 1, "f", "f");
	stack[1] = place(&p, 2, "g", NULL);
	stack[2] = place(&p, 3, "f", NULL);
	sample(&p, 1, "t", 8, 3, stack);
	cr_assert_eq(live_fill(&l, &p, &p, "cpu", NULL, 0, NULL), 0);
	live_sort(&l, LIVE_CUM);
	assert_row(&l, 0, "f", 8, 8, 8, 8);
	assert_row(&l, 1, "g", 0, 8, 0, 8);
	live_release(&l);
	profile_release(&p);
}

/* Values that a sandbox process could send after decoding a hostile file. */
Test(live, odd_values)
{
	struct profile_mapping m = { 0 };
	struct profile_location loc = { .address = 9 };
	struct profile p;
	uint32_t stack[2];
	struct live l;

	init(&p);
	profile_string(&p, "/lib/libfoo.so", &m.filename);
	profile_add_mapping(&p, &m, &loc.mapping);
	profile_add_location(&p, &loc, NULL, 0, &stack[0]);
	stack[1] = place(&p, 1, NULL, NULL);
	sample(&p, 1, "t", INT64_MAX, 1, stack);
	sample(&p, 1, "t", INT64_MAX, 1, stack);
	sample(&p, 1, "t", INT64_MIN, 1, stack);
	sample(&p, 1, "t", 0, 1, stack + 1);
	sample(&p, 1, "t", 1, 1, stack + 1);
	cr_assert_eq(live_fill(&l, &p, &p, "cpu", NULL, 0, NULL), 0);
	live_sort(&l, LIVE_FLAT);
	cr_assert_eq(l.count, 2);
	assert_row(&l, 0, "[libfoo.so]", INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX);
	assert_row(&l, 1, "<unknown>", 1, 1, 1, 1);
	cr_assert_eq(l.total.flat, INT64_MAX);
	live_release(&l);
	profile_release(&p);
}

/* Code without a line, as before its name is looked up, comes behind functions in each order. */
Test(live, functions_come_before_files)
{
	struct profile p;
	uint32_t a, b, main_;
	struct live l;

	init(&p);
	a = place(&p, 1, NULL, NULL);
	b = place(&p, 2, NULL, NULL);
	main_ = place(&p, 3, "main", NULL);
	sample(&p, 1, "t", 50, 1, &a);
	sample(&p, 1, "t", 40, 1, &b);
	sample(&p, 1, "t", 1, 1, &main_);
	cr_assert_eq(live_fill(&l, &p, &p, "cpu", NULL, 0, NULL), 0);
	cr_assert_eq(l.pending, 2);
	for (int i = 0; i < LIVE_ORDERS; i++) {
		live_sort(&l, (enum live_order)i);
		cr_assert_eq(l.count, 2);
		assert_row(&l, 0, "main", 1, 1, 1, 1);
		assert_row(&l, 1, "<unknown>", 90, 90, 90, 90);
	}
	live_release(&l);
	profile_release(&p);
}

Test(live, a_type_that_is_not_there)
{
	struct error err = { 0 };
	struct profile p;
	struct live l;

	init(&p);
	cr_assert_eq(live_fill(&l, &p, &p, "wall", NULL, 0, &err), ERR_USAGE);
	cr_assert_str_eq(err.text, "the profile has no sample type 'wall'");
	cr_assert_eq(live_fill(&l, &p, &p, "cpu", NULL, 0, NULL), 0);
	cr_assert_eq(l.count, 0);
	live_sort(&l, LIVE_RECENT);
	live_release(&l);
	profile_release(&p);
}

/* a is called by main, by b, and by itself. */
Test(live, callers_of_a_path)
{
	char names[3][8] = { "a", "b", "main" }, tiny[] = "a";
	char *path[] = { names[0], tiny, names[2] };
	struct profile whole, recent;
	uint32_t a, b, main_, stack[4];
	struct live l;

	init(&whole);
	init(&recent);
	a = place(&whole, 1, "a", NULL);
	b = place(&whole, 2, "b", "tiny");
	main_ = place(&whole, 3, "main", NULL);
	memcpy(stack, (uint32_t[]){ a, main_ }, 8);
	sample(&whole, 1, "t", 100, 2, stack);
	memcpy(stack, (uint32_t[]){ b, main_ }, 8);
	sample(&whole, 1, "t", 7, 2, stack);
	memcpy(stack, (uint32_t[]){ main_, a, a, b }, 16); /* main is the leaf */
	sample(&whole, 1, "t", 30, 4, stack);
	memcpy(stack, (uint32_t[]){ a }, 4);
	sample(&whole, 0, "", 5, 1, stack);

	cr_assert_eq(live_fill(&l, &recent, &whole, "cpu", path, 1, NULL), 0);
	live_sort(&l, LIVE_CUM);
	cr_assert_eq(l.count, 3);
	assert_row(&l, 0, "main", 0, 0, 100, 100);
	assert_row(&l, 1, "a", 0, 0, 0, 30); /* the innermost place */
	assert_row(&l, 2, "(outermost)", 0, 0, 5, 5);
	cr_assert_eq(l.total.cum, 142, "of all samples");
	cr_assert_eq(l.thread_count, 0);
	live_release(&l);

	cr_assert_eq(live_fill(&l, &recent, &whole, "cpu", path, 2, NULL), 0);
	cr_assert_eq(l.count, 1);
	assert_row(&l, 0, "tiny", 0, 0, 0, 30); /* inlined into b */
	live_release(&l);
	path[1] = names[1];
	cr_assert_eq(live_fill(&l, &whole, &whole, "cpu", path, 3, NULL), 0);
	cr_assert_eq(l.count, 0, "a is called by tiny, not by b");
	live_release(&l);
	profile_release(&whole);
	profile_release(&recent);
}
