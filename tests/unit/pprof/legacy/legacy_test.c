/* Texts of Go's debug=1: each form once, and damage. tests/oracle/legacy.test compares many more
 * with google/pprof. */
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
			     "1 @ 0x402001\r\n";

LEGACY(counts)
{
	must_parse(counts);
	cr_assert(p.type_count == 1 && p.sample_count == 2 && p.location_count == 2);
	cr_assert_str_eq(type(0), "goroutine");
	cr_assert_eq(p.locations[0].address, 0x401000);
	cr_assert(p.mapping_count == 1 && p.mappings[0].limit == UINT64_MAX);
	cr_assert_eq(p.locations[1].mapping, 1);
	cr_assert(p.values[0] == 2 && p.values[1] == 1 && p.label_count == 0);
	cr_assert_eq(p.drop_frames, 0);
}

LEGACY(heap_in_estimates)
{
	must_parse("heap profile: 1: 2 [3: 4] @ heap/1048576\n3: 300 [5: 500] @ 0x401001\n");
	cr_assert_eq(p.type_count, 4);
	cr_assert_str_eq(type(0), "alloc_objects");
	cr_assert(p.values[2] == 15730 && p.values[3] == 1573014 && p.period == 524288);
	cr_assert(p.labels[0].num == 100 && !strcmp(string(p.labels[0].key), "bytes"));
	cr_assert_str_eq(string(p.drop_frames), "runtime\\..*");
	cr_assert(strstr(string(p.keep_frames), "runtime\\.panic"));
}

LEGACY(contention_in_nanoseconds)
{
	must_parse("--- mutex:\ncycles/second=500000000\nsampling period=10\n100 7 @ 0x9\n");
	cr_assert(p.values[0] == 70 && p.values[1] == 2000 && p.period == 10);
}

static void is_wrong(int code, const char *text, const char *why)
{
	cr_expect_eq(parse(text, strlen(text)), code, "%s", text);
	cr_expect(strstr(err.text, why), "%s: %s", text, err.text);
	cr_expect(!strchr(err.text, '\n'));
	release();
}

static const char heap_head[] = "heap profile: 1: 2 [3: 4] @ heap/1048576\n";

Test(legacy, a_line_of_another_form_is_named)
{
	char text[256];

	is_wrong(ERR_FORMAT, "a profile: total 1\n1 @ 0x1\n\n1 @ 0x1 x\n",
		 "line 4: is no sample, 'COUNT");
	is_wrong(ERR_FORMAT, "a profile: total 1\n01 @ 0x1\n", "line 2: is no sample");
	is_wrong(ERR_FORMAT, "a profile: total 1\n1 @ 0xA\n", "line 2: is no sample");
	is_wrong(ERR_FORMAT, "a profile: total 1\n1 @ 0x10000000000000000\n", "line 2: is no");
	is_wrong(ERR_FORMAT, "--- mutex:\n1 2 @ 0x1\nsampling period=7\n", "line 3: is no sample");
	is_wrong(ERR_FORMAT, "--- contention:\n1 @ 0x1\n", "'CYCLES COUNT @");
	snprintf(text, sizeof(text), "%s%s", heap_head, "0: 8 [0: 0] @ 0x1\n");
	is_wrong(ERR_FORMAT, text, "line 2: is no sample, 'OBJECTS: BYTES");
	snprintf(text, sizeof(text), "%s%s", heap_head, "1: 8 [-1: 8] @ 0x1\n");
	is_wrong(ERR_FORMAT, text, "line 2: is no sample");
}

Test(legacy, what_is_none)
{
	is_wrong(ERR_NOTFOUND, "", "no text of Go's");
	is_wrong(ERR_NOTFOUND, "hello\n", "no text of Go's");
	is_wrong(ERR_NOTFOUND, "heap profile: 1: 2 [3: 4] @ heap_v2/524288\n", "no text of Go's");
	is_wrong(ERR_NOTFOUND, "heap profile:  1: 2 [ 3: 4] @ heap/524288\n", "no text of Go's");
	is_wrong(ERR_NOTFOUND, "--- contentionz 1 ---\n", "no text of Go's");
}

LEGACY(what_is_in_use_may_be_negative)
{
	must_parse("heap profile: 1: 2 [1: 2] @ heap/2\n-1: -8 [0: 0] @ 0x401001\n");
	cr_assert_eq(p.type_count, 2);
	cr_assert(p.values[0] == -1 && p.values[1] == -8);
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

Test(legacy, survives_truncation_and_flips_at_every_byte)
{
	static const char heap[] = "heap profile: 1: 2 [3: 4] @ heap/1048576\n"
				   "3: 300 [5: 500] @ 0x401001\n";
	static const char mutex[] = "--- mutex:\ncycles/second=50\nsampling period=1\n10 7 @ 0x9\n";

	survives(counts, sizeof(counts) - 1);
	survives(heap, sizeof(heap) - 1);
	survives(mutex, sizeof(mutex) - 1);
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
