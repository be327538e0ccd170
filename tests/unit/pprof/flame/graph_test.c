/* What a page contains. Its behaviour is tested in a browser (tests/profiles/flamegraph.test). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printer.h"
#include "pprof/flame/flame.h"
#include "pprof/flame/reports.h"
#include "pprof/flame/page.h"
#include "pprof/wire/encode.h"
#include "tests/unit/pprof/report/fixture.h"

static void init(struct profile *p)
{
	profile_init(p);
	profile_add_type(p, "samples", "count");
}

/* The title of a page is the program's name. */
static void name_program(struct profile *p, const char *file)
{
	struct profile_mapping m = { 0 };
	uint32_t id;

	cr_assert(!profile_string(p, file, &m.filename) && !profile_add_mapping(p, &m, &id));
}

static size_t count_of(const struct buffer *text, const char *what)
{
	const char *s = (const char *)text->data;
	size_t n = 0;

	for (; (s = strstr(s, what)); s++)
		n++;
	return n;
}

static int decode_base64(const char *text, size_t len, struct buffer *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
		"+/";
	uint32_t bits = 0;
	int rc = len % 4 ? ERR_FORMAT : 0;

	for (size_t i = 0; i < len && !rc && text[i] != '='; i++) {
		const char *digit = strchr(digits, text[i]);

		cr_assert(digit && *digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		if (i % 4)
			rc = buffer_add(out, &(uint8_t){ (uint8_t)(bits >> (6 - i % 4 * 2)) }, 1);
	}
	return rc;
}

Test(flamegraph, hostile_names_stay_text)
{
	static const char *const names[] = { "</script><img src=x onerror=alert(1)>", "a]]>b",
					     "\"'&<!--", "\xff\xfe\xef\xbf\xbe\x01" };
	report_writer *const writers[] = { report_flamegraph_html, report_flamegraph_svg };
	struct report_view v = { 0 };
	int64_t one = 1;
	struct profile p;

	init(&p);
	name_program(&p, "<b>&\"t");
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
	struct printer to = { &out, 0 };

	page_add_text(&to, text, sizeof(text) - 1);
	cr_assert_eq(to.rc, 0);
	buffer_add(&out, "", 1);
	cr_assert_str_eq((char *)out.data, "&lt;a href=&#39;x&#39;&gt;&quot;&amp; "
					   "\xef\xbf\xbd\xef\xbf\xbd");
	buffer_release(&out);
}

/* The data of a page are the profile itself: what base64 and gzip hide is what profile_encode
 * gives. */
Test(flamegraph, the_page_has_the_profile_in_it)
{
	struct report_view v = { .type = 0, .by = REPORT_BY_LINE };
	struct buffer page = { 0 }, packed = { 0 }, decoded = { 0 };
	int64_t one = 1;
	struct profile p;
	uint32_t a;
	const char *from;

	init(&p);
	name_program(&p, "a\"b");
	for (int i = 0; i < 3; i++) { /* lengths that base64 fills up, and not */
		page.len = packed.len = decoded.len = 0;
		a = add_frame(&p, i ? i > 1 ? "ccc" : "bb" : "a");
		profile_add_sample(&p, &a, 1, &one, NULL, 0);
		cr_assert_eq(report_flamegraph_html(&p, &v, &page, NULL), 0);
		buffer_add(&page, "", 1);
		from = strstr((char *)page.data, "{\"title\":\"a\\\"b\",\"by\":1,\"type\":0");
		cr_assert(from);
		from = strstr(from, "\"profile\":\"") + strlen("\"profile\":\"");
		cr_assert_eq(profile_pack(&p, &packed, NULL), 0);
		cr_assert_eq(decode_base64(from, strcspn(from, "\""), &decoded), 0);
		cr_assert_eq(decoded.len, packed.len);
		cr_assert_eq(memcmp(decoded.data, packed.data, packed.len), 0);
	}
	buffer_release(&page);
	buffer_release(&packed);
	buffer_release(&decoded);
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
