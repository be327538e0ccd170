/* The library as other programs use it: only through its header. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pprof/library/sampler-pprof.h"

static struct pprof *p, *q;

static void make(void)
{
	p = pprof_new();
	q = pprof_new();
	cr_assert(p && q);
}

static void free_both(void)
{
	pprof_free(p);
	pprof_free(q);
	pprof_free(NULL);
}

static const struct pprof_mapping program = {
	.start = 0x400000,
	.limit = 0x500000,
	.offset = 0x1000,
	.file = "/bin/program",
	.build_id = "abcd",
	.has_functions = true,
	.has_line_numbers = true,
};

/* leaf, inlined into middle; main; an address outside of all mappings. */
static const struct pprof_frame frames[] = {
	{ .function = "leaf",
	  .system_name = "_Z4leafv",
	  .file = "a.cc",
	  .start_line = 3,
	  .line = 5,
	  .column = 7,
	  .inlined = true,
	  .address = 0x400123,
	  .mapping = &program },
	{ .function = "middle",
	  .file = "a.cc",
	  .line = 20,
	  .address = 0x400123,
	  .mapping = &program,
	  .folded = true },
	{ .function = "main", .line = 9, .address = 0x400456, .mapping = &program },
	{ .address = 0x7fff0000 },
};

static const struct pprof_label labels[] = {
	{ .key = "thread", .text = "worker" },
	{ .key = "size", .number = -64, .unit = "bytes" },
};

static const int64_t values[] = { 1, INT64_MIN };

static const struct pprof_sample sample = { values, frames, 4, labels, 2 };

static void fill(void)
{
	make();
	cr_assert_eq(pprof_add_type(p, "samples", "count"), 0);
	cr_assert_eq(pprof_add_type(p, "cpu", "nanoseconds"), 0);
	cr_assert_eq(pprof_add_sample(p, &sample), 0);
}

static void assert_frame(const struct pprof_frame *have, const struct pprof_frame *want)
{
	cr_assert_eq(!have->function, !want->function);
	if (want->function)
		cr_assert_str_eq(have->function, want->function);
	cr_assert_str_eq(have->system_name, want->system_name ? want->system_name : "");
	cr_assert_str_eq(have->file, want->file ? want->file : "");
	cr_assert_eq(have->start_line, want->start_line);
	cr_assert_eq(have->line, want->line);
	cr_assert_eq(have->column, want->column);
	cr_assert_eq(have->inlined, want->inlined);
	cr_assert_eq(have->address, want->address);
	cr_assert_eq(!have->mapping, !want->mapping);
	if (!want->mapping)
		return;
	cr_assert_eq(have->mapping->start, want->mapping->start);
	cr_assert_eq(have->mapping->limit, want->mapping->limit);
	cr_assert_eq(have->mapping->offset, want->mapping->offset);
	cr_assert_str_eq(have->mapping->file, want->mapping->file);
	cr_assert_str_eq(have->mapping->build_id, want->mapping->build_id);
	cr_assert(have->mapping->has_functions && !have->mapping->has_filenames &&
		  have->mapping->has_line_numbers && !have->mapping->has_inline_frames);
}

