/* Two profiles of different types and units are converted so that they can be merged. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "pprof/compat.h"
#include "pprof/profile.h"

static struct profile a, b;

static void init(void)
{
	cr_assert_eq(profile_init(&a), 0);
	cr_assert_eq(profile_init(&b), 0);
}

static void release(void)
{
	profile_release(&a);
	profile_release(&b);
}

static void add(struct profile *p, const int64_t *values)
{
	cr_assert_eq(profile_add_sample(p, NULL, 0, values, NULL, 0), 0);
}

static const char *type(const struct profile *p, size_t i)
{
	return strset_get(&p->strings, p->types[i].type);
}

static const char *unit(const struct profile *p, size_t i)
{
	return strset_get(&p->strings, p->types[i].unit);
}

Test(compat, keeps_what_both_have, .init = init, .fini = release)
{
	profile_add_type(&a, "x", "count");
	profile_add_type(&a, "y", "count");
	profile_add_type(&a, "z", "count");
	profile_add_type(&b, "z", "count");
	profile_add_type(&b, "y", "count");
	add(&a, (int64_t[]){ 1, 2, 3 });
	add(&b, (int64_t[]){ 30, 20 });
	a.default_type = a.types[0].type;
	b.default_type = b.types[0].type;
	cr_assert_eq(profile_make_compatible(&a, &b, NULL), 0);
	cr_assert_eq(a.type_count, 2);
	cr_assert_str_eq(type(&b, 0), "y", "the order is the first one's");
	cr_assert_eq(a.values[0], 2);
	cr_assert_eq(a.values[1], 3);
	cr_assert_eq(b.values[0], 20);
	cr_assert_eq(b.values[1], 30);
	cr_assert_str_eq(strset_get(&a.strings, a.default_type), "y", "x is not there any more");
	cr_assert_str_eq(strset_get(&b.strings, b.default_type), "z");
	cr_assert_eq(profile_compatible(&a, &b, NULL), 0);
}

Test(compat, converts_to_the_finer_unit, .init = init, .fini = release)
{
	profile_add_type(&a, "cpu", "ms");
	profile_add_type(&a, "size", "bytes");
	profile_add_type(&b, "cpu", "nanoseconds");
	profile_add_type(&b, "size", "kB");
	profile_string(&a, "seconds", &a.period_type.unit);
	profile_string(&b, "milliseconds", &b.period_type.unit);
	a.period = 2;
	b.period = 7;
	add(&a, (int64_t[]){ 3, 5 });
	add(&b, (int64_t[]){ 3, 5 });
	cr_assert_eq(profile_make_compatible(&a, &b, NULL), 0);
	cr_assert_eq(a.values[0], 3000000);
	cr_assert_eq(a.values[1], 5);
	cr_assert_eq(b.values[0], 3);
	cr_assert_eq(b.values[1], 5120);
	cr_assert_str_eq(unit(&a, 0), "nanoseconds");
	cr_assert_str_eq(unit(&b, 1), "bytes");
	cr_assert_eq(a.period, 2000);
	cr_assert_eq(b.period, 7);
	cr_assert_eq(profile_compatible(&a, &b, NULL), 0);
}

static void assert_refused(const char *message)
{
	struct error err = { 0 };

	cr_assert_eq(profile_make_compatible(&a, &b, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, message);
}

Test(compat, nothing_in_common, .init = init, .fini = release)
{
	profile_add_type(&a, "x", "count");
	profile_add_type(&b, "y\x1b", "count");
	assert_refused("no sample type is in both: 'x/count' and 'y?/count'");
}

Test(compat, units_of_two_kinds, .init = init, .fini = release)
{
	profile_add_type(&a, "x", "count");
	profile_add_type(&b, "x", "bytes");
	assert_refused("units that do not convert: 'x/count' and 'x/bytes'");
}

Test(compat, periods_of_two_kinds, .init = init, .fini = release)
{
	profile_add_type(&a, "x", "count");
	profile_add_type(&b, "x", "count");
	profile_string(&b, "cpu", &b.period_type.type);
	assert_refused("incompatible period types: '/' and 'cpu/'");
}

/* A name that a profile has twice matches no type of the other profile. */
Test(compat, a_type_twice, .init = init, .fini = release)
{
	profile_add_type(&a, "x", "count");
	profile_add_type(&b, "x", "count");
	profile_add_type(&b, "x", "bytes");
	assert_refused("no sample type is in both: 'x/count' and 'x/count x/bytes'");
}

Test(compat, lists_are_cut, .init = init, .fini = release)
{
	struct error err = { 0 };
	char name[300];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	profile_add_type(&a, name, "count");
	profile_add_type(&b, "y", "count");
	cr_assert_eq(profile_make_compatible(&a, &b, &err), ERR_FORMAT);
	cr_assert(strstr(err.text, "nnn...' and 'y/count'"));
}

Test(compat, ten_thousand_types, .init = init, .fini = release)
{
	for (int i = 0; i < 10000; i++)
		profile_add_type(&a, "x", "count");
	profile_add_type(&b, "x", "count");
	cr_assert_eq(profile_make_compatible(&a, &b, NULL), ERR_LIMIT);
}
