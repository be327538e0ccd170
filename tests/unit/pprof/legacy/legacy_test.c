/* Legacy profiles: each format once, and damage. tests/oracle/legacy.test compares many more with
 * google/pprof. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/legacy/legacy.h"
#include "pprof/profile.h"
#include "pprof/validate.h"

static struct profile p;
static struct error err;

static int parse(const void *data, size_t len)
{
	/* In a copy of exactly that size a sanitizer detects a read past the end. */
	void *copy = malloc(len + !len);
	int rc;

	memcpy(copy, data, len);
	err = (struct error){ 0 };
	cr_assert_eq(profile_init(&p), 0);
	rc = legacy_parse(&p, copy, len, &err);
	free(copy);
	return rc;
}

static void must_parse(const char *text)
{
	cr_assert_eq(parse(text, strlen(text)), 0, "%s", err.text);
	cr_assert_eq(profile_validate(&p, &err), 0, "%s", err.text);
}

static const char *string(uint32_t id)
{
	return strset_get(&p.strings, id);
}

static const char *type(size_t i)
{
	return string(p.types[i].type);
}

/* A test, which releases what it has parsed. */
#define LEGACY(name) Test(legacy, name, .fini = release)

static void release(void)
{
	profile_release(&p);
}

static const char counts[] = "goroutine profile: total 3\n"
			     "2 @ 0x401001 0x402001\n"
			     "# labels: {\"a\":\"b\"}\n"
			     "#\t0x401000\tmain.f+0x1\t/a.go:1\n\n"
			     "1 @ 0x402001\n"
			     "--- Memory map: ---\n"
			     "00400000-00500000 r-xp 00000000 08:01 12 /bin/server\n";

LEGACY(counts)
{
	must_parse(counts);
	cr_assert(p.type_count == 1 && p.sample_count == 2 && p.location_count == 2);
	cr_assert_str_eq(type(0), "goroutine");
	cr_assert_eq(p.locations[0].address, 0x401000);
	cr_assert(p.mapping_count == 1 && p.mappings[0].limit == 0x500000);
	cr_assert_str_eq(string(p.mappings[0].filename), "/bin/server");
	cr_assert_eq(p.locations[1].mapping, 1);
	cr_assert(p.values[0] == 2 && p.values[1] == 1 && p.label_count == 0);
	cr_assert(strstr(string(p.drop_frames), "__pthread_sighandler"));
}

LEGACY(heap_in_estimates)
{
	must_parse("heap profile: 1: 2 [3: 4] @ heap/1048576\n3: 300 [5: 500] @ 0x401001\n");
	cr_assert_eq(p.type_count, 4);
	cr_assert_str_eq(type(0), "alloc_objects");
	cr_assert(p.values[2] == 15730 && p.values[3] == 1573014 && p.period == 524288);
	cr_assert(p.labels[0].num == 100 && !strcmp(string(p.labels[0].key), "bytes"));
	cr_assert(strstr(string(p.keep_frames), "runtime\\.panic"));
}

LEGACY(contention_in_nanoseconds)
{
	must_parse("--- mutex:\ncycles/second=500000000\nsampling period=10\n100 7 @ 0x9\n");
	cr_assert(p.values[0] == 70 && p.values[1] == 2000 && p.period == 10);
	cr_assert(strstr(string(p.drop_frames), "SpinLock"));
}

/* 10 samples whose second frame is the signal handler's. */
static size_t make_cpu(uint64_t words[100])
{
	static const uint64_t header[] = { 0, 3, 0, 1000, 0 }, end[] = { 0, 1, 0 };
	size_t n = 5;

	memcpy(words, header, sizeof(header));
	for (uint64_t i = 0; i < 10; i++) {
		uint64_t sample[] = { 1, 3, 0x1000 + i, 0x7001, 0x2001 + i % 2 };

		memcpy(words + n, sample, sizeof(sample));
		n += 5;
	}
	memcpy(words + n, end, sizeof(end));
	return (n + 3) * sizeof(*words);
}

LEGACY(cpu_without_the_handler)
{
	uint64_t words[100];
	size_t len = make_cpu(words);

	cr_assert_eq(parse(words, len), 0, "%s", err.text);
	cr_assert(p.sample_count == 10 && p.stack_count == 20 && p.period == 1000000);
	cr_assert_eq(p.locations[1].address, 0x2000);
	for (size_t i = 0; i < 100; i++)
		words[i] = __builtin_bswap64(words[i]);
	profile_release(&p);
	cr_assert_eq(parse(words, len), 0, "%s", err.text);
	cr_assert_eq(p.locations[1].address, 0x2000);
}

