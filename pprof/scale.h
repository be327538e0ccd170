/*
 * Multiplies a profile's values, like google/pprof's Scale, ScaleN and Normalize
 * (profile/profile.go, profile/merge.go), in place.
 *
 * A product is rounded to the nearest whole number, halves away from zero; beyond
 * 64 bits it becomes the largest or smallest number. (In Go that case depends on the
 * processor.) Values above 2^53 lose their last digits, as in Go.
 */
#ifndef PPROF_SCALE_H
#define PPROF_SCALE_H

struct error;
struct profile;

/* Multiplies all values. A ratio of 1 changes nothing; with any other ratio, samples
 * whose values are all 0 afterwards are removed. */
void profile_scale(struct profile *p, double ratio);

/* Multiplies the values of each sample type by the type's own ratio. If all ratios are 1,
 * nothing changes. Otherwise a sample is removed if all its values that have another ratio
 * are 0 afterwards, as in google/pprof. (This matters when only some types are converted.) */
void profile_scale_each(struct profile *p, const double *ratios);

/* Multiplies the values of each sample type so that their sum becomes that of `base`; if the
 * sum in `p` is 0, the values become 0. ERR_FORMAT when the types differ (pprof/compat.h),
 * ERR_NOMEM. */
int profile_normalize(struct profile *p, const struct profile *base, struct error *err);

#endif