static void assert_sample(struct pprof *of, size_t index)
{
	struct pprof_sample s;

	cr_assert_eq(pprof_sample(of, index, &s), 0, "%s", pprof_message(of));
	cr_assert(s.values[0] == 1 && s.values[1] == INT64_MIN);
	cr_assert_eq(s.frame_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_frame(&s.frames[i], &frames[i]);
	cr_assert(s.frames[0].folded && s.frames[1].folded && !s.frames[2].folded);
	cr_assert_eq(s.label_count, 2);
	cr_assert_str_eq(s.labels[0].key, "thread");
	cr_assert_str_eq(s.labels[0].text, "worker");
	cr_assert_null(s.labels[1].text);
	cr_assert_eq(s.labels[1].number, -64);
	cr_assert_str_eq(s.labels[1].unit, "bytes");
}

Test(api, samples_come_back_as_they_were_added, .init = fill, .fini = free_both)
{
	assert_sample(p, 0);
	cr_assert_eq(pprof_samples(p), 1);
	cr_assert_str_eq(pprof_message(p), "");
}

Test(api, a_sample_may_go_to_its_own_profile_or_another, .init = fill, .fini = free_both)
{
	pprof_add_type(q, "a", NULL);
	pprof_add_type(q, "b", NULL);
	for (size_t i = 0; i < 200; i++) {
		struct pprof_sample s;

		cr_assert_eq(pprof_sample(p, i, &s), 0);
		cr_assert_eq(pprof_add_sample(p, &s), 0);
		cr_assert_eq(pprof_add_sample(q, &s), 0);
	}
	assert_sample(p, 200);
	assert_sample(q, 199);
}

/* Equal frames are one function, one location, one mapping in the file. */
Test(api, what_is_the_same_is_kept_once, .init = fill, .fini = free_both)
{
	size_t once, twice;
	void *data;

	cr_assert_eq(pprof_encode(p, false, &data, &once), 0);
	free(data);
	cr_assert_eq(pprof_add_sample(p, &sample), 0);
	cr_assert_eq(pprof_encode(p, false, &data, &twice), 0);
	cr_assert_lt(twice - once, 60);
	cr_assert_eq(pprof_parse(q, data, twice, 0), 0);
	cr_assert_eq(pprof_add_sample(q, &sample), 0);
	free(data);
	cr_assert_eq(pprof_encode(q, false, &data, &once), 0);
	cr_assert_lt(once - twice, 60);
	free(data);
}

Test(api, through_memory, .init = fill, .fini = free_both)
{
	for (int gzip = 0; gzip < 2; gzip++) {
		size_t len = 0;
		void *data = NULL;

		cr_assert_eq(pprof_encode(p, gzip, &data, &len), 0);
		cr_assert_eq(!memcmp(data, "\x1f\x8b", 2), gzip);
		cr_assert_eq(pprof_parse(q, data, len, 0), 0, "%s", pprof_message(q));
		assert_sample(q, 0);
		cr_assert_eq(pprof_parse(q, data, len, 100), PPROF_LIMIT);
		cr_assert(strstr(pprof_message(q), "more than 100 bytes"));
		cr_assert_eq(pprof_parse(q, data, len - 1, 0), PPROF_FORMAT);
		assert_sample(q, 0);
		free(data);
	}
	cr_assert_eq(pprof_parse(q, NULL, 0, 0), PPROF_FORMAT);
}

Test(api, reads_what_was_before_profile_proto, .init = make, .fini = free_both)
{
	static const char goroutines[] = "goroutine profile: total 3\n3 @ 0x1010 0x2020\n";
	struct pprof_sample s;

	cr_assert_eq(pprof_parse(p, goroutines, sizeof(goroutines) - 1, 0), 0, "%s",
		     pprof_message(p));
	cr_assert_eq(pprof_sample(p, 0, &s), 0);
	cr_assert_eq(s.values[0], 3);
	cr_assert_eq(s.frame_count, 2);
	cr_assert_null(s.frames[1].function);
	cr_assert_str_eq(s.frames[1].system_name, "");
	cr_assert_eq(s.frames[1].address, 0x201f);
}

Test(api, through_a_file, .init = fill, .fini = free_both)
{
	char path[] = "/tmp/api-test-XXXXXX";

	close(mkstemp(path));
	cr_assert_eq(pprof_write(p, path), 0, "%s", pprof_message(p));
	cr_assert_eq(pprof_read(q, path, 0), 0, "%s", pprof_message(q));
	assert_sample(q, 0);
	unlink(path);
	cr_assert_eq(pprof_read(q, path, 0), PPROF_IO);
	cr_assert(strstr(pprof_message(q), path));
	assert_sample(q, 0);
	cr_assert_eq(pprof_write(p, "/no/such/folder/x"), PPROF_IO);
	cr_assert(strstr(pprof_message(p), "/no/such/folder"));
	cr_assert_eq(pprof_write(p, "/dev/full"), PPROF_IO);
}

Test(api, header_comments_and_types, .init = make, .fini = free_both)
{
	struct pprof_header h = { 1700000000000000000,	30,    10,    "cpu",
				  "nanoseconds",	"cpu", "d.*", "k",
				  "https://example.org" },
			    none;
	const char *unit;
	size_t len;
	void *data;

	pprof_header(p, &none);
	cr_assert(none.time_nanos == 0 && !strcmp(none.doc_url, ""));
	cr_assert_eq(pprof_set_header(p, &h), 0);
	cr_assert_eq(pprof_add_type(p, "cpu", "nanoseconds"), 0);
	cr_assert_eq(pprof_add_type(p, NULL, NULL), 0);
	cr_assert_eq(pprof_add_comment(p, "one"), 0);
	cr_assert_eq(pprof_encode(p, true, &data, &len), 0);
	cr_assert_eq(pprof_parse(q, data, len, 0), 0);
	free(data);
	memset(&h, 0, sizeof(h));
	pprof_header(q, &h);
	cr_assert(h.time_nanos == 1700000000000000000 && h.duration_nanos == 30 && h.period == 10);
	cr_assert_str_eq(h.period_type, "cpu");
	cr_assert_str_eq(h.period_unit, "nanoseconds");
	cr_assert_str_eq(h.default_type, "cpu");
	cr_assert_str_eq(h.drop_frames, "d.*");
	cr_assert_str_eq(h.keep_frames, "k");
	cr_assert_str_eq(h.doc_url, "https://example.org");
	cr_assert_str_eq(pprof_comment(q, 0), "one");
	cr_assert_null(pprof_comment(q, 1));
	cr_assert_str_eq(pprof_type(q, 0, &unit), "cpu");
	cr_assert_str_eq(unit, "nanoseconds");
	cr_assert_str_eq(pprof_type(q, 1, NULL), "");
	cr_assert_null(pprof_type(q, 2, &unit));
	cr_assert_eq(pprof_set_header(q, &none), 0);
	pprof_header(q, &h);
	cr_assert(h.period == 0 && !strcmp(h.period_type, ""));
}

Test(api, says_what_cannot_be, .init = fill, .fini = free_both)
{
	struct pprof_sample s = { values, frames, 1, NULL, 0 };
	const struct pprof_frame nowhere[] = { { .inlined = true }, frames[1] };
	const struct pprof_frame into_nothing[] = { frames[0], { .address = 1 } };

	cr_assert_eq(pprof_add_sample(q, &sample), PPROF_USAGE);
	cr_assert_str_eq(pprof_message(q), "a sample comes before the sample types");
	cr_assert_eq(pprof_add_type(p, "more", ""), PPROF_USAGE);
	cr_assert_str_eq(pprof_message(p), "sample type 'more' comes after samples");
	cr_assert_eq(pprof_add_sample(p, &s), PPROF_USAGE);
	cr_assert_str_eq(pprof_message(p), "frame 0 is inlined into nothing");
	s.frame_count = 2;
	s.frames = nowhere;
	cr_assert_eq(pprof_add_sample(p, &s), PPROF_USAGE);
	s.frames = into_nothing;
	cr_assert_eq(pprof_add_sample(p, &s), PPROF_USAGE);
	cr_assert_eq(pprof_sample(p, 1, &s), PPROF_USAGE);
	cr_assert_str_eq(pprof_message(p), "there is no sample 1");
	cr_assert_eq(pprof_samples(p), 1);
	s.frame_count = 0;
	cr_assert_eq(pprof_add_sample(p, &s), 0);
	cr_assert_eq(pprof_sample(p, 1, &s), 0);
	cr_assert_eq(s.frame_count + s.label_count, 0);
}

/* A location of 2,000 inlined calls, 600 times in a stack. */
Test(api, a_small_file_with_a_million_frames, .init = make, .fini = free_both)
{
	enum { LINES = 2000, TIMES = 600 };
	struct pprof_frame *many = calloc((size_t)LINES * TIMES, sizeof(*many));
	struct pprof_sample s = { values, many, (size_t)LINES * 500, NULL, 0 };

	for (size_t i = 0; i < (size_t)LINES * TIMES; i++)
		many[i] = (struct pprof_frame){ .function = "f", .inlined = (i + 1) % LINES };
	pprof_add_type(p, "samples", "count");
	cr_assert_eq(pprof_add_sample(p, &s), 0);
	s.frame_count = (size_t)LINES * TIMES;
	cr_assert_eq(pprof_add_sample(p, &s), 0);
	free(many);
	cr_assert_eq(pprof_sample(p, 0, &s), 0);
	cr_assert_eq(s.frame_count, (size_t)LINES * 500);
	cr_assert_eq(pprof_sample(p, 1, &s), PPROF_LIMIT);
	cr_assert_str_eq(pprof_message(p), "a sample has 1002000 frames or more");
}

Test(api, merges, .init = fill, .fini = free_both)
{
	struct pprof *both[] = { p, p };
	struct pprof_sample s;

	cr_assert_eq(pprof_merge(q, both, 0), 0);
	cr_assert_eq(pprof_samples(q), 0);
	cr_assert_eq(pprof_merge(q, both, 1), 0, "%s", pprof_message(q));
	assert_sample(q, 0);
	cr_assert_eq(pprof_merge(p, both, 2), 0);
	cr_assert_eq(pprof_samples(p), 1);
	cr_assert_eq(pprof_sample(p, 0, &s), 0);
	cr_assert_eq(s.values[0], 3);
	cr_assert_eq(pprof_add_sample(p, &sample), 0);
	cr_assert_eq(pprof_merge(p, NULL, 0), 0);
	cr_assert_eq(pprof_samples(p), 1);
	cr_assert_eq(pprof_sample(p, 0, &s), 0);
	cr_assert_eq(s.values[0], 4);
}

Test(api, does_not_merge_what_does_not_fit, .init = fill, .fini = free_both)
{
	cr_assert_eq(pprof_add_type(q, "space", "bytes"), 0);
	cr_assert_eq(pprof_merge(p, &q, 1), PPROF_FORMAT);
	cr_assert(strstr(pprof_message(p), "space"), "%s", pprof_message(p));
	assert_sample(p, 0);
}
