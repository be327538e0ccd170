/*
 * Matches patterns as pprof's users write them: Go's regular expressions, by PCRE2.
 *
 * Go finds a match in time linear in the text, whatever the pattern. PCRE2 backtracks, which is
 * usually faster but sometimes hopelessly slow, and patterns also come from profiles
 * (drop_frames). So pcre2_match gets few steps for each place where a match could begin. If they
 * do not suffice, or the text is long, pcre2_dfa_match passes over the text once with all
 * possibilities side by side; their number is bounded. Beyond this bound, or beyond
 * PATTERN_SECONDS of CPU time for all texts of a pattern, matching fails with an error.
 *
 * The differences from Go are in docs/sampler.1. A pattern may be compiled to machine code, which
 * takes executable memory: do not use patterns in processes under seccomp.
 */
#ifndef PPROF_SELECT_PATTERN_H
#define PPROF_SELECT_PATTERN_H

#include <stddef.h>

struct error;
struct pattern;

enum { PATTERN_SECONDS = 30, PATTERN_TEXT_MAX = 1 << 20 };

/* Compiles a pattern, which the caller frees with pattern_free. ERR_USAGE with Go's message for an
 * invalid one, ERR_LIMIT, ERR_NOMEM; *pattern is NULL then. */
int pattern_new(struct pattern **pattern, const char *text, size_t len, struct error *err);
void pattern_free(struct pattern *pattern); /* NULL is allowed */

/* Does the pattern occur in the text? 1 or 0; ERR_LIMIT beyond the bounds, or for a text of more
 * than PATTERN_TEXT_MAX bytes; ERR_NOMEM. Each byte that is not UTF-8 counts as U+FFFD, as in Go.
 * Two threads must not use a pattern at once. */
int pattern_match(const struct pattern *pattern, const char *text, size_t len, struct error *err);

#endif
