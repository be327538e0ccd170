/*
 * The comments of a profile, as headings show them.
 *
 * Each of our recordings adds some seven: its version, its command line, its figures
 * (sampler/profile/summary.h). A merge of 200 has them all, because google/pprof's merge has, and
 * they would hide what is shown below them.
 */
#ifndef PPROF_COMMENTS_H
#define PPROF_COMMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct profile;

/* If the comments are of more than one of our runs: appends a line in place of them, without its
 * end, and sets *folded: "sampler 0.1.0: 200 runs (report --raw has their comments)". The text is
 * as untrusted as the profile. A merge keeps one of equal comments, so the number is that of runs
 * that differ in some figure. ERR_NOMEM. */
int comments_fold(const struct profile *p, struct buffer *line, bool *folded);

#endif
