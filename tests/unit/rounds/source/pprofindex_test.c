#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rounds/source/pprofindex.h"

#define ROW(count, name) "<tr><td>" count "</td><td><a href='x?debug=1'>" name "</a></td></tr>\n"

static struct pprofindex *parse(const char *page)
{
	struct pprofindex *index;

	cr_assert_eq(pprofindex_parse(&index, page, strlen(page), NULL), 0, "%s", page);
	return index;
}

/* The custom names of a page, each followed by '|'. */
static const char *custom(const char *page, size_t max)
{
	static char text[1024];
	struct pprofindex *index = parse(page);
	struct buffer names = { 0 };

	cr_assert_eq(pprofindex_custom(index, max, &names), 0);
	cr_assert_lt(names.len, sizeof(text));
	for (size_t i = 0; i < names.len; i++)
		text[i] = names.data[i] ? (char)names.data[i] : '|';
	text[names.len] = '\0';
	buffer_release(&names);
	pprofindex_free(index);
	return text;
}

Test(pprofindex, counts)
{
	struct pprofindex *index = parse("<html>Types of profiles available:\n" ROW(
		"3", "allocs") ROW("18446744073709551615", "goroutine") ROW("0", "heap"));
	uint64_t count;

	cr_assert(pprofindex_count(index, "goroutine", &count) && count == UINT64_MAX);
	cr_assert(pprofindex_count(index, "allocs", &count) && count == 3);
	cr_assert_not(pprofindex_count(index, "mutex", &count));
	pprofindex_free(index);
}

Test(pprofindex, names)
{
	cr_assert_str_eq(custom(ROW("1", "allocs") ROW("1", "block") ROW("0", "cmdline") ROW(
					"1", "goroutine") ROW("1", "goroutineleak") ROW("1", "heap")
					ROW("1", "mutex") ROW("0", "profile") ROW("0", "symbol")
						ROW("1", "threadcreate") ROW("0", "trace"),
				10),
			 "");
	cr_assert_str_eq(
		custom(ROW("1", "a/b.c") ROW("2", "&lt;&amp;&gt; &#34;x&#39; &amp;lt;"), 10),
		"a/b.c|<&> \"x' &lt;|");
	cr_assert_str_eq(custom(ROW("1", "a") ROW("2", "b") ROW("3", "a") ROW("4", "c"), 10),
			 "a|b|c|");
	cr_assert_str_eq(custom(ROW("1", "a") ROW("2", "b") ROW("3", "c"), 2), "a|b|");
}

/* Text that is not a row as Go writes it is skipped, and the next row is found. */
Test(pprofindex, rows_that_are_none)
{
	cr_assert_str_eq(custom(ROW("", "a") ROW("-1", "b") ROW("1", "")
					ROW("1", "c<b>") "<tr><td>1</td><td><a href='" ROW("1", "d")
						ROW("99999999999999999999",
						    "e") "<tr><td>1</td>" ROW("7", "f"),
				10),
			 "d|f|");
}

Test(pprofindex, no_page_of_pprof)
{
	static const char *const pages[] = { "", "<html>404</html>", "<tr><td>", "<tr><td>1</td>",
					     ROW("x", "y") };
	struct pprofindex *index;

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		cr_assert_eq(pprofindex_parse(&index, pages[i], strlen(pages[i]), NULL),
			     ERR_FORMAT);
		cr_assert_null(index);
	}
}
