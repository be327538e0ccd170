/* Which files are the profile of a range, for each kind of type: nothing is counted twice, and what
 * is older than the range is left out. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/rounds/parts.h"
#include "cli/rounds/range.h"
#include "rounds/catalog/rows.h"

enum { T = 1700000000 };

static struct catalog c;
static struct parts parts;
static struct range_options none;
static struct error err;

static void begin(void)
{
	cr_assert_eq(catalog_init(&c), 0);
}

static void end(void)
{
	parts_release(&parts);
	catalog_release(&c);
}

/* Adds a batch of 60 s with cpu, heap and goroutine profiles; `note` is the delta's, NULL: there is
 * no delta. `began`: when the process did. */
static void batch(int64_t start, uint64_t pid, int64_t began, const char *note)
{
	struct catalog_row row = { .name = { c.count + 1, start },
				   .duration_ns = 60 * NS_PER_S,
				   .pid = pid,
				   .process_start_ns = (uint64_t)began * NS_PER_S };

	cr_assert_eq(strset_addz(&c.strings, "server", &row.series), 0);
	cr_assert_eq(catalog_add(&c, &row), 0);
	catalog_add_item(&c, CATALOG_FILE, "cpu", "cpu.pprof", "");
	catalog_add_item(&c, CATALOG_FILE, "heap", "heap.pprof", "");
	if (note)
		catalog_add_item(&c, CATALOG_DELTA, "heap", "delta-heap.pprof", note);
	catalog_add_item(&c, CATALOG_FILE, "block", "block.pprof", "");
	if (note)
		catalog_add_item(&c, CATALOG_DELTA, "block", "delta-block.pprof", note);
	catalog_add_item(&c, CATALOG_FILE, "goroutine", "goroutines.pprof", "");
}

/* "1:heap.pprof" for each part, "3:heap.pprof-2" for a difference, with what is kept of it. */
static const char *chosen(const char *type, int64_t from, int64_t to)
{
	static char text[1000];
	struct batch_range r = { &none, from == INT64_MIN ? from : from * (int64_t)NS_PER_S,
				 to == INT64_MAX ? to : to * (int64_t)NS_PER_S };
	static const char *const of[] = { "", " grown", " state" };
	int rc;

	parts_release(&parts);
	*text = '\0';
	rc = parts_choose(&parts, &c, &r, type, "DIR", &err);
	if (rc)
		return err.text;
	for (size_t i = 0; i < parts.count; i++) {
		const struct part *p = &parts.list[i];
		size_t len = strlen(text);

		len += (size_t)sprintf(text + len, "%s%lu:%s", i ? ", " : "",
				       c.rows[p->row].name.sequence, p->file);
		if (p->old)
			len += (size_t)sprintf(text + len, "-%lu",
					       c.rows[p->old_row].name.sequence);
		sprintf(text + len, "%s", of[p->of]);
	}
	return text;
}

static const char *all(const char *type)
{
	return chosen(type, INT64_MIN, INT64_MAX);
}

Test(parts, rounds_of_cpu_are_added, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, NULL);
	batch(T + 60, 1, T - 1000, NULL);
	cr_assert_str_eq(all("cpu"), "1:cpu.pprof, 2:cpu.pprof");
	cr_assert_str_eq(chosen("cpu", T + 60, T + 120), "2:cpu.pprof");
}

Test(parts, a_batch_belongs_where_its_middle_is, .init = begin, .fini = end)
{
	batch(T, 1, T, NULL);
	cr_assert_str_eq(chosen("cpu", T + 30, T + 31), "1:cpu.pprof");
	cr_assert_str_eq(chosen("cpu", T, T + 31), "1:cpu.pprof");
	cr_assert(strstr(chosen("cpu", T, T + 30), "no batch"), "%s", err.text);
	cr_assert(strstr(chosen("cpu", T + 31, T + 60), "no batch"), "%s", err.text);
}

Test(parts, states_are_the_last_ones, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, NULL);
	batch(T + 60, 1, T - 1000, NULL);
	cr_assert_str_eq(all("goroutine"), "2:goroutines.pprof");
	cr_assert_str_eq(chosen("goroutine", INT64_MIN, T + 60), "1:goroutines.pprof");
}

