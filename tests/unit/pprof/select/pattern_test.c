/* Patterns: which are refused and how, bytes that are not UTF-8, bounds. tests/oracle/filter.test
 * compares the rest with Go's regexp. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/select/gosyntax.h"
#include "pprof/select/pattern.h"

static int matches(const char *text, const char *subject, size_t len)
{
	struct error err = { 0 };
	struct pattern *p;
	int rc = pattern_new(&p, text, strlen(text), &err);

	cr_assert_eq(rc, 0, "%s", err.text);
	rc = pattern_match(p, subject, len, &err);
	pattern_free(p);
	return rc;
}

#define MATCHES(text, subject) matches(text, subject, sizeof(subject) - 1)

Test(pattern, go_s_meaning)
{
	cr_expect_eq(MATCHES("", ""), 1);
	cr_expect_eq(MATCHES("a$", "a\n"), 0, "$ is the very end");
	cr_expect_eq(MATCHES("(?m)a$", "a\n"), 1);
	cr_expect_eq(MATCHES("(?m)\n^$", "a\n"), 1, "there is a line behind the last newline");
	cr_expect_eq(MATCHES("\\s", "\v"), 0);
	cr_expect_eq(MATCHES("a{,2}", "aa"), 0);
	cr_expect_eq(MATCHES("a{,2}", "a{,2}"), 1);
	cr_expect_eq(MATCHES("(?P<x>a)(?<y>b)", "ab"), 1);
	cr_expect_eq(MATCHES("(?i)\\W", "\u212a"), 0, "the sign for kelvins is a k");
	cr_expect_eq(MATCHES("(a(?i)b|c)d", "Cd"), 1, "(?i) holds to the group's end");
	cr_expect_eq(MATCHES("(a(?i)b|c)d", "CD"), 0);
	cr_expect_eq(MATCHES("a*(?i)*$", "x"), 1);
	cr_expect_eq(MATCHES("^\\p{Greek}+$", "αβγ"), 1);
}

Test(pattern, bytes_that_are_no_utf8)
{
	cr_expect_eq(MATCHES("^.$", "\xff"), 1);
	cr_expect_eq(MATCHES("^..$", "\xc3\x28"), 1);
	cr_expect_eq(MATCHES("^\\x{fffd}a", "\xe2\x82"
					    "a"),
		     0, "a character for each byte");
	cr_expect_eq(MATCHES("^\\x{fffd}{2}a", "\xe2\x82"
					       "a"),
		     1);
	cr_expect_eq(MATCHES("a\\x00b", "a\0b"), 1);
}

static void refused(const char *text, size_t len, int code, const char *words)
{
	struct error err = { 0 };
	struct pattern *p;
	int rc = pattern_new(&p, text, len, &err);

	cr_expect_eq(rc, code, "%s", text);
	cr_expect(!p && strstr(err.text, words), "%s", err.text);
}

Test(pattern, refused_in_go_s_words)
{
	refused("a**", 3, ERR_USAGE, "pattern 'a**': invalid nested repetition operator: '**'");
	refused("(?=a)", 5, ERR_USAGE, "invalid or unsupported Perl syntax: '(?='");
	refused("(a)\\1", 5, ERR_USAGE, "invalid escape sequence: '\\1'");
	refused("a\\C", 3, ERR_USAGE, "invalid escape sequence: '\\C'");
	refused("[z-a]", 5, ERR_USAGE, "invalid character class range: 'z-a'");
	refused("[a", 2, ERR_USAGE, "missing closing ]: '[a'");
	refused("(a", 2, ERR_USAGE, "missing closing )");
	refused("a)", 2, ERR_USAGE, "unexpected )");
	refused("*a", 2, ERR_USAGE, "missing argument to repetition operator: '*'");
	refused("a{1001}", 7, ERR_USAGE, "invalid repeat count: '{1001}'");
	refused("a\\", 2, ERR_USAGE, "trailing backslash");
	refused("a\xff", 2, ERR_USAGE, "invalid UTF-8");
	refused("\\p{Nobody}", 10, ERR_USAGE, "unknown property");
}

/* As regexp/syntax: 1000 copies of the innermost piece are the most. */
Test(pattern, nested_repetitions_count_together)
{
	refused("(a{40}){26}", 11, ERR_USAGE, "invalid repeat count: '{26}'");
	refused("(?:a|b(c{40}|d))(?i){26}", 24, ERR_USAGE, "invalid repeat count: '{26}'");
	refused("a{40}(?i){26}", 13, ERR_USAGE, "invalid repeat count: '{26}'");
	refused("((a{2,}){3,10}b*){51}", 21, ERR_USAGE, "invalid repeat count: '{51}'");
	cr_expect_eq(MATCHES("^(a{40}){25}$", "a"), 0);
	cr_expect_eq(MATCHES("^((a{40}){0}b){2,26}$", "bb"), 1);
	cr_expect_eq(MATCHES("^(a{0,}|c){100}$", "aaa"), 1);
	cr_expect_eq(MATCHES("^a{40}|(b{2}){2}$", "bbbb"), 1);
}

Test(pattern, bounds_of_patterns)
{
	enum { SIZE = GOSYNTAX_MAX + 1 };
	char *text = malloc(SIZE);

	memset(text, 'a', SIZE);
	refused(text, SIZE, ERR_LIMIT, "longer than");
	memset(text, '(', SIZE);
	refused(text, GOSYNTAX_NESTING + 1, ERR_LIMIT, "inside each other");
	memset(text + GOSYNTAX_NESTING, ')', GOSYNTAX_NESTING);
	text[2 * GOSYNTAX_NESTING] = '\0';
	cr_expect_eq(MATCHES(text, ""), 1);
	free(text);
	refused("(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa){1000}", 48, ERR_LIMIT, "too large");
}

/* Patterns for which a backtracking matcher takes for ever. */
Test(pattern, hopeless_ones)
{
	static const char *const list[] = { "^(a*)*$",		 "^(a|aa)+$", "^(a|a?)+$",
					    "^(?:a?){30}a{30}$", "(a+)+$",    "a.*a.*a.*a.*[b-c]" };
	char text[1002];

	memset(text, 'a', 1001);
	text[1000] = 'b';
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		cr_expect_eq(matches(list[i], text, 1001), i == 5, "%s", list[i]);
}

Test(pattern, long_texts)
{
	enum { SIZE = PATTERN_TEXT_MAX + 1 };
	char *text = malloc(SIZE);

	memset(text, 'a', SIZE);
	cr_expect_eq(matches("b", text, SIZE), ERR_LIMIT);
	cr_expect_eq(matches("b$", text, 100000), 0);
	cr_expect_eq(matches("^a+$", text, 100000), 1);
	free(text);
}
