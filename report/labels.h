/*
 * A sample's labels as google/pprof has them: a list of values for each key, in
 * order, strings and numbers apart (profile/encode.go, postDecode).
 */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_label;
struct profile_sample;

struct labels {
	const struct profile *p;
	const struct profile_label **list; /* by key, then as in the file */
	size_t count, room;
	size_t width; /* columns that keys are padded to: it makes their order */
};

/* Takes the sample's labels of strings, or those of numbers; {0} is empty, and what was
 * there before is forgotten. google/pprof sorts the lines or words that it prints, and so
 * keys go by their padded text and the colon behind it. 0 or ERR_NOMEM. */
int labels_take(struct labels *l, const struct profile *p, const struct profile_sample *s,
		bool numbers);
void labels_release(struct labels *l);

/* The end of the run of one key that begins at `from`. */
size_t labels_run(const struct labels *l, size_t from);

/* The characters of a key. */
size_t labels_columns(const struct profile *p, uint32_t key);

/* What the values of a number's key are measured in: by key's string, the number of the
 * unit's string (profile.go, NumLabelUnits: the first unit that stands with the key; 0 where
 * none does). To be freed; NULL when out of memory. */
uint32_t *labels_units(const struct profile *p);

/* The unit by that table; one that is missing is "bytes" for two keys of old and the key
 * itself for others. */
const char *labels_unit(const struct profile *p, const uint32_t *units, uint32_t key);

#endif
