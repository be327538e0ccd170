// links: cli/common
/* Words that may have been meant. */
#include <criterion/criterion.h>

#include "cli/common/cli.h"
#include "cli/common/similar.h"

static bool meant(const char *typed, const char *word)
{
	return similar_enough(typed, word, similar_distance(typed, word));
}

Test(similar, counts_errors_of_typing)
{
	cr_assert_eq(similar_distance("record", "record"), 0);
	cr_assert_eq(similar_distance("recrod", "record"), 1);
	cr_assert_eq(similar_distance("durration", "duration"), 1);
	cr_assert_eq(similar_distance("reord", "record"), 1);
	cr_assert_eq(similar_distance("rexord", "record"), 1);
	cr_assert_eq(similar_distance("", "abc"), 3);
	cr_assert_eq(similar_distance("abc", ""), 3);
	cr_assert_eq(similar_distance("0123456789012345678901234567890123456789x", "record"),
		     SIZE_MAX);
}

Test(similar, short_words_are_not_taken_for_others)
{
	cr_assert(meant("recrod", "record"));
	cr_assert(meant("tpo", "top"));
	cr_assert(!meant("ls", "help"));
	cr_assert(!meant("git", "diff"));
	cr_assert(!meant("0123456789012345678901234567890123456789x", "record"));
}

Test(similar, help_lists_the_options_of_a_page)
{
	char name[HELP_OPTION_ROOM];
	bool pid = false, push = false, deep = false;

	for (size_t n = 0; cli_help_option("record", n, name); n++) {
		pid |= !strcmp(name, "pid");
		push |= !strcmp(name, "push");
		deep |= !strcmp(name, "debuginfod");
		cr_assert(*name && *name != '-', "'%s'", name);
	}
	cr_assert(pid && !push && deep);
	for (size_t n = 0; cli_help_option("rounds", n, name); n++)
		push |= !strcmp(name, "push");
	cr_assert(push);
	cr_assert(!cli_help_option("nonsense", 0, name));
}
