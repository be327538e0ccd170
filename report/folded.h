/*
 * Folded stacks, as flamegraph.pl, inferno and speedscope read them: a line for each
 * distinct stack, "outermost;…;innermost VALUE", in the order of the names.
 *
 * Lines that read alike are added up, those of 0 left out. Of a difference, lines have two
 * values, "… BASE NEW", which is what difffolded.pl and inferno-diff-folded write and
 * flamegraph.pl and inferno-flamegraph colour by; speedscope knows no such form.
 */
#ifndef REPORT_FOLDED_H
#define REPORT_FOLDED_H

#include "report/view.h"

/* A report_writer. ';' in a name becomes ':', a control character a blank. ERR_USAGE for
 * a type that is not there; ERR_LIMIT for more than 1 GiB of text. */
int report_folded(const struct profile *p, const struct report_view *v, struct buffer *out,
		  struct error *err);

#endif
