/* Labels and their costs in the layout of pprof -tags; tests/oracle/filter.test compares with pprof
 * itself. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/report/reports.h"

static void add(struct profile *p, const char *key, const char *str, int64_t num, int64_t value)
{
	struct profile_label l = { .num = num };

	cr_assert(!profile_string(p, key, &l.key) && !profile_string(p, str, &l.str));
	cr_assert(!profile_add_sample(p, NULL, 0, &value, &l, 1));
}

static void check(const struct profile *p, const char *want)
{
	uint32_t *units = labels_units(p);
	struct report_view v = { .label_units = units };
	struct buffer out = { 0 };

	cr_assert(units);
	cr_assert_eq(report_tags(p, &v, &out, NULL), 0);
	free(units);
	cr_assert(!buffer_add(&out, "", 1));
	cr_expect_str_eq((char *)out.data, want);
	buffer_release(&out);
}

Test(tags, by_key_then_by_cost)
{
	struct profile p;

	cr_assert(!profile_init(&p) && !profile_add_type(&p, "cpu", "milliseconds"));
	check(&p, "");
	add(&p, "user", "bob", 0, 30);
	add(&p, "user", "al\x1b[2J", 0, 60);
	add(&p, "user", "bob", 0, 5);
	add(&p, "bytes", "", 2048, 5);
	add(&p, "bytes", "", 0, 100); /* pprof takes this for no label */
	check(&p, " bytes: Total 5ms of 200ms ( 2.50%)\n"
		  "        5ms ( 2.50%): 2kB\n"
		  "\n"
		  " user: Total 95ms of 200ms (47.50%)\n"
		  "       60ms (30.00%): al?[2J\n"
		  "       35ms (17.50%): bob\n"
		  "\n");
	profile_release(&p);
}
