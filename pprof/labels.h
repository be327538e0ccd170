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

/* The unit of a key by a table of units (by the key's string, the number of the unit's string; 0:
 * no unit). If it has none, "bytes" for the two old keys "alignment" and "request", and for other
 * keys the key itself. */
const char *labels_unit(const struct profile *p, const uint32_t *units, uint32_t key);

/* Sorts labels into google/pprof's order; labels of one key keep theirs. ERR_NOMEM: the order is
 * unchanged. */
int labels_sort(const struct strset *strings, struct profile_label *labels, size_t count);

/* Both change every sample: they replace or remove the string labels of a key, not its number
 * labels. Values that are "" cannot be written and are left out. 0 or ERR_NOMEM; the profile is
 * valid even then. */
int profile_set_label(struct profile *p, const char *key, const char *const *values, size_t count);
int profile_remove_label(struct profile *p, const char *key);

#endif
