/*
 * Lists a sample's labels as google/pprof has them: the values of each key, in order, strings and
 * numbers separately (profile/encode.go, postDecode).
 */
#ifndef PPROF_REPORT_LABELS_H
#define PPROF_REPORT_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_label;
struct profile_sample;

struct labels {
	const struct profile *p;
	const struct profile_label **list; /* by key, then in the order of the file */
	size_t count, room;
	size_t width; /* columns that keys are padded to, which determines their order */
};

/* Replaces the contents of l->list by the sample's labels that are strings or, if `numbers`, by
 * the labels that are numbers. {0} is an empty *l. google/pprof sorts the lines or words that it
 * prints, so keys are sorted as padded text with a colon behind it. 0 or ERR_NOMEM. */
int labels_take(struct labels *l, const struct profile *p, const struct profile_sample *s,
		bool numbers);
void labels_release(struct labels *l);

/* The end of the run of labels with the same key that begins at `from`. */
size_t labels_run(const struct labels *l, size_t from);

/* The number of characters of a key. */
size_t labels_columns(const struct profile *p, uint32_t key);

#endif