LEGACY(what_is_none)
{
	cr_assert_eq(parse("", 0), ERR_NOTFOUND);
	release();
	cr_assert_eq(parse("hello\n", 6), ERR_NOTFOUND);
	cr_assert(!strchr(err.text, '\n'));
}

static void survives(const void *data, size_t len)
{
	uint8_t *copy = malloc(len);

	for (size_t n = 0; n < len; n++) {
		int rc = parse(data, n);

		cr_assert(!rc || rc == ERR_NOTFOUND || rc == ERR_FORMAT);
		release();
		memcpy(copy, data, len);
		for (int bit = 0; bit < 8; bit++) {
			copy[n] ^= (uint8_t)(1 << bit);
			rc = parse(copy, len);
			cr_assert(rc ? *err.text : profile_validate(&p, &err) == 0);
			release();
		}
	}
	free(copy);
}

/* Sampled every 512 KiB; 400 objects of 1 KiB, for which jeprof estimates 205,000 and 209,920,066
 * bytes. */
static const char jemalloc[] = "heap_v2/524288\n"
			       "  t*: 401: 933888 [0: 0]\n"
			       "  t0: 401: 933888 [0: 0] main\n"
			       "@ 0x401001 0x402001\n"
			       "  t*: 400: 409600 [0: 0]\n"
			       "  t0: 400: 409600 [0: 0]\n"
			       "@ 0x402001\n"
			       "  t*: 1: 524288 [0: 0]\n"
			       "\n"
			       "MAPPED_LIBRARIES:\n"
			       "00400000-00500000 r-xp 00000000 08:01 12 /bin/server\n";

LEGACY(jemallocs_own_heap)
{
	must_parse(jemalloc);
	cr_assert_eq(p.type_count, 2);
	cr_assert_str_eq(type(0), "objects");
	cr_assert_str_eq(type(1), "space");
	cr_assert_eq(p.period, 524288);
	cr_assert_eq(p.sample_count, 2);
	cr_assert_eq(p.samples[0].locations, 2);
	cr_assert_eq(p.locations[0].address, 0x401000);
	cr_assert_eq(p.values[0], 205000, "%ld", p.values[0]);
	cr_assert_eq(p.values[1], 209920066, "%ld", p.values[1]);
	cr_assert_eq(p.values[2], 1, "%ld", p.values[2]);
	cr_assert_str_eq(string(p.mappings[0].filename), "/bin/server");
}

LEGACY(jemallocs_heap_with_what_was_allocated)
{
	must_parse("heap_v2/1\n  t*: 3: 30 [8: 90]\n  t1: 3: 30 [8: 90]\n@ 0x401001\n"
		   "  t*: 3: 30 [8: 90]\n  t1: 3: 30 [8: 90]\n\nMAPPED_LIBRARIES:\n");
	cr_assert_eq(p.type_count, 4);
	cr_assert_str_eq(type(1), "alloc_space");
	cr_assert_eq(p.values[0], 8);
	cr_assert_eq(p.values[3], 30);
}

LEGACY(jemallocs_heap_with_a_broken_line)
{
	static const char broken[] = "heap_v2/1\n@ 0x401001\n  t*: 3\n";

	cr_assert_eq(parse(broken, sizeof(broken) - 1), ERR_FORMAT);
	cr_assert_str_eq(err.text, "line 3: is no 't*: OBJECTS: BYTES [OBJECTS: BYTES]'");
}

Test(legacy, survives_truncation_and_flips_at_every_byte)
{
	uint64_t words[100];

	survives(counts, sizeof(counts) - 1);
	survives(jemalloc, sizeof(jemalloc) - 1);
	survives(words, make_cpu(words));
}

/* Names in comments. */

/* Parses samples of goroutines and writes location i (from 0) as "f a.go:1 < g b.go:2". */
static const char *named(size_t i, const char *samples)
{
	static char text[512];
	const struct profile_location *l;
	size_t len = 0;

	snprintf(text, sizeof(text), "goroutine profile: total 1\n%s", samples);
	profile_release(&p);
	must_parse(text);
	l = &p.locations[i];
	*text = '\0';
	for (size_t k = 0; k < l->lines; k++) {
		const struct profile_line *line = &p.lines[l->first_line + k];
		const struct profile_function *f = &p.functions[line->function - 1];

		cr_assert_eq(f->system_name, f->name);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %s:%ld",
					k ? " < " : "", string(f->name), string(f->filename),
					line->line);
	}
	return text;
}

