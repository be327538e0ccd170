/* Which names a live view shows. */
#include <criterion/criterion.h>
#include <string.h>

#include "pprof/report/livefilter.h"

Test(livefilter, regular_expression_or_text)
{
	struct livefilter f = { .text = "" };

	cr_assert(livefilter_matches(&f, "anything"));
	livefilter_set(&f, "^re.*s$");
	cr_assert(livefilter_matches(&f, "ReadQueries"));
	cr_assert_not(livefilter_matches(&f, "preReads"));
	livefilter_set(&f, "^Re");
	cr_assert(livefilter_matches(&f, "Read"));
	cr_assert_not(livefilter_matches(&f, "read"), "an upper-case letter counts");
	livefilter_set(&f, "map<int(");
	cr_assert_null(f.pattern);
	cr_assert(livefilter_matches(&f, "std::Map<int(*)()>"));
	cr_assert_not(livefilter_matches(&f, "std::map<long>"));
	livefilter_set(&f, "");
	cr_assert(livefilter_matches(&f, "anything"));
	livefilter_release(&f);
}

Test(livefilter, long_names, .timeout = 60)
{
	struct livefilter f = { .text = "" };
	static char name[1 << 19];

	memset(name, 'a', sizeof(name) - 1);
	livefilter_set(&f, "(a*)*z");
	cr_assert_not(livefilter_matches(&f, name));
	livefilter_set(&f, "^a");
	cr_assert(livefilter_matches(&f, name));
	livefilter_release(&f);
}
