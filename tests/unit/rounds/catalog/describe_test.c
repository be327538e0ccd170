/* event.json and metrics.json as sampler writes them, and others; the index's bytes. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "rounds/batch/batch.h"
#include "rounds/batch/event.h"
#include "rounds/catalog/describe.h"
#include "rounds/catalog/index.h"
#include "rounds/catalog/rows.h"

static struct catalog c;
static struct error err;

static void begin(void)
{
	const struct catalog_row row = {
		.name = { 12, 1700000000 }, .inode = 7, .cpu = NAN, .rss = NAN, .goroutines = NAN
	};

	cr_assert_eq(catalog_init(&c), 0);
	cr_assert_eq(catalog_add(&c, &row), 0);
}

static void end(void)
{
	catalog_release(&c);
}

static int event(const char *text)
{
	return describe_event(&c, text, strlen(text), &err);
}

static const char *text(uint32_t string)
{
	return catalog_text(&c, string);
}

/* What event_write writes. */
static void describe_whole(void)
{
	static const struct batch_tag tags[] = { { "env", "prod" } },
				      resource[] = { { "service.name", "shop" } };
	static const struct batch_entry entries[] = {
		{ .type = "heap", .file = "heap.pprof", .bytes = 10 },
		{ .type = "heap",
		  .file = "delta-heap.pprof",
		  .delta = true,
		  .note = "the first: whole" },
		{ .type = "mutex", .why_not = "off" },
	};
	const struct batch_event e = { .sequence = 12,
				       .duration_ns = 60000000001,
				       .host = "db1",
				       .command = "redis",
				       .pid = 42,
				       .process_start_ns = 1699999990000000000,
				       .ended = "exited",
				       .tags = tags,
				       .tag_count = 1,
				       .resource = resource,
				       .resource_count = 1,
				       .entries = entries,
				       .entry_count = 3,
				       .sampling = "{\"samples\": 3, \"held\": {\"p50_ns\": 1}, "
						   "\"target_cpu_ns\": 5}" };
	struct buffer b = { 0 };

	cr_assert_eq(event_write(&b, &e, "series", "key"), 0);
	cr_assert_eq(describe_event(&c, b.data, b.len, &err), 0, "%s", err.text);
	buffer_release(&b);
}

static void assert_whole(void)
{
	const struct catalog_row *r = &c.rows[0];
	const struct catalog_item *item;

	cr_assert_eq(r->name.sequence, 12);
	cr_assert_eq(r->inode, 7);
	cr_assert_eq(r->duration_ns, 60000000001);
	cr_assert_eq(r->pid, 42);
	cr_assert_eq(r->process_start_ns, 1699999990000000000);
	cr_assert(r->is_sampled && r->samples == 3 && r->target_cpu_ns == 5);
	cr_assert_str_eq(text(r->series), "series");
	cr_assert_str_eq(text(r->host), "db1");
	cr_assert_str_eq(text(r->ended), "exited");
	cr_assert(catalog_tagged(&c, r, "env", "prod") &&
		  catalog_tagged(&c, r, "service.name", "shop"));
	cr_assert(!catalog_tagged(&c, r, "env", "pro"));
	item = catalog_next(&c, r, CATALOG_FILE, NULL);
	cr_assert(item && !strcmp(text(item->text), "heap.pprof"));
	cr_assert(!catalog_next(&c, r, CATALOG_FILE, item));
	item = catalog_next(&c, r, CATALOG_DELTA, NULL);
	cr_assert(item && !strcmp(text(item->note), "the first: whole"));
	item = catalog_next(&c, r, CATALOG_SKIPPED, NULL);
	cr_assert(item && !strcmp(text(item->name), "mutex") && !strcmp(text(item->text), "off"));
}

Test(describe, an_event_is_read_as_it_was_written, .init = begin, .fini = end)
{
	describe_whole();
	assert_whole();
}

