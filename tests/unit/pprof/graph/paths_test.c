/* The cases of Go's path/filepath/path_test.go that can be names of files. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/graph/paths.h"

static void expect_base(const char *path, const char *want)
{
	size_t len;
	const char *base = path_base(path, strlen(path), &len);

	cr_assert(len == strlen(want) && !memcmp(base, want, len), "'%s': '%.*s', not '%s'", path,
		  (int)len, base, want);
}

Test(paths, base_is_the_last_name)
{
	expect_base("", ".");
	expect_base(".", ".");
	expect_base("/.", ".");
	expect_base("/", "/");
	expect_base("////", "/");
	expect_base("x/", "x");
	expect_base("abc", "abc");
	expect_base("abc/def", "def");
	expect_base("a/b/.x", ".x");
	expect_base("a/b/c.///", "c.");
	expect_base("[vdso]", "[vdso]");
}

static void expect_clean(const char *path, const char *want)
{
	size_t len = strlen(path);
	char *copy = malloc(len), *clean = malloc(len + 1);

	memcpy(copy, path, len); /* without the NUL: a sanitizer detects a read beyond it */
	len = path_clean(copy, len, clean);
	cr_assert(len == strlen(want) && !memcmp(clean, want, len), "'%s': '%.*s', not '%s'", path,
		  (int)len, clean, want);
	free(copy);
	free(clean);
}

Test(paths, clean_is_the_shortest_of_the_same_meaning)
{
	static const char *const pairs[][2] = {
		{ "abc", "abc" },
		{ "abc/def", "abc/def" },
		{ ".", "." },
		{ "..", ".." },
		{ "../..", "../.." },
		{ "../../abc", "../../abc" },
		{ "/abc", "/abc" },
		{ "/", "/" },
		{ "", "." },
		{ "abc/", "abc" },
		{ "abc/def/", "abc/def" },
		{ "./", "." },
		{ "../", ".." },
		{ "../../", "../.." },
		{ "/abc/", "/abc" },
		{ "abc//def//ghi", "abc/def/ghi" },
		{ "abc//", "abc" },
		{ "abc/./def", "abc/def" },
		{ "/./abc/def", "/abc/def" },
		{ "abc/.", "abc" },
		{ "abc/def/ghi/../jkl", "abc/def/jkl" },
		{ "abc/def/../ghi/../jkl", "abc/jkl" },
		{ "abc/def/..", "abc" },
		{ "abc/def/../..", "." },
		{ "/abc/def/../..", "/" },
		{ "abc/def/../../..", ".." },
		{ "/abc/def/../../..", "/" },
		{ "abc/def/../../../ghi/jkl/../../../mno", "../../mno" },
		{ "/../abc", "/abc" },
		{ "a/../b:/../../c", "../c" },
		{ "abc/./../def", "def" },
		{ "abc//./../def", "def" },
		{ "abc/../../././../def", "../../def" },
		{ "//abc", "/abc" },
		{ "///abc", "/abc" },
		{ "//abc//", "/abc" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		expect_clean(pairs[i][0], pairs[i][1]);
}

Test(paths, the_folder_of_a_build_is_left_out)
{
	const char *path = "/proc/self/cwd/./a.c";
	size_t len = strlen(path);

	cr_assert_str_eq(path_trim(path, &len), "a.c");
	cr_assert_eq(len, 3);
	path = "/proc/self/cwdx";
	len = strlen(path);
	cr_assert_eq(path_trim(path, &len), path);
}
