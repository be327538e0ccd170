/*
 * Profiles -> one that holds the sum of their samples. As google/pprof's Merge and Compact
 * (profile/merge.go), entry by entry and in the same order.
 *
 * - Samples are the same when their locations and labels are; their values are added, and
 *   wrap beyond 64 bits, as in Go, so that the order of additions does not matter.
 *   Samples whose values are all 0 are left out, before and after.
 * - Locations are the same when mapping, address within the mapping, lines and is_folded
 *   are. Mappings are the same when offset, size (rounded up to 4 KiB) and build ID (where
 *   there is none: file) are, wherever they were mapped; addresses become those in the
 *   mapping that came first. Functions are the same when all their fields are.
 * - The first mapping of the first profile that has any stays the first: it stands for the
 *   program. What no sample refers to is left out otherwise.
 * - Sample types, period type, drop_frames and keep_frames are the first profile's;
 *   default type and documentation the first that there is; comments each once; durations
 *   are added; the period is the largest, the time the earliest (a time of 0 is earlier
 *   than others and later than none: see merge.c).
 *
 * One profile after the other is added and can be released, so that memory is that of the
 * result and of one profile, however many there are.
 */
#ifndef PPROF_MERGE_H
#define PPROF_MERGE_H

struct error;
struct merge;
struct profile;

/* A merge of nothing so far, through *m. ERR_NOMEM. */
int merge_new(struct merge **m, struct error *err);

/* NULL is harmless. */
void merge_free(struct merge *m);

/* Adds a valid profile; it is only read. ERR_FORMAT when its types are not those of the
 * first one (the message has both lists); ERR_NOMEM, and only merge_free may follow then. */
int merge_add(struct merge *m, const struct profile *p, struct error *err);

/* The same, for profiles of different types: both sides are made compatible first
 * (profile_make_compatible), which may change `p` and take types from the sum. */
int merge_add_common(struct merge *m, struct profile *p, struct error *err);

/* Moves the sum to *result, which is overwritten and must be released in any case, and
 * frees `m`. Without anything added it is an empty profile. ERR_NOMEM. */
int merge_finish(struct merge *m, struct profile *result, struct error *err);

/* Removes in place what no sample refers to, and adds equal samples up: a merge of one.
 * ERR_NOMEM, and the profile is as it was. */
int profile_compact(struct profile *p, struct error *err);

#endif
