/*
 * A profile's values, multiplied. As google/pprof's Scale, ScaleN and Normalize
 * (profile/profile.go, profile/merge.go), in place.
 *
 * A product is rounded to the nearest whole number, halves away from zero; beyond
 * 64 bits it is the largest or smallest there is. (Go leaves that case to the
 * processor.) Values above 2^53 lose their last digits, as they do there.
 */
#ifndef PPROF_SCALE_H
#define PPROF_SCALE_H

struct error;
struct profile;

/* Multiplies all values. A ratio of 1 changes nothing at all; with any other,
 * samples whose values are all 0 then are removed. */
void profile_scale(struct profile *p, double ratio);

/* Multiplies the values of each sample type by a ratio of their own; there are as many as
 * sample types. All of them 1 changes nothing at all. Otherwise a sample stays only if one
 * of the values that were multiplied by something else than 1 is not 0 (so it is there,
 * and it decides what a profile of two units comes to). */
void profile_scale_each(struct profile *p, const double *ratios);

/* Multiplies so that each sample type's sum becomes `base`'s; to 0 where p's sum is 0.
 * ERR_FORMAT when their types differ (pprof/compat.h), ERR_NOMEM. */
int profile_normalize(struct profile *p, const struct profile *base, struct error *err);

#endif
