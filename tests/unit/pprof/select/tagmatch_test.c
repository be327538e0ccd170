/* Which samples the forms of -tagfocus select. */
#include "base/error.h"
#include "pprof/labels.h"
#include "pprof/select/filter.h"
#include "pprof/select/tagmatch.h"
#include "pprof/select/tagroot.h"
#include "tests/unit/pprof/stacks.h"

static struct profile_label label(struct profile *p, const char *key, const char *str, int64_t num,
				  const char *unit)
{
	struct profile_label l = { .num = num };

	cr_assert(!profile_string(p, key, &l.key) && !profile_string(p, str, &l.str) &&
		  !profile_string(p, unit, &l.num_unit));
	return l;
}

static void make(struct profile *p)
{
	struct profile_label one[2], two[2], three;

	stacks_begin(p);
	one[0] = label(p, "k", "alpha", 0, "");
	one[1] = label(p, "j", "beta", 0, "");
	stacks_add(p, "one", one, 2);
	two[0] = label(p, "bytes", "", 65536, "");
	two[1] = label(p, "k", "gamma", 0, "");
	stacks_add(p, "two", two, 2);
	three = label(p, "time", "", 3, "ms");
	stacks_add(p, "three", &three, 1);
	stacks_add(p, "four", NULL, 0);
}

static void check(const char *focus, const char *ignore, const char *want)
{
	struct tagmatch *f = NULL, *i = NULL;
	struct filter_found found;
	struct profile p;
	uint32_t *units;

	make(&p);
	units = labels_units(&p);
	cr_assert(!focus || !tagmatch_new(&f, focus, NULL));
	cr_assert(!ignore || !tagmatch_new(&i, ignore, NULL));
	cr_assert_eq(tagmatch_filter(&p, units, f, i, &found, NULL), 0);
	stacks_expect(&p, want);
	tagmatch_free(f);
	tagmatch_free(i);
	free(units);
	profile_release(&p);
}

Test(tagmatch, patterns)
{
	check("alpha", NULL, "one");
	check("k:", NULL, "one | two");
	check("alpha,beta", NULL, "one");
	check("alpha,gamma", NULL, "");
	check("k=alpha,gamma", NULL, "one | two");
	check("k=beta", NULL, "");
	check("=beta", NULL, "one");
	check(NULL, "k:", "three | four");
	check("k:", "gamma", "one");
}

Test(tagmatch, ranges)
{
	check("64kb", NULL, "two");
	check("64kb:", NULL, "two");
	check(":63kb", NULL, "");
	check("1kb:1mb", NULL, "two");
	check("bytes=1kb:1mb", NULL, "two");
	check("other=1kb:1mb", NULL, "");
	check(":1s", NULL, "three");
	check("3000us", NULL, "three");
	check("1kb:5ms", NULL, ""); /* units of two kinds: a pattern */
	check(NULL, "1b:", "one | three | four");
}

Test(tagmatch, what_is_no_range_or_nothing_at_all)
{
	struct error err = { 0 };
	struct tagmatch *m;
	char many[2 * TAGMATCH_PATTERNS_MAX + 2] = "";

	cr_assert_eq(tagmatch_new(&m, "k=12kb", &err), 0);
	cr_expect_str_eq(tagmatch_range(m), "12kb");
	tagmatch_free(m);
	cr_assert_eq(tagmatch_new(&m, "k12", &err), 0);
	cr_expect_null(tagmatch_range(m));
	tagmatch_free(m);
	cr_expect_eq(tagmatch_new(&m, "99999999999999999999", &err), ERR_USAGE);
	cr_expect_eq(tagmatch_new(&m, "a,b**", &err), ERR_USAGE);
	for (int i = 0; i < TAGMATCH_PATTERNS_MAX; i++)
		strcat(many, "a,");
	cr_expect_eq(tagmatch_new(&m, many, &err), ERR_LIMIT);
	many[2 * TAGMATCH_PATTERNS_MAX - 1] = '\0';
	cr_assert_eq(tagmatch_new(&m, many, &err), 0);
	tagmatch_free(m);
}

static void check_frames(const char *roots, const char *leaves, const char *want, bool root,
			 bool leaf)
{
	struct tagroot_found found;
	struct profile p;

	make(&p);
	cr_assert_eq(tagroot_add(&p, roots, leaves, NULL, &found, NULL), 0);
	stacks_expect(&p, want);
	cr_expect(found.root == root && found.leaf == leaf);
	profile_release(&p);
}

Test(tagroot, labels_as_frames)
{
	check_frames(NULL, "", "one | two | three | four", false, false);
	check_frames("k", NULL, "one alpha | two gamma | three  | four ", true, false);
	check_frames(NULL, "time", " one |  two | 3ms three |  four", false, true);
	check_frames("k,j", NULL, "one beta alpha | two  gamma | three   | four  ", true, false);
	check_frames("bytes", "none", " one  |  two 65536 |  three  |  four ", true, false);
}