LEGACY(comments_name_the_addresses_of_their_sample)
{
	static const char text[] = "1 @ 0x11 0x21 0x31\n"
				   "# labels: {\"a\":\"b\"}\n"
				   "#\t0x20\tmain.f+0x1\t\t/a.go:12\n"
				   "#\t0x30\tmain.(*T[...]).g\t/b c:d.go:7\n";

	cr_expect_str_eq(named(0, text), "", "Go has left it out");
	cr_expect_str_eq(named(1, text), "main.f /a.go:12");
	cr_expect_str_eq(named(2, text), "main.(*T[...]).g /b c:d.go:7");
	cr_expect(p.mappings[0].has_functions && p.mappings[0].has_filenames);
	cr_expect(p.mappings[0].has_line_numbers && !p.mappings[0].has_inline_frames);
}

LEGACY(a_frame_may_have_several_lines)
{
	static const char text[] = "1 @ 0x11 0x21\n#\t0x10\tf\ta.go:1\n#\t0x10\tg\tb.go:2\n"
				   "#\t0x20\th\tc.go:3\n";

	cr_expect_str_eq(named(0, text), "f a.go:1 < g b.go:2");
	cr_expect_str_eq(named(1, text), "h c.go:3");
}

LEGACY(recursion_is_no_inlined_call)
{
	static const char text[] = "1 @ 0x11 0x11 0x11 0x21\n#\t0x10\tf\ta.go:1\n"
				   "#\t0x10\tf\ta.go:1\n#\t0x10\tf\ta.go:1\n#\t0x20\tg\tb.go:2\n";
	static const char both[] = "1 @ 0x11 0x11 0x21\n#\t0x10\tf\ta.go:1\n#\t0x10\tg\ta.go:2\n"
				   "#\t0x10\tf\ta.go:1\n#\t0x10\tg\ta.go:2\n#\t0x20\th\tb.go:2\n";

	cr_expect_str_eq(named(0, text), "f a.go:1");
	cr_expect_str_eq(named(1, text), "g b.go:2");
	cr_expect_str_eq(named(0, both), "f a.go:1 < g a.go:2");
	cr_expect_str_eq(named(1, both), "h b.go:2");
}

LEGACY(the_longest_list_of_lines_stays)
{
	static const char text[] = "1 @ 0x11\n#\t0x10\tg\tb.go:2\n"
				   "1 @ 0x21 0x11\n#\t0x10\tf\ta.go:1\n#\t0x10\tg\tb.go:2\n"
				   "1 @ 0x11 0x21\n#\t0x10\tx\tx.go:2\n#\t0x20\th\tc.go:3\n";

	cr_expect_str_eq(named(0, text), "f a.go:1 < g b.go:2");
	cr_expect_str_eq(named(1, text), "h c.go:3");
}

LEGACY(comments_that_fit_no_address_are_ignored)
{
	static const char text[] = "#\t0x10\tearly\ta.go:1\n"
				   "1 @ 0x11 0x21\n#\t0x50\tother\ta.go:1\n#\t0x10\tf\ta.go:1\n"
				   "1 @ 0x21\n#\t0x20\tg+0x\tno place\n";

	cr_expect_str_eq(named(0, text), "", "it stands behind one that does not fit");
	cr_expect_str_eq(named(1, text), "g+0x no place:0");
	cr_expect_str_eq(named(0, "1 @ 0x11\n#\t0x10\n"), "");
	cr_expect_str_eq(named(0, "1 @ 0x11\n# \t0x10\tf\ta.go:1\n"), "");
	cr_expect_str_eq(named(0, "1 @ 0x11\n#\t0x10000000000000010\tf\ta.go:1\n"), "");
	cr_expect_str_eq(named(0, "1 @ 0x11\n#\t0x10\tf+0x12\ta.go:99999999999999999999\n"),
			 "f a.go:99999999999999999999:0");
}

LEGACY(heap_and_contention_have_names_too)
{
	static const char heap[] =
		"heap profile: 1: 8 [1: 8] @ heap/2\n1: 8 [1: 8] @ 0x11\n"
		"#\t0x10\tmain.f+0x1\t/a.go:12\n\n# runtime.MemStats\n# Alloc = 1\n";
	static const char mutex[] = "--- mutex:\ncycles/second=1000000000\n5 1 @ 0x11\n"
				    "#\t0x10\tmain.f+0x1\t/a.go:12\n";

	must_parse(heap);
	cr_expect_str_eq(string(p.functions[0].name), "main.f");
	profile_release(&p);
	must_parse(mutex);
	cr_expect_str_eq(string(p.functions[0].name), "main.f");
}
