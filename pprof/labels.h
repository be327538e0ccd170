/*
 * Labels of samples. profile.proto has a list of them; google/pprof (profile/encode.go)
 * reads it as two maps, key -> strings and key -> numbers with units, and writes them back
 * with the strings first and the keys of each in order. A label with neither string nor
 * number nor unit is none there. So it is here, where labels are compared or set.
 */
#ifndef PPROF_LABELS_H
#define PPROF_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_label;
struct strset;

bool label_is_empty(const struct profile_label *label);

/* Puts labels into google/pprof's order; those of one key keep theirs. ERR_NOMEM, and the
 * order is as it was. */
int labels_sort(const struct strset *strings, struct profile_label *labels, size_t count);

/* All below change every sample: 0 or ERR_NOMEM, and the profile is valid still. The labels
 * of a key that are set replace the strings, or the numbers, which had the key before. */

/* Values that are "" cannot be written, and are left out. */
int profile_set_label(struct profile *p, const char *key, const char *const *values,
		      size_t count);
int profile_remove_label(struct profile *p, const char *key);

/* `units` has as many as there are values, "" for none; NULL: no value has one. A value 0
 * without a unit cannot be written, and is left out. */
int profile_set_number(struct profile *p, const char *key, const int64_t *values,
		       const char *const *units, size_t count);
int profile_remove_number(struct profile *p, const char *key);

#endif
