/* Names that are too long for a line. */
#include <criterion/criterion.h>
#include <string.h>

#include "pprof/report/shortname.h"

static void assert_short(const char *name, size_t columns, const char *expected)
{
	char text[SHORTNAME_MAX];

	cr_assert_str_eq(shortname(name, columns, text), expected);
}

Test(shortname, one_that_fits_stays)
{
	assert_short("std::vector<int>::push_back(int&&)", 34,
		     "std::vector<int>::push_back(int&&)");
	assert_short("größe", 5, "größe");
	assert_short("", 0, "");
}

Test(shortname, template_arguments_go_first_then_arguments)
{
	const char *name = "std::map<std::string, std::vector<double>>::operator[](std::string&&)";

	assert_short(name, 60, "std::map<…>::operator[](std::string&&)");
	assert_short(name, 30, "std::map<…>::operator[](…)");
	assert_short(name, 20, "std::map<…rator[](…)");
}

Test(shortname, operators_and_names_in_brackets_are_no_arguments)
{
	assert_short("a::operator<(int, int, int)", 20, "a::operator<(…)");
	assert_short("a::operator<< <char>(int, int)", 25, "a::operator<< <char>(…)");
	assert_short("a::operator->(int, int, int)", 20, "a::operator->(…)");
	assert_short("f::operator()(int, int, int)", 20, "f::operator()(…)");
	assert_short("(anonymous namespace)::f(int, int)", 30, "(anonymous namespace)::f(…)");
	assert_short("<unknown function of somewhere>", 30, "<unknown funct…n of somewhere>");
	assert_short("x<a->b, c>::f", 12, "x<…>::f");
	assert_short("main.(*Server).handleConnection.func1", 20, "main.(*Se…tion.func1");
}

Test(shortname, unbalanced_brackets_are_left)
{
	assert_short("a<b<c::d_and_more_of_it", 12, "a<b<c…_of_it");
	assert_short("a(b(c::d_and_more_of_it", 12, "a(b(c…_of_it");
	assert_short("a>b)c::d_and_more_of_it", 12, "a>b)c…_of_it");
}

Test(shortname, a_cut_name_has_the_columns)
{
	char name[3 * SHORTNAME_MAX], text[SHORTNAME_MAX];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t columns = 1; columns < 900; columns += 7)
		cr_assert_eq(strlen(shortname(name, columns, text)), columns + 2, "%zu", columns);
	cr_assert_lt(strlen(shortname(name, 5000, text)), SHORTNAME_MAX);
	assert_short("größe und größe", 5, "gr…ße");
	assert_short("abc", 0, "…");
}
