/* Prune, PruneFrom and RemoveUninteresting, with the examples of google/pprof's prune.go. */
#include "base/error.h"
#include "pprof/select/pattern.h"
#include "pprof/select/prune.h"
#include "tests/unit/pprof/stacks.h"

static struct pattern *pattern(const char *text)
{
	struct pattern *p = NULL;

	if (text)
		cr_assert_eq(pattern_new(&p, text, strlen(text), NULL), 0);
	return p;
}

static void check(const char *samples, const char *drop, const char *keep, const char *want)
{
	struct pattern *d = pattern(drop), *k = pattern(keep);
	struct profile p;

	stacks_make(&p, samples);
	cr_assert_eq(prune(&p, d, k, NULL), 0);
	stacks_expect(&p, want);
	pattern_free(d);
	pattern_free(k);
	profile_release(&p);
}

static void check_from(const char *samples, const char *from, const char *want)
{
	struct pattern *f = pattern(from);
	struct profile p;

	stacks_make(&p, samples);
	cr_assert_eq(prune_from(&p, f, NULL), 0);
	stacks_expect(&p, want);
	pattern_free(f);
	profile_release(&p);
}

Test(prune, what_is_dropped_goes_with_what_it_called)
{
	check("A B C B D", "^A$", NULL, "B C B D");
	check("A B C B D", "^B$", NULL, "D");
	check("A B C B D", "^B$", "B", "A B C B D");
	check("A B C B D", "^D$", NULL, "A B C B D"); /* no caller: it stays */
	check("A B D D", "B|D", NULL, "A B D D");
	check("A B B", "^B$", NULL, "A B B");
}

Test(prune, within_inlined_calls)
{
	check("a/b/c d", "^b$", NULL, "c d");
	check("a/b/c d", "^c$", NULL, "d");
	check("x a/b/c d", "^a$", NULL, "b/c d");
}

Test(prune, from)
{
	check_from("A B C B D", "^A$", "A B C B D");
	check_from("A B C B D", "^B$", "B C B D");
	check_from("x a/b/c d", "^b$", "b/c d");
	check_from("A B", "none", "A B");
}

Test(prune, names_count_without_arguments)
{
	check("f(int) g", "^f$", NULL, "g");
	check(".f g", "^f$", NULL, "g");
	check("(anonymous_namespace)::f(int) g", "f", NULL, "(anonymous_namespace)::f(int) g");
	check("A::operator()(int) g", "^A::operator\\(\\)$", NULL, "g");
}

static int uninteresting(const char *drop, const char *keep, const char *want, struct error *err)
{
	struct profile p;
	int rc;

	stacks_make(&p, "malloc new main");
	cr_assert(!profile_string(&p, drop, &p.drop_frames) &&
		  !profile_string(&p, keep, &p.keep_frames));
	rc = prune_uninteresting(&p, err);
	stacks_expect(&p, want);
	profile_release(&p);
	return rc;
}

Test(prune, uninteresting)
{
	struct error err = { 0 };

	cr_expect_eq(uninteresting("new", "", "main", &err), 0);
	cr_expect_eq(uninteresting("mal", "", "malloc new main", &err), 0);
	cr_expect_eq(uninteresting("malloc|new", "new", "new main", &err), 0);
	cr_expect_eq(uninteresting("", "new", "malloc new main", &err), 0);
	cr_expect_eq(uninteresting("mal)|(new", "", "main", &err), 0, "as pprof puts it together");
}

Test(prune, bad_patterns_of_the_profile_change_nothing)
{
	struct error err = { 0 };

	cr_expect_eq(uninteresting("new\x1b[2J(", "", "malloc new main", &err), ERR_USAGE);
	cr_expect(strstr(err.text, "missing closing") && !strchr(err.text, '\x1b'), "%s", err.text);
	cr_expect_eq(uninteresting("new", "a**", "malloc new main", &err), ERR_USAGE);
}