Test(parts, a_restart_frees_what_was_held, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, NULL);
	batch(T + 61, 2, T + 60, NULL);
	cr_assert_str_eq(all("goroutine"), "2:goroutines.pprof");
	end();
	begin();
	batch(T, 1, T - 1000, NULL); /* in a container the number stays */
	batch(T + 61, 1, T + 60, NULL);
	cr_assert_str_eq(all("goroutine"), "2:goroutines.pprof");
}

Test(parts, processes_side_by_side_are_added, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, NULL);
	batch(T + 30, 2, T - 1000, NULL);
	batch(T + 60, 1, T - 1000, NULL);
	batch(T + 90, 2, T - 1000, NULL);
	cr_assert_str_eq(all("goroutine"), "3:goroutines.pprof, 4:goroutines.pprof");
}

Test(parts, of_a_heap_growth_and_state_are_told_apart, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, "the first: whole");
	batch(T + 60, 1, T - 1000, "");
	batch(T + 120, 1, T - 1000, "");
	cr_assert_str_eq(chosen("heap", T + 60, T + 180),
			 "2:delta-heap.pprof grown, 3:delta-heap.pprof grown, 3:heap.pprof state");
	cr_assert_eq(parts.cut, 0);
	cr_assert_str_eq(chosen("block", T + 60, T + 180),
			 "2:delta-block.pprof, 3:delta-block.pprof");
}

Test(parts, what_is_older_than_the_range_is_left_out, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, "the first: whole");
	batch(T + 60, 1, T - 1000, "");
	cr_assert_str_eq(all("block"), "2:delta-block.pprof");
	cr_assert_eq(parts.cut, 1);
	cr_assert_str_eq(all("heap"), "2:delta-heap.pprof grown, 2:heap.pprof state");
	end();
	begin();
	batch(T, 1, 0, "the first: whole"); /* when it began is not known */
	cr_assert_str_eq(all("block"), "");
	cr_assert_eq(parts.cut, 1);
}

Test(parts, a_process_that_began_in_the_range_counts_whole, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, "");
	batch(T + 70, 2, T + 69, "the first: whole");
	cr_assert_str_eq(all("block"), "1:delta-block.pprof, 2:block.pprof");
	cr_assert_str_eq(chosen("block", T + 70, INT64_MAX), "");
	cr_assert_eq(parts.cut, 1);
}

Test(parts, after_a_restart_of_sampler_snapshots_are_subtracted, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, "");
	batch(T + 600, 1, T - 1000, "the first: whole");
	batch(T + 660, 1, T - 1000, "counters ran backwards: whole");
	cr_assert_str_eq(all("block"), "1:delta-block.pprof, 2:block.pprof-1, 3:block.pprof-2");
	cr_assert_eq(parts.cut, 0);
}

Test(parts, without_deltas_snapshots_are_subtracted, .init = begin, .fini = end)
{
	batch(T, 1, T - 1000, NULL);
	batch(T + 60, 1, T - 1000, NULL);
	cr_assert_str_eq(all("block"), "2:block.pprof-1");
	cr_assert_eq(parts.cut, 1);
}

Test(parts, types_that_are_not_there_are_named, .init = begin, .fini = end)
{
	batch(T, 1, T, NULL);
	catalog_add_item(&c, CATALOG_FILE, "custom", "custom-conns.pprof", "");
	catalog_add_item(&c, CATALOG_FILE, "metrics", "metrics.json", "");
	cr_assert(strstr(all("mutex"), "'cpu', 'heap', 'block', 'goroutine', 'custom-conns'"), "%s",
		  err.text);
	cr_assert(!strstr(err.text, "metrics"), "%s", err.text);
	cr_assert_str_eq(all("custom-conns"), "1:custom-conns.pprof");
	cr_assert(strstr(all("custom"), "custom-NAME"), "%s", err.text);
	cr_assert(strstr(all("metrics"), "no profile"), "%s", err.text);
	cr_assert(strstr(all("trace"), "no profile"), "%s", err.text);
	cr_assert(strstr(all("hepa"), "no type 'hepa'"), "%s", err.text);
}
