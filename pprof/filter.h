/*
 * Samples and frames chosen by their names: google/pprof's profile/filter.go.
 *
 * All work in place: samples that go leave the array, frames and lines leave their sample or
 * location, and what the arrays of stacks, values, lines and labels held for them stays there,
 * unused. Locations change for all samples at once. Errors of matching (pprof/pattern.h) leave
 * the profile usable, with some of it done.
 */
#ifndef PPROF_FILTER_H
#define PPROF_FILTER_H

#include <stdbool.h>

struct error;
struct pattern;
struct profile;

struct filter_names {
	const struct pattern *focus, *ignore, *hide, *show; /* NULL where not wanted */
};

/* Which of them have matched anything. */
struct filter_found {
	bool focus, ignore, hide, show;
};

/* Keeps samples of which a frame matches focus and none ignore; of these, frames that match show
 * and not hide; a sample without frames goes. A frame matches by its function's name or file, or
 * the file it is mapped from (FilterSamplesByName). */
int filter_names(struct profile *p, const struct filter_names *f, struct filter_found *found,
		 struct error *err);

/* Drops the frames that called the outermost one that matches, and samples without any
 * (ShowFrom). NULL changes nothing and matches nothing. */
int filter_show_from(struct profile *p, const struct pattern *from, bool *matched,
		     struct error *err);

/* Keeps the labels whose key matches show and not hide; NULL: all, none (FilterTagsByName).
 * found->show and found->hide tell. */
int filter_labels(struct profile *p, const struct pattern *show, const struct pattern *hide,
		  struct filter_found *found, struct error *err);

#endif
