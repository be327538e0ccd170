/* Stacks counted with their labels: order, samples, text. */
#include <criterion/criterion.h>

#include "base/buffer.h"
#include "runtimes/go/labels.h"
#include "runtimes/go/profile/counts.h"
#include "runtimes/go/session/builder.h"
#include "tests/unit/runtimes/go/profile/made_up.h"

static struct counts c;
static struct pcframes frames;

static void begin(void)
{
	c = (struct counts){ 0 };
	made_up_init(&frames, 22);
}

static void end(void)
{
	counts_release(&c);
	pcframes_release(&frames);
}

static struct golabel label(const char *key, const char *value)
{
	return (struct golabel){ key, value, strlen(key), strlen(value) };
}

static uint32_t add_set(uint64_t address, size_t count, const struct golabel *labels)
{
	uint32_t set;

	cr_assert_eq(labelsets_add(&c.labels, address, labels, count, &set), 0);
	return set;
}

#define ADD(set, ...) \
	cr_assert_eq(counts_add(&c, (const uint64_t[]){ __VA_ARGS__ }, \
				sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, set, false), \
		     0)

static const char *text(void)
{
	static char copy[2048];
	struct buffer out = { 0 };

	counts_sort(&c);
	cr_assert_eq(counts_text(&c, "goroutine", &frames, &out), 0);
	cr_assert_lt(out.len, sizeof(copy));
	memcpy(copy, out.data, out.len);
	copy[out.len] = '\0';
	buffer_release(&out);
	return copy;
}

/* As Go's keysByCount: the most frequent first; equal counts in the order of their texts, so 0x1…
 * before 0x9…, however long. */
Test(counts, order)
{
	begin();
	ADD(0, 0x90000);
	ADD(0, MAIN, EXIT);
	ADD(0, 0x9000);
	ADD(0, MAIN);
	ADD(0, AGAIN);
	ADD(0, AGAIN);
	ADD(0, 0x100000);
	cr_assert_eq(c.total, 7);
	counts_sort(&c);
	cr_assert_eq(c.count, 6);
	cr_assert_eq(c.stacks[0].times, 2);
	cr_assert_eq(c.pcs[c.stacks[1].first], 0x100000);
	cr_assert_eq(c.stacks[2].count, 1, "the shorter of two that begin alike");
	cr_assert_eq(c.stacks[3].count, 2);
	cr_assert_eq(c.pcs[c.stacks[4].first], 0x9000);
	cr_assert_eq(c.pcs[c.stacks[5].first], 0x90000);
	end();
}

Test(counts, text)
{
	struct golabel two[] = { label("k", "v\n"), label("a\"b", "w") };
	uint32_t set;

	begin();
	set = add_set(0x5000, 2, two);
	ADD(set, MAIN);
	ADD(0, MAIN);
	cr_assert_str_eq(text(), "goroutine profile: total 2\n"
				 "1 @ 0x2041\n"
				 "#\t0x2040\tmain.main+0x40\t/src/main.go:41\n\n"
				 "1 @ 0x2041\n"
				 "# labels: {\"a\\\"b\":\"w\", \"k\":\"v\\n\"}\n"
				 "#\t0x2040\tmain.main+0x40\t/src/main.go:41\n\n");
	end();
}

Test(counts, sets_of_the_same_content_are_one)
{
	struct golabel one = label("k", "v"), other = label("k", "w");
	uint32_t a, b;

	begin();
	a = add_set(0x5000, 1, &one);
	b = add_set(0x6000, 1, &one);
	cr_assert_eq(a, b);
	cr_assert_neq(add_set(0x7000, 1, &other), a);
	cr_assert_neq(add_set(0x8000, 0, NULL), 0, "an empty set is one, too");
	cr_assert_eq(labelsets_at(&c.labels, 0x6000), a);
	cr_assert_eq(labelsets_at(&c.labels, 0x6001), 0);
	labelsets_forget(&c.labels);
	cr_assert_eq(labelsets_at(&c.labels, 0x6000), 0);
	cr_assert_eq(add_set(0x6000, 1, &other), a + 1, "another one stands there now");
	cr_assert_eq(labelsets_at(&c.labels, 0x6000), a + 1);
	end();
}

static void build(struct profile *p)
{
	struct builder b;

	cr_assert_eq(profile_init(p), 0);
	cr_assert_eq(profile_add_type(p, "goroutine", "count"), 0);
	builder_init(&b, p, &frames);
	counts_sort(&c);
	cr_assert_eq(counts_build(&c, &b), 0);
	builder_release(&b);
}

Test(counts, samples)
{
	struct golabel two[] = { label("empty", ""), label("k", "v") };
	struct profile p;

	begin();
	ADD(add_set(0, 2, two), MAIN, EXIT);
	ADD(0, EXIT);
	ADD(0, EXIT);
	build(&p);
	cr_assert_eq(p.sample_count, 2);
	cr_assert_eq(p.values[0], 2);
	cr_assert_eq(p.samples[0].locations, 0, "counted all the same");
	cr_assert_eq(p.samples[1].labels, 2);
	cr_assert_eq(p.labels[0].str, 0,
		     "as Go writes it, though profile.proto has no empty label");
	cr_assert_str_eq(strset_get(&p.strings, p.labels[1].str), "v");
	profile_release(&p);
	end();
}

Test(counts, a_stack_that_is_not_known_says_so)
{
	const uint64_t start = MAIN;
	struct profile p;
	uint32_t f;

	begin();
	cr_assert_eq(counts_add(&c, &start, 1, 0, true), 0);
	cr_assert_eq(counts_add(&c, &start, 1, 0, false), 0);
	cr_assert_eq(c.count, 2, "which is another stack than that frame alone");
	build(&p);
	cr_assert_eq(p.samples[1].locations, 2);
	f = p.lines[p.locations[p.stack[p.samples[1].first_location] - 1].first_line].function;
	cr_assert_str_eq(strset_get(&p.strings, p.functions[f - 1].name), "[stack unavailable]");
	cr_assert_not_null(
		strstr(text(), "1 @ 0x2041\n#\t[stack unavailable]\n#\t0x2040\tmain.main"));
	profile_release(&p);
	end();
}
