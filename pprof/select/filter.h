/*
 * Selects samples, frames and labels by name: google/pprof's profile/filter.go.
 *
 * All functions work in place. Dropped samples leave the array of samples; dropped frames, lines
 * and labels leave their sample or location. What they had in the arrays of stacks, values, lines
 * and labels stays there, unused. A change of a location affects all samples. All return 0,
 * ERR_NOMEM or an error of pattern_match (pprof/select/pattern.h). After an error the profile is
 * valid, but may be filtered in part.
 */
#ifndef PPROF_SELECT_FILTER_H
#define PPROF_SELECT_FILTER_H

#include <stdbool.h>

struct error;
struct pattern;
struct profile;

struct filter_names {
	const struct pattern *focus, *ignore, *hide, *show; /* NULL: none */
};

/* Which of the patterns have matched anything. */
struct filter_found {
	bool focus, ignore, hide, show;
};

/* Keeps the samples in which some frame matches focus and no frame matches ignore. Of these it
 * keeps the frames that match show and not hide, and drops a sample that has no frame left. A
 * frame matches by its function's name or file, or by the file that it is mapped from
 * (FilterSamplesByName). */
int filter_names(struct profile *p, const struct filter_names *f, struct filter_found *found,
		 struct error *err);

/* In each sample, drops the callers of the outermost frame that matches; drops samples without
 * such a frame (ShowFrom). *matched: has any frame matched? If `from` is NULL, nothing changes or
 * matches. */
int filter_show_from(struct profile *p, const struct pattern *from, bool *matched,
		     struct error *err);

/* Keeps the labels whose key matches show (NULL: all do) and not hide (NULL: none does); sets
 * found->show and found->hide (FilterTagsByName). */
int filter_labels(struct profile *p, const struct pattern *show, const struct pattern *hide,
		  struct filter_found *found, struct error *err);

#endif
