/*
 * Merges profiles into one that holds the sum of their samples. The result has the same
 * entries in the same order as that of google/pprof's Merge and Compact (profile/merge.go).
 *
 * - Samples are equal when their locations and labels are. Their values are added and wrap
 *   beyond 64 bits, as in Go, so that the order of additions does not matter. Samples whose
 *   values are all 0 are left out, both of the input and of the result.
 * - Locations are equal when mapping, address within the mapping, lines and is_folded are.
 *   Mappings are equal when offset, size (rounded up to 4 KiB) and build ID are (file, if there
 *   is no build ID). Their start need not be equal: addresses are moved to the mapping that came
 *   first. Functions are equal when all their fields are.
 * - The first mapping of the first profile that has any is the result's first, because it
 *   represents the program. Everything else that no sample refers to is left out.
 * - Sample types, period type, drop_frames and keep_frames are the first profile's. Default
 *   type and documentation URL are the first that is set. Each comment is kept once. Durations
 *   are added. The period is the largest, the time the earliest (for a time of 0 see
 *   map_header in merge.c).
 *
 * A profile can be released once it is added, so memory is that of the result and of one
 * profile, however many there are.
 */
#ifndef PPROF_MERGE_H
#define PPROF_MERGE_H

struct error;
struct merge;
struct profile;

/* Begins a merge; the caller ends *m with merge_finish or merge_free. ERR_NOMEM. */
int merge_new(struct merge **m, struct error *err);

/* NULL is harmless. */
void merge_free(struct merge *m);

/* Adds a valid profile, which is only read. ERR_FORMAT when its types differ from the first
 * profile's (the message has both lists); ERR_NOMEM: only merge_free may follow. */
int merge_add(struct merge *m, const struct profile *p, struct error *err);

/* The same for profiles of different types: the sum and `p` are made compatible first, which may
 * change `p` and remove types from the sum. Also returns the errors of profile_make_compatible. */
int merge_add_common(struct merge *m, struct profile *p, struct error *err);

/* Moves the sum to *result and frees `m`. *result is overwritten; the caller releases it, after an
 * error too. If nothing was added, the sum is an empty profile. ERR_NOMEM. */
int merge_finish(struct merge *m, struct profile *result, struct error *err);

/* Removes in place what no sample refers to, and adds up equal samples: a merge of one profile.
 * ERR_NOMEM: the profile is unchanged. */
int profile_compact(struct profile *p, struct error *err);

#endif
