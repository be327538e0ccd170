/*
 * Checks whether two profiles can be merged, and converts two profiles so that they can.
 *
 * The rules are google/pprof's: `compatible` and CompatibilizeSampleTypes of
 * profile/merge.go, ScaleProfiles of internal/measurement. google/pprof has all profiles in
 * memory; here there are two at a time, the sum and the next one, so that memory does not
 * grow with their number. When types are dropped, the result can differ from google/pprof's
 * in the order of entries only: a sample whose values have all become 0 may already have
 * fixed the place of a later, equal sample or of a mapping in the sum.
 */
#ifndef PPROF_COMPAT_H
#define PPROF_COMPAT_H

struct error;
struct profile;

/* 0 when both have the same period type and the same sample types, with equal units and in the
 * same order; otherwise ERR_FORMAT, and the message lists the types of `a` and those of `b`. */
int profile_compatible(const struct profile *a, const struct profile *b, struct error *err);

/* Keeps the sample types that both profiles have, in the order of `a`, and converts values and
 * periods to the finer one of the two units. If a default type is dropped, the first type that is
 * left replaces it. ERR_FORMAT when no type is left, when units cannot be converted, or when the
 * period types differ; ERR_LIMIT above 4096 types; ERR_NOMEM. After an error both are still valid
 * profiles, but may be changed in part. */
int profile_make_compatible(struct profile *a, struct profile *b, struct error *err);

#endif
