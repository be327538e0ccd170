/* Which format a file's name or ending stands for, and which value is shown. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "pprof/flame/reports.h"
#include "pprof/profile.h"
#include "cli/common/formats.h"
#include "cli/common/types.h"

static void assert_ending(const char *path, const char *ending)
{
	cr_assert_str_eq(format_ending(format_by_path(path)), ending, "%s", path);
}

Test(formats, by_ending)
{
	assert_ending("a.pb.gz", ".pb.gz");
	assert_ending("dir.svg/a", ".pb.gz");
	assert_ending("", ".pb.gz");
	assert_ending("-", ".pb.gz");
	assert_ending("a.gz", ".pb.gz");
	assert_ending("svg", ".pb.gz");
	assert_ending("a.svg", ".svg");
	assert_ending("A.SVG", ".svg");
	assert_ending("a.svg.html", ".html");
	assert_ending("a.folded", ".folded");
	assert_ending("a.json", ".json");
	assert_ending("a.otlp", ".otlp");
	assert_ending("a.txt", ".txt");
}

Test(formats, by_name)
{
	static const char *const names[] = { "pprof", "folded", "flamegraph", "speedscope",
					     "otlp",  "text",	"legacy" };
	struct error err = { 0 };
	const struct format *f;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		cr_assert_eq(format_by_name(names[i], &f, NULL), 0);
		cr_assert_str_eq(format_name(f), names[i]);
	}
	cr_assert_eq(format_by_name("svg", &f, &err), ERR_USAGE);
	cr_assert(strstr(err.text, "'svg'"));
}

Test(formats, an_ending_that_is_none_is_told_apart)
{
	static const char *const none[] = { "a", "-", "a.gz", "svg", ".svg", "" };
	static const char *const known[] = { "a.pb.gz", "a.pb", "a.pprof", "a.svg", "a.txt" };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		cr_assert_null(format_by_ending(none[i]), "%s", none[i]);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		cr_assert_eq(format_by_ending(known[i]), format_by_path(known[i]), "%s", known[i]);
	cr_assert(format_is_text(format_by_ending("a.txt")), "and not legacy");
}

Test(formats, flame_graphs_are_html_unless_the_name_says_svg)
{
	cr_assert_eq(format_flamegraph("x.svg"), report_flamegraph_svg);
	cr_assert_eq(format_flamegraph("x.html"), report_flamegraph_html);
	cr_assert_eq(format_flamegraph("x.json"), report_flamegraph_html);
	cr_assert(format_is_page(format_by_path("x.svg")) &&
		  format_is_page(format_by_path("x.html")));
	cr_assert_not(format_is_page(format_by_path("x.json")));
	cr_assert_eq(format_flamegraph("-"), report_flamegraph_html);
}

Test(types, by_name_number_or_default)
{
	struct error err = { 0 };
	struct profile p;
	size_t type = 9;

	profile_init(&p);
	cr_assert_eq(sample_type_find(&p, NULL, &type, &err), ERR_FORMAT);
	profile_add_type(&p, "samples", "count");
	profile_add_type(&p, "cpu", "nanoseconds");
	profile_add_type(&p, "wall", "nanoseconds");
	cr_assert_eq(sample_type_find(&p, NULL, &type, NULL), 0);
	cr_assert_eq(type, 2, "the last");
	profile_string(&p, "cpu", &p.default_type);
	cr_assert_eq(sample_type_find(&p, NULL, &type, NULL), 0);
	cr_assert_eq(type, 1);
	cr_assert_eq(sample_type_find(&p, "samples", &type, NULL), 0);
	cr_assert_eq(type, 0);
	cr_assert_eq(sample_type_find(&p, "2", &type, NULL), 0);
	cr_assert_eq(type, 2);
	cr_assert_eq(sample_type_find(&p, "3", &type, &err), ERR_USAGE);
	cr_assert_eq(sample_type_find(&p, "cp", &type, &err), ERR_USAGE);
	cr_assert(strstr(err.text, "'cp'"));
	profile_release(&p);
}
