/* What a page contains. Its behaviour is tested in a browser (tests/profiles/flamegraph.test). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/flame/flame.h"
#include "pprof/flame/graph.h"
#include "pprof/flame/page.h"
#include "tests/unit/pprof/report/fixture.h"

static void init(struct profile *p)
{
	profile_init(p);
	profile_add_type(p, "samples", "count");
}

static size_t count_of(const struct buffer *text, const char *what)
{
	const char *s = (const char *)text->data;
	size_t n = 0;

	for (; (s = strstr(s, what)); s++)
		n++;
	return n;
}

Test(flamegraph, hostile_names_stay_text)
{
	static const char *const names[] = { "</script><img src=x onerror=alert(1)>", "a]]>b",
					     "\"'&<!--", "\xff\xfe\xef\xbf\xbe\x01" };
	report_writer *const writers[] = { report_flamegraph_html, report_flamegraph_svg };
	struct report_view v = { .title = "<b>&\"t" };
	int64_t one = 1;
	struct profile p;

	init(&p);
	for (size_t i = 0; i < 4; i++) {
		uint32_t id = add_frame(&p, names[i]);

		profile_add_sample(&p, &id, 1, &one, NULL, 0);
		profile_add_comment(&p, names[i]);
	}
	for (size_t i = 0; i < 2; i++) {
		struct buffer page = { 0 };

		cr_assert_eq(writers[i](&p, &v, &page, NULL), 0);
		buffer_add(&page, "", 1);
		cr_assert_eq(count_of(&page, "</script>"), 2);
		cr_assert_eq(count_of(&page, "<img"), 0);
		cr_assert_eq(count_of(&page, "<b>"), 0);
		cr_assert_eq(count_of(&page, "]]>"), i ? 2 : 0);
		cr_assert_eq(count_of(&page, "\xef\xbf\xbe"), 0);
		cr_assert_eq(count_of(&page, "http://") + count_of(&page, "https://"),
			     count_of(&page, "http://www.w3.org/"), "names of XML only");
		buffer_release(&page);
	}
	profile_release(&p);
}

Test(page, text_is_escaped)
{
	static const char text[] = "<a href='x'>\"&\x01\xff\xef\xbf\xbf";
	struct buffer out = { 0 };

	cr_assert_eq(page_add_text(&out, text, sizeof(text) - 1), 0);
	buffer_add(&out, "", 1);
	cr_assert_str_eq((char *)out.data, "&lt;a href=&#39;x&#39;&gt;&quot;&amp; "
					   "\xef\xbf\xbd\xef\xbf\xbd");
	buffer_release(&out);
}

Test(flamegraph, the_widest_frames_are_kept)
{
	enum { CALLEES = 300000 };
	struct report_view v = { 0 };
	uint32_t stack[2];
	struct profile p;
	struct flame f;
	int64_t least_kept = INT64_MAX, most_left_out = 0;

	init(&p);
	stack[1] = add_frame(&p, "main");
	for (int64_t i = 1; i <= CALLEES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f%ld", i);
		stack[0] = add_frame(&p, name);
		profile_add_sample(&p, stack, 2, &i, NULL, 0);
	}
	cr_assert_eq(flame_init(&f, &p, &v, NULL), 0);
	cr_assert_leq(f.kept_count, FLAME_NODES);
	cr_assert_gt(f.kept_count, 1000);
	for (uint32_t i = 0; i < f.tree.count; i++) {
		int64_t total = flame_total(&f, i, 0, 0);

		if (f.kept[i] && total < least_kept)
			least_kept = total;
		if (!f.kept[i] && total > most_left_out)
			most_left_out = total;
	}
	cr_assert_gt(least_kept, most_left_out);
	flame_release(&f);
	profile_release(&p);
}

Test(flamegraph, of_one_deep_stack_what_is_next_to_the_root)
{
	enum { DEPTH = 1000000 };
	uint32_t *stack = calloc(DEPTH, sizeof(*stack));
	struct report_view v = { 0 };
	struct buffer data = { 0 };
	int64_t one = 1;
	struct profile p;
	struct flame f;

	init(&p);
	stack[0] = add_frame(&p, "recurse");
	for (int i = 1; i < DEPTH; i++)
		stack[i] = stack[0];
	profile_add_sample(&p, stack, DEPTH, &one, NULL, 0);
	cr_assert_eq(flame_init(&f, &p, &v, NULL), 0);
	cr_assert_eq(f.kept_count, FLAME_NODES);
	for (uint32_t i = 0; i < f.tree.count; i++)
		cr_assert_eq(f.kept[i], f.tree.nodes[i].depth < FLAME_NODES);
	cr_assert_eq(flame_add_data(&f, &data), 0);
	buffer_add(&data, "", 1);
	cr_assert(strstr((char *)data.data, "\"left_out\":900001"));
	buffer_release(&data);
	flame_release(&f);
	profile_release(&p);
	free(stack);
}

/* What is left out and what is shown add up to the total. */
Test(flamegraph, nothing_is_lost)
{
	struct report_view v = { .type = 9 };
	struct buffer data = { 0 };
	int64_t values[12];
	uint32_t a;
	struct profile p;
	struct flame f;

	profile_init(&p);
	for (int i = 0; i < 12; i++) {
		values[i] = i;
		profile_add_type(&p, "samples", "count");
	}
	a = add_frame(&p, "a");
	profile_add_sample(&p, &a, 1, values, NULL, 0);
	cr_assert_eq(flame_init(&f, &p, &v, NULL), 0);
	cr_assert_eq(f.type_count, FLAME_TYPES);
	cr_assert_eq(f.types[f.shown], 9, "the type that was asked for is among them");
	cr_assert_eq(flame_total(&f, 0, f.shown, 0), 9);
	f.kept[1] = false;
	cr_assert_eq(flame_add_data(&f, &data), 0);
	buffer_add(&data, "", 1);
	cr_assert(strstr((char *)data.data, "\"new\":[0,9]"));
	cr_assert(strstr((char *)data.data, "\"frame\":[-2,-1]"));
	cr_assert(strstr((char *)data.data, "\"depth\":[0,1]"));
	buffer_release(&data);
	flame_release(&f);
	profile_release(&p);
}

Test(flamegraph, modules_have_their_own_colours)
{
	struct report_view v = { 0 };
	int64_t one = 1;
	struct profile p;
	struct flame f;
	bool seen[360] = { false };

	init(&p);
	for (int i = 0; i < 15; i++) {
		char name[32];
		uint32_t id;

		snprintf(name, sizeof(name), "/lib/lib%d.so", i);
		id = add_location(&p, 7, add_mapping(&p, name), add_function(&p, name, ""), 0);
		profile_add_sample(&p, &id, 1, &one, NULL, 0);
	}
	cr_assert_eq(flame_init(&f, &p, &v, NULL), 0);
	for (uint32_t i = 1; i < f.tree.count; i++) {
		int hue = flame_hue(&f, f.tree.nodes[i].frame);

		cr_assert(hue >= 0 && hue < 360);
		cr_assert_not(seen[hue]);
		seen[hue] = true;
	}
	flame_release(&f);
	profile_release(&p);
}
