/* Which goroutines are recognized from look to look, and which have run in between. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "runtimes/go/session/seen.h"

static struct seen *s;

static void begin(void)
{
	cr_assert_eq(seen_new(&s), 0);
}

static void end(void)
{
	seen_free(s);
}

TestSuite(seen, .init = begin, .fini = end);

static const struct sighting one = {
	.goid = 7,
	.pc = 0x401000,
	.stack_used = 200,
	.reason = 5,
	.sequence = 17,
};

/* A look from `from` to 10 ns later that sees `g` unless that is NULL. `before` and `after` are the
 * GC cycles begun before the look and by its end. */
static struct seen_wait look(const struct sighting *g, int64_t from, uint32_t before,
			     uint32_t after)
{
	struct seen_wait wait = { 0 };

	seen_begin(s, from, true, before);
	if (g)
		cr_assert_eq(seen_look(s, g, &wait), 0);
	seen_end(s, from + 10, true, after);
	return wait;
}

static void is_new(struct seen_wait wait, int64_t after)
{
	cr_assert_eq(wait.since, INT64_MAX);
	cr_assert_eq(wait.after, after);
}

static void is_since(struct seen_wait wait, int64_t since, int64_t after)
{
	cr_assert_eq(wait.since, since);
	cr_assert_eq(wait.after, after);
}

Test(seen, waits_since_the_first_look_that_saw_it_ended)
{
	is_new(look(&one, 1000, 0, 0), INT64_MIN);
	is_since(look(&one, 2000, 0, 0), 1010, INT64_MIN);
	is_since(look(&one, 3000, 0, 0), 1010, INT64_MIN);
}

Test(seen, does_not_wait_since_before_the_look_before)
{
	look(NULL, 1000, 0, 0);
	is_new(look(&one, 2000, 0, 0), 1000);
	is_since(look(&one, 3000, 0, 0), 2010, 1000);
}

Test(seen, a_goroutine_that_was_missing_once_is_new)
{
	look(&one, 1000, 0, 0);
	look(NULL, 2000, 0, 0);
	is_new(look(&one, 3000, 0, 0), 2000);
}

Test(seen, whatever_running_changes_makes_it_new)
{
	for (int i = 0; i < 6; i++) {
		struct sighting other = one;

		switch (i) {
		case 0:
			other.pc++;
			break;
		case 1:
			other.stack_used += 8;
			break;
		case 2:
			other.reason++;
			break;
		case 3:
			other.sequence++;
			break;
		case 4:
			other.syscall++;
			break;
		case 5:
			other.goid++;
			break;
		}
		look(&one, 1000, 0, 0);
		is_new(look(&other, 2000, 0, 0), 1000);
		is_since(look(&other, 3000, 0, 0), 2010, 1000);
		seen_free(s);
		begin();
	}
}

Test(seen, a_gc_that_notes_it_changes_nothing_but_another_one_does)
{
	struct sighting noted = one, again = one;

	noted.wait_since = 1500;
	again.wait_since = 2500;
	look(&one, 1000, 0, 0);
	is_since(look(&noted, 2000, 3, 3), 1010, INT64_MIN);
	is_since(look(&noted, 3000, 9, 9), 1010, INT64_MIN);
	is_new(look(&again, 4000, 9, 9), 3000);
	is_new(look(&one, 5000, 9, 9), 4000);
}

/* After 256 runs trackingSeq is the same as before, but a GC cycle has not noted the goroutine. */
Test(seen, a_gc_that_does_not_note_it_makes_it_new)
{
	look(&one, 1000, 5, 5);
	is_since(look(&one, 2000, 5, 5), 1010, INT64_MIN); /* no cycle */
	is_since(look(&one, 3000, 6, 6), 1010, INT64_MIN); /* one that may not have ended */
	is_new(look(&one, 4000, 7, 7), 3000);		   /* one that has ended */
	is_since(look(&one, 5000, 8, 8), 4010, 3000);
}

Test(seen, a_gc_that_was_under_way_at_the_first_look_says_nothing)
{
	look(&one, 1000, 5, 6); /* cycle 6 began during the look */
	is_since(look(&one, 2000, 7, 7), 1010, INT64_MIN);
	is_new(look(&one, 3000, 8, 8), 2000);
}

Test(seen, a_programs_first_gc_notes_nothing)
{
	look(&one, 1000, 0, 0);
	is_since(look(&one, 2000, 1, 1), 1010, INT64_MIN);
	is_since(look(&one, 3000, 2, 2), 1010, INT64_MIN);
	is_new(look(&one, 4000, 3, 3), 3000);
}