Test(describe, metrics_are_read, .init = begin, .fini = end)
{
	static const char metrics[] =
		"{\"pid\": 1, \"process\": {\"cpu_seconds\": {\"total\": 9.5, \"per_second\": 0.25}, "
		"\"rss_bytes\": {\"value\": 4096, \"start\": 1}, \"pss_bytes\": null}, "
		"\"go\": {\"version\": \"go1.26\", \"goroutines\": {\"value\": 12}}, \"missing\": {}}";

	cr_assert_eq(describe_metrics(&c, metrics, strlen(metrics), &err), 0, "%s", err.text);
	cr_assert(c.rows[0].cpu == 0.25 && c.rows[0].rss == 4096 && c.rows[0].goroutines == 12);
}

Test(describe, what_is_null_is_not_known, .init = begin, .fini = end)
{
	static const char metrics[] = "{\"process\": {\"cpu_seconds\": {\"per_second\": null}, "
				      "\"rss_bytes\": null}, \"go\": null}";

	cr_assert_eq(describe_metrics(&c, metrics, strlen(metrics), &err), 0, "%s", err.text);
	cr_assert(isnan(c.rows[0].cpu) && isnan(c.rows[0].rss) && isnan(c.rows[0].goroutines));
}

Test(describe, a_bad_event_leaves_nothing, .init = begin, .fini = end)
{
	cr_assert_eq(event("{\"pid\": 7, \"tags\": {\"a\": \"b\"}, \"profiles\": [{]}"),
		     ERR_FORMAT);
	cr_assert(strstr(err.text, "event.json: "), "%s", err.text);
	cr_assert(c.item_count == 0 && c.rows[0].items == 0 && c.rows[0].pid == 0);
}

Test(describe, files_outside_of_the_batch_are_refused, .init = begin, .fini = end)
{
	cr_assert_eq(event("{\"profiles\": [{\"type\": \"cpu\", \"file\": \"../x\"}]}"),
		     ERR_FORMAT);
	cr_assert_eq(event("{\"profiles\": [{\"type\": \"cpu\", \"file\": \".x\"}]}"), ERR_FORMAT);
}

Test(batchindex, it_says_what_the_batches_said, .init = begin, .fini = end)
{
	struct buffer b = { 0 };

	describe_whole();
	cr_assert_eq(batchindex_write(&c, &b), 0);
	catalog_release(&c);
	cr_assert_eq(catalog_init(&c), 0);
	cr_assert_eq(batchindex_read(&c, b.data, b.len), 0);
	cr_assert_eq(c.count, 1);
	assert_whole();
	cr_assert(isnan(c.rows[0].rss));
	buffer_release(&b);
}

Test(batchindex, a_changed_or_short_one_is_none, .init = begin, .fini = end)
{
	struct buffer b = { 0 };
	struct catalog other;

	describe_whole();
	cr_assert_eq(batchindex_write(&c, &b), 0);
	for (size_t at = 0; at < b.len; at++) {
		b.data[at] ^= 1;
		cr_assert_eq(catalog_init(&other), 0);
		cr_assert_eq(batchindex_read(&other, b.data, b.len), ERR_FORMAT, "byte %zu", at);
		catalog_release(&other);
		b.data[at] ^= 1;
		cr_assert_eq(catalog_init(&other), 0);
		cr_assert_eq(batchindex_read(&other, b.data, at), ERR_FORMAT, "%zu bytes", at);
		catalog_release(&other);
	}
	buffer_release(&b);
}

Test(batchindex, a_batch_with_trouble_is_not_kept, .init = begin, .fini = end)
{
	struct buffer b = { 0 };
	struct catalog other;

	cr_assert_eq(strset_addz(&c.strings, "cannot open", &c.rows[0].trouble), 0);
	cr_assert_eq(batchindex_write(&c, &b), 0);
	cr_assert_eq(catalog_init(&other), 0);
	cr_assert_eq(batchindex_read(&other, b.data, b.len), 0);
	cr_assert_eq(other.count, 0);
	catalog_release(&other);
	buffer_release(&b);
}
