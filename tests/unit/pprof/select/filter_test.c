/* The samples and frames that focus, ignore, hide, show and show_from leave.
 * tests/oracle/filter.test compares them with google/pprof's. */
#include "base/error.h"
#include "pprof/select/filter.h"
#include "pprof/select/pattern.h"
#include "tests/unit/pprof/stacks.h"

struct given {
	const char *samples, *focus, *ignore, *hide, *show, *want, *found;
};

static struct pattern *pattern(const char *text)
{
	struct pattern *p = NULL;

	if (text)
		cr_assert_eq(pattern_new(&p, text, strlen(text), NULL), 0);
	return p;
}

static void check(const struct given *g)
{
	struct pattern *list[4] = { pattern(g->focus), pattern(g->ignore), pattern(g->hide),
				    pattern(g->show) };
	struct filter_names names = { list[0], list[1], list[2], list[3] };
	struct filter_found found;
	struct profile p;
	char bits[5];

	stacks_make(&p, g->samples);
	cr_assert_eq(filter_names(&p, &names, &found, NULL), 0);
	stacks_expect(&p, g->want);
	snprintf(bits, sizeof(bits), "%d%d%d%d", found.focus, found.ignore, found.hide, found.show);
	cr_expect_str_eq(bits, g->found, "%s -> %s", g->samples, bits);
	for (int i = 0; i < 4; i++)
		pattern_free(list[i]);
	profile_release(&p);
}

Test(filter, nothing_asked_nothing_done)
{
	check(&(struct given){ "a b | c", .want = "a b | c", .found = "1000" });
}

Test(filter, focus_and_ignore_choose_samples)
{
	check(&(struct given){ "a b | c | b", .focus = "^a", .want = "a b", .found = "1000" });
	check(&(struct given){ "a b | c | b", .ignore = "^a", .want = "c | b", .found = "1100" });
	check(&(struct given){ "a b | b", .focus = "b", .ignore = "a", .want = "b",
			       .found = "1100" });
	check(&(struct given){ "a b", .focus = "nothing", .want = "", .found = "0000" });
	check(&(struct given){ "x/a b | c", .focus = "^x$", .want = "x/a b", .found = "1000" });
}

Test(filter, hide_and_show_choose_frames)
{
	check(&(struct given){ "a b c | b", .hide = "^b", .want = "a c", .found = "1010" });
	check(&(struct given){ "a b c | b", .show = "^b", .want = "b | b", .found = "1001" });
	check(&(struct given){ "x/a/y b", .hide = "^a", .want = "x/y b", .found = "1010" });
	check(&(struct given){ "x/a/y b", .show = "^a", .want = "a", .found = "1001" });
	check(&(struct given){ "a b", .show = "a|b", .hide = "a", .want = "b", .found = "1011" });
}

Test(filter, files_and_mappings_match_too)
{
	check(&(struct given){ "a | b", .focus = "a\\.c", .want = "a", .found = "1000" });
	check(&(struct given){ "a | b", .focus = "/lib/m", .want = "a | b", .found = "1000" });
	check(&(struct given){ "a | b", .hide = "/lib/m", .want = "", .found = "1010" });
	check(&(struct given){ "a/x", .show = "/lib/m", .want = "a/x", .found = "1001" });
}

static void check_show_from(const char *samples, const char *from, const char *want)
{
	struct pattern *f = pattern(from);
	struct profile p;
	bool matched;

	stacks_make(&p, samples);
	cr_assert_eq(filter_show_from(&p, f, &matched, NULL), 0);
	stacks_expect(&p, want);
	cr_expect_eq(matched, from && *want);
	pattern_free(f);
	profile_release(&p);
}

/* The example of google/pprof's filter.go, with the root last as in all stacks here. */
Test(filter, show_from)
{
	check_show_from("B C B A", NULL, "B C B A");
	check_show_from("B C B A", "^A$", "B C B A");
	check_show_from("B C B A", "^B$", "B C B");
	check_show_from("B C B A", "^C$", "B C");
	check_show_from("B C B A", "^D$", "");
	check_show_from("x/y/z A", "^y$", "x/y");
}

Test(filter, labels)
{
	struct pattern *show = pattern("^k"), *hide = pattern("2$");
	struct profile_label labels[4] = { 0 };
	struct filter_found found;
	struct profile p;

	stacks_begin(&p);
	cr_assert(!profile_string(&p, "k1", &labels[0].key) &&
		  !profile_string(&p, "v", &labels[0].str) &&
		  !profile_string(&p, "k2", &labels[1].key) &&
		  !profile_string(&p, "other", &labels[2].key));
	labels[1].num = labels[2].num = 7;
	labels[3].key = labels[2].key; /* empty: pprof takes it for no label, and it stays */
	stacks_add(&p, "a", labels, 4);
	cr_assert_eq(filter_labels(&p, show, hide, &found, NULL), 0);
	cr_expect_eq(p.samples[0].labels, 2);
	cr_expect_eq(p.labels[0].str, labels[0].str);
	cr_expect(found.show && found.hide);
	cr_assert_eq(filter_labels(&p, NULL, hide, &found, NULL), 0);
	cr_expect(found.show && !found.hide);
	pattern_free(show);
	pattern_free(hide);
	profile_release(&p);
}

/* A match that takes more steps than allowed is an error; the profile can still be released. */
Test(filter, limits_are_errors)
{
	char name[3000], text[200] = "";
	struct filter_names names = { 0 };
	struct filter_found found;
	struct error err = { 0 };
	struct profile p;
	struct profile_function f = { 0 };
	uint32_t id;

	for (int i = 0; i < 30; i++)
		strcat(text, "a.*");
	strcat(text, "a{1,900}[b-c]");
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	stacks_make(&p, "a");
	cr_assert(!profile_string(&p, name, &f.name) && !profile_add_function(&p, &f, &id));
	p.lines[0].function = id;
	names.focus = pattern(text);
	cr_expect_eq(filter_names(&p, &names, &found, &err), ERR_LIMIT);
	cr_expect(strstr(err.text, "too much to try"), "%s", err.text);
	pattern_free((struct pattern *)names.focus);
	profile_release(&p);
}
