/* Names that are too long for a line. */
#include <criterion/criterion.h>
#include <string.h>

#include "pprof/graph/fitname.h"

static void assert_short(const char *name, size_t columns, const char *expected)
{
	char text[FITNAME_MAX];

	cr_assert_str_eq(fitname(name, columns, text), expected);
}

Test(fitname, one_that_fits_stays)
{
	assert_short("std::vector<int>::push_back(int&&)", 34,
		     "std::vector<int>::push_back(int&&)");
	assert_short("größe", 5, "größe");
	assert_short("", 0, "");
}

Test(fitname, arguments_go_first_then_the_middle)
{
	const char *name = "std::map<std::string, std::vector<double>>::operator[](std::string&&)";

	assert_short(name, 60, "std::map::operator[]");
	assert_short(name, 20, "std::map::operator[]");
	assert_short(name, 13, "std::m…ator[]");
	assert_short("github.com/a/b.(*Server).handle.func1", 24, "b.(*Server).handle.func1");
	assert_short("github.com/a/b.(*Server).handle.func1", 20, "b.(*Serve…ndle.func1");
	assert_short("unlink_chunk.constprop.0", 12, "unlink_chunk");
}

Test(fitname, what_is_no_name_is_cut)
{
	assert_short("<unknown function of somewhere>", 30, "<unknown funct…n of somewhere>");
	assert_short("of_a_program_in_c", 11, "of_a_…_in_c");
}

Test(fitname, a_cut_name_has_the_columns)
{
	char name[3 * FITNAME_MAX], text[FITNAME_MAX];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t columns = 1; columns < 900; columns += 7)
		cr_assert_eq(strlen(fitname(name, columns, text)), columns + 2, "%zu", columns);
	cr_assert_lt(strlen(fitname(name, 5000, text)), FITNAME_MAX);
	assert_short("größe und größe", 5, "gr…ße");
	assert_short("abc", 0, "…");
}
