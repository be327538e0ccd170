/*
 * Translates Go's regular expressions (pkg.go.dev/regexp/syntax) for PCRE2.
 *
 * The two look alike and differ in a hundred places: what \s and $ match, {,5} and a**, which
 * escapes and groups exist. Users know pprof's patterns, so patterns are read by Go's rules
 * (regexp/syntax/parse.go, flags syntax.Perl), and each piece is written in a form that means the
 * same to PCRE2: classes as ranges, groups without names or numbers. Laziness is left out, because
 * only the existence of a match matters. What Go rejects is rejected with Go's message.
 */
#ifndef PPROF_SELECT_GOSYNTAX_H
#define PPROF_SELECT_GOSYNTAX_H

#include <stddef.h>

struct buffer;
struct error;

enum { GOSYNTAX_MAX = 16 << 10, GOSYNTAX_NESTING = 200 };

/* The matcher that the translation is for: pcre2_match or pcre2_dfa_match. pcre2_dfa_match counts
 * the repetitions of a single character and so holds up to as many possibilities as the text is
 * long. It does not count the repetitions of a group. */
enum gosyntax_for { GOSYNTAX_ONE_BY_ONE, GOSYNTAX_ALL_AT_ONCE };

/* Appends to `out` the pattern for PCRE2: ASCII, without NULs, for PCRE2_UTF, PCRE2_DOTALL,
 * PCRE2_ALT_CIRCUMFLEX, PCRE2_NEWLINE_LF and PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES. ERR_USAGE for
 * an invalid pattern; ERR_LIMIT beyond GOSYNTAX_MAX bytes or GOSYNTAX_NESTING nested groups;
 * ERR_NOMEM. */
int gosyntax_translate(const char *text, size_t len, enum gosyntax_for matcher, struct buffer *out,
		       struct error *err);

#endif
