/*
 * Compares, sorts and sets labels of samples. profile.proto has a list of them; google/pprof
 * (profile/encode.go) reads it as two maps, key -> strings and key -> numbers with units. It writes
 * the strings first, then the numbers, each sorted by key. It ignores a label that has neither
 * string nor number nor unit. This file does the same where labels are compared or set.
 */
#ifndef PPROF_LABELS_H
#define PPROF_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_label;
struct profile_sample;
struct strset;

/* True when the label has neither string nor number nor unit. */
bool label_is_empty(const struct profile_label *label);

/* What makes samples equal. Borrowed. */
struct sample_key {
	const uint32_t *stack;
	const struct profile_label *labels;
	size_t locations, label_count;
};

/* Its hash, and a hashindex_eq of a profile's samples (base/hashindex.h). */
uint64_t sample_key_hash(const struct sample_key *k);
bool sample_has_key(const void *profile, uint32_t sample, const void *key);

/* The unit of each key's numbers: an array from the key's string to the string of the first unit
 * that a sample has with the key, 0: none (profile.go, NumLabelUnits). The caller frees it. NULL:
 * out of memory. */
uint32_t *labels_units(const struct profile *p);

/* The unit of a key's numbers: the string with the number units[key]. If units[key] is 0, it is
 * "bytes" for the two old keys "alignment" and "request", and the key itself for other keys. */
const char *labels_unit(const struct profile *p, const uint32_t *units, uint32_t key);

/* True when the sample has the label pprof::base=true: the sample is of the profile that
 * was subtracted (profile.go, SetLabel; internal/driver/fetch.go). */
bool sample_is_base(const struct profile *p, const struct profile_sample *s);

/* Sorts labels into google/pprof's order; labels of one key keep theirs. ERR_NOMEM: the order is
 * unchanged. */
int labels_sort(const struct strset *strings, struct profile_label *labels, size_t count);

/* Replace or remove the string labels of a key in every sample; number labels stay. Values that are
 * "" cannot be written and are left out. 0 or ERR_NOMEM; the profile is valid even then. */
int profile_set_label(struct profile *p, const char *key, const char *const *values, size_t count);
int profile_remove_label(struct profile *p, const char *key);

#endif
