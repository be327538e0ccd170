/* URLs as people type them. */
#include "cli/goparse/url.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void assert_becomes(char *f(const char *), const char *url, const char *expected)
{
	char *got = f(url);

	cr_assert_str_eq(got, expected, "%s: %s", url, got);
	free(got);
}

Test(goparse_url, what_is_missing_is_added)
{
	static const char *const urls[][2] = {
		{ "http://h:6060", "http://h:6060/debug/pprof/goroutine?debug=2" },
		{ "http://h:6060/", "http://h:6060/debug/pprof/goroutine?debug=2" },
		{ "http://h/debug/pprof", "http://h/debug/pprof/goroutine?debug=2" },
		{ "http://h/x/debug/pprof/", "http://h/x/debug/pprof/goroutine?debug=2" },
		{ "http://h/debug/pprof/goroutine", "http://h/debug/pprof/goroutine?debug=2" },
		{ "http://h/debug/pprof/goroutine?", "http://h/debug/pprof/goroutine?debug=2" },
		{ "http://h/debug/pprof/goroutine?a=b",
		  "http://h/debug/pprof/goroutine?a=b&debug=2" },
		{ "http://h/debug/pprof/goroutine?nodebug=1",
		  "http://h/debug/pprof/goroutine?nodebug=1&debug=2" },
		{ "http://h/debug/pprof?a#f", "http://h/debug/pprof/goroutine?a&debug=2" },
		{ "https://u:p@h?a", "https://u:p@h/debug/pprof/goroutine?a&debug=2" },
	};

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++)
		assert_becomes(goparse_url, urls[i][0], urls[i][1]);
}

Test(goparse_url, what_is_there_stays)
{
	static const char *const urls[] = {
		"http://h/debug/pprof/goroutine?debug=2",
		"http://h/debug/pprof/goroutine?a&debug=1",
		"http://h/debug/pprof/heap",
		"http://h/dumps/1.txt",
		"http://h/debug/pprof/goroutineleak?debug=2",
	};

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++)
		assert_becomes(goparse_url, urls[i], urls[i]);
}
