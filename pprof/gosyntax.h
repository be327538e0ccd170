/*
 * Go's regular expressions (pkg.go.dev/regexp/syntax), written anew for PCRE2.
 *
 * The two look alike and differ in a hundred places: what \s and $ match, {,5} and a**, which
 * escapes and groups there are. Users know pprof's patterns, so theirs are read by Go's rules
 * (regexp/syntax/parse.go, flags syntax.Perl), and each piece goes out in a form that means the
 * same to PCRE2: classes as ranges, groups without names or numbers, laziness left out, since
 * the only question is whether there is a match. What Go refuses is refused, in its words.
 */
#ifndef PPROF_GOSYNTAX_H
#define PPROF_GOSYNTAX_H

#include <stddef.h>

struct buffer;
struct error;

enum { GOSYNTAX_MAX = 16 << 10, GOSYNTAX_NESTING = 200 };

/* Whom the translation is for: pcre2_match, or pcre2_dfa_match. The latter counts how often a
 * character was repeated, and then has as many possibilities in hand as the text is long;
 * groups it repeats without counting. */
enum gosyntax_for { GOSYNTAX_ONE_BY_ONE, GOSYNTAX_ALL_AT_ONCE };

/* Appends to `out` the pattern for PCRE2: ASCII, without NULs, for PCRE2_UTF, PCRE2_DOTALL,
 * PCRE2_ALT_CIRCUMFLEX, PCRE2_NEWLINE_LF and PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES. ERR_USAGE for
 * what is no pattern; ERR_LIMIT beyond GOSYNTAX_MAX bytes or that many nested groups. */
int gosyntax_translate(const char *text, size_t len, enum gosyntax_for matcher, struct buffer *out,
		       struct error *err);

#endif
