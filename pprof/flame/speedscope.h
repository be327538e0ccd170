/*
 * Writes a profile in speedscope's own file format, as "sampled" profiles
 * (https://www.speedscope.app/file-format-schema.json).
 *
 * The file has one profile for each thread that samples are labelled with, and one for all samples
 * without a thread. Of a difference, each side has its own profiles, because weights cannot be
 * negative. Equal stacks are one sample: a pprof file does not contain when they were taken.
 */
#ifndef PPROF_FLAME_SPEEDSCOPE_H
#define PPROF_FLAME_SPEEDSCOPE_H

#include "pprof/view.h"

/* A report_writer. ERR_LIMIT: more than 1 GiB. */
int report_speedscope(const struct profile *p, const struct report_view *v, struct buffer *out,
		      struct error *err);

#endif