Test(seen, without_gc_cycles_known_they_say_nothing)
{
	struct seen_wait wait;

	look(&one, 1000, 5, 5);
	seen_begin(s, 2000, false, 0);
	cr_assert_eq(seen_look(s, &one, &wait), 0);
	is_since(wait, 1010, INT64_MIN);
}

Test(seen, a_look_that_failed_is_none)
{
	struct seen_wait wait;

	look(&one, 1000, 0, 0);
	seen_begin(s, 2000, true, 0);
	is_since(look(&one, 3000, 0, 0), 1010, INT64_MIN);
	seen_begin(s, 4000, true, 0);
	cr_assert_eq(seen_look(s, &one, &wait), 0);
	is_since(look(&one, 5000, 0, 0), 1010, INT64_MIN);
}

Test(seen, goes_from_process_to_process)
{
	struct buffer saved = { 0 }, again = { 0 };
	struct error err = { 0 };

	look(NULL, 500, 0, 0);
	look(&one, 1000, 5, 5);
	cr_assert_eq(seen_save(s, &saved), 0);
	end();
	begin();
	cr_assert_eq(seen_load(s, saved.data, saved.len, &err), 0, "%s", err.text);
	cr_assert_eq(seen_save(s, &again), 0);
	cr_assert_eq(again.len, saved.len);
	cr_assert_arr_eq(again.data, saved.data, saved.len);
	is_since(look(&one, 2000, 6, 6), 1010, 500);
	is_new(look(&one, 3000, 7, 7), 2000);
	/* Cut anywhere but after an entry, it is rejected, and the memory is empty. */
	for (size_t len = 0; len < saved.len; len++) {
		if (len == 16)
			continue;
		cr_assert_eq(seen_load(s, saved.data, len, &err), ERR_FORMAT);
		is_new(look(&one, 4000, 7, 7), INT64_MIN);
	}
	buffer_release(&saved);
	buffer_release(&again);
}

static void save(struct buffer *out)
{
	out->len = 0;
	cr_assert_eq(seen_save(s, out), 0);
}

static void put_together(const struct buffer *a, const struct buffer *b)
{
	cr_assert_eq(seen_load(s, a->data, a->len, NULL), 0);
	cr_assert_eq(seen_merge(s, b->data, b->len, NULL), 0);
}

/* What a process remembers that knew nothing and has looked once. */
static void save_alone(const struct buffer *nothing, const struct sighting *g, struct buffer *out)
{
	cr_assert_eq(seen_load(s, nothing->data, nothing->len, NULL), 0);
	look(g, 2000, 0, 0);
	save(out);
}

Test(seen, two_processes_that_did_not_know_of_each_other)
{
	struct buffer first = { 0 }, second = { 0 }, nothing = { 0 };
	struct sighting ran = one;

	save(&nothing);
	look(&one, 1000, 0, 0);
	save(&first);
	save_alone(&nothing, &one, &second);

	put_together(&first, &second);
	is_since(look(&one, 3000, 0, 0), 1010, INT64_MIN);
	put_together(&second, &first);
	is_since(look(&one, 3000, 0, 0), 1010, INT64_MIN);

	ran.sequence++;
	save_alone(&nothing, &ran, &second);
	put_together(&second, &first);
	is_since(look(&ran, 3000, 0, 0), 2010, INT64_MIN);
	put_together(&first, &second);
	is_new(look(&one, 3000, 0, 0), 2000);

	save_alone(&nothing, NULL, &second);
	put_together(&first, &second);
	is_new(look(&one, 3000, 0, 0), 2000);
	buffer_release(&first);
	buffer_release(&second);
	buffer_release(&nothing);
}

Test(seen, bytes_that_cannot_be_merged_change_nothing)
{
	struct error err;

	look(&one, 1000, 0, 0);
	cr_assert_eq(seen_merge(s, "swaits1\nno", 10, &err), ERR_FORMAT);
	is_since(look(&one, 2000, 0, 0), 1010, INT64_MIN);
}

Test(seen, many)
{
	for (int64_t t = 1; t < 4; t++) {
		seen_begin(s, t * 1000, true, 0);
		for (uint64_t i = 0; i < 20000; i++) {
			struct sighting g = one;
			struct seen_wait wait;

			g.goid = i;
			g.sequence += i % 100 == (uint64_t)t; /* 200 of them have run */
			cr_assert_eq(seen_look(s, &g, &wait), 0);
			cr_assert_eq(wait.since == INT64_MAX, t == 1 || i % 100 == (uint64_t)t ||
								      i % 100 == (uint64_t)t - 1);
		}
		seen_end(s, t * 1000 + 10, true, 0);
	}
}
