/*
 * Which profiles can be merged with each other, and what makes two of them so.
 *
 * The rules are google/pprof's: `compatible` and CompatibilizeSampleTypes of
 * profile/merge.go, ScaleProfiles of internal/measurement. There all profiles are at hand
 * at once; here they come two at a time, a sum and the next one, so that memory does not
 * grow with their number. Where types go, that shows in one place, the order: a sample that
 * has no value left may have been what gave a later, equal one, or a mapping, its place in
 * the sum.
 */
#ifndef PPROF_COMPAT_H
#define PPROF_COMPAT_H

struct error;
struct profile;

/* 0 when both have the same period type and the same sample types, units and order
 * included; otherwise ERR_FORMAT, and the message says what `a` has and what `b` has. */
int profile_compatible(const struct profile *a, const struct profile *b, struct error *err);

/* Keeps in both the sample types that both have, in the order of `a`, and converts values
 * and period to the finer unit of each. Where types go, a default type that is not there
 * any more becomes the first. ERR_FORMAT when no type is left, when units cannot be
 * converted, or when the period types differ; ERR_LIMIT above 4096 types; ERR_NOMEM. Both
 * remain valid profiles then, but one may have been changed already. */
int profile_make_compatible(struct profile *a, struct profile *b, struct error *err);

#endif
