/*
 * Patterns as pprof's users write them: Go's regular expressions, matched by PCRE2.
 *
 * Go finds a match in time linear in the text, whatever the pattern. PCRE2 goes back and tries
 * again, which is faster as a rule and hopeless at times, and patterns come with profiles, too
 * (drop_frames). So it gets few steps for each text; where they don't suffice, or the text is
 * long, its other matcher goes through the text once with all possibilities side by side. That
 * one is bounded by the possibilities it may hold. Beyond this, and beyond PATTERN_SECONDS of
 * CPU time for all texts of a pattern, matching fails, and says so.
 *
 * What differs from Go is in docs/sampler.1. A pattern may be compiled to machine code, which takes
 * executable memory: not for processes that seccomp holds.
 */
#ifndef PPROF_PATTERN_H
#define PPROF_PATTERN_H

#include <stddef.h>

struct error;
struct pattern;

enum { PATTERN_SECONDS = 30, PATTERN_TEXT_MAX = 1 << 20 };

/* Reads a pattern. ERR_USAGE in Go's words, ERR_LIMIT, ERR_NOMEM. The caller owns *pattern. */
int pattern_new(struct pattern **pattern, const char *text, size_t len, struct error *err);
void pattern_free(struct pattern *pattern); /* NULL is fine */

/* Does the pattern occur in the text? 1 or 0; ERR_LIMIT for what is beyond the bounds (or a
 * text longer than PATTERN_TEXT_MAX bytes), ERR_NOMEM. Bytes that are no UTF-8 count as U+FFFD
 * each, as in Go. Not for two threads at once. */
int pattern_match(const struct pattern *pattern, const char *text, size_t len, struct error *err);

#endif
