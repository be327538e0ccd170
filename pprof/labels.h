/*
 * Labels of samples. profile.proto has a list of them; google/pprof (profile/encode.go)
 * reads it as two maps, key -> strings and key -> numbers with units, and writes them back
 * with the strings first and the keys of each in order. It ignores a label that has neither
 * string nor number nor unit. This file does the same where labels are compared or set.
 */
#ifndef PPROF_LABELS_H
#define PPROF_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_label;
struct strset;

/* True when the label has neither string nor number nor unit. */
bool label_is_empty(const struct profile_label *label);

/* Sorts labels into google/pprof's order; labels of one key keep theirs. ERR_NOMEM: the order is
 * unchanged. */
int labels_sort(const struct strset *strings, struct profile_label *labels, size_t count);

/* All below change every sample. 0 or ERR_NOMEM; the profile is valid even then. A key can have
 * strings and numbers: each function replaces or removes only the key's labels of one kind. */

/* Values that are "" cannot be written and are left out. */
int profile_set_label(struct profile *p, const char *key, const char *const *values,
		      size_t count);
int profile_remove_label(struct profile *p, const char *key);

/* `units` has one unit for each value, "" for none; NULL: no value has a unit. A value 0 without
 * a unit cannot be written and is left out. */
int profile_set_number(struct profile *p, const char *key, const int64_t *values,
		       const char *const *units, size_t count);

#endif
