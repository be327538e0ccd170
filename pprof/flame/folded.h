/*
 * Writes folded stacks, as flamegraph.pl, inferno and speedscope read them: a line for each
 * distinct stack, "outermost;…;innermost VALUE", in the order of the names.
 *
 * Stacks that read alike are added up; lines with the value 0 are left out. For a difference, lines
 * have two values, "… BASE NEW". difffolded.pl and inferno-diff-folded write this form, and
 * flamegraph.pl and inferno-flamegraph colour by it. speedscope does not read it.
 */
#ifndef PPROF_FLAME_FOLDED_H
#define PPROF_FLAME_FOLDED_H

#include "pprof/view.h"

/* A report_writer. ';' in a name becomes ':', what a terminal would act on a space. ERR_LIMIT: more
 * than 1 GiB of text. */
int report_folded(const struct profile *p, const struct report_view *v, struct buffer *out,
		  struct error *err);

#endif
