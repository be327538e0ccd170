/*
 * A profile as speedscope reads it: its own file format, "sampled" profiles
 * (https://www.speedscope.app/file-format-schema.json).
 *
 * A profile of it for each thread that samples are labelled with, or one if they are not;
 * of a difference, one for each side, as there are no negative weights in it. Equal stacks
 * are one sample: a pprof file does not know when they were taken.
 */
#ifndef REPORT_SPEEDSCOPE_H
#define REPORT_SPEEDSCOPE_H

#include "report/view.h"

/* A report_writer. ERR_USAGE for a type that is not there; ERR_LIMIT for more than 1 GiB. */
int report_speedscope(const struct profile *p, const struct report_view *v, struct buffer *out,
		      struct error *err);

#endif
