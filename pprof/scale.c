/* Removed samples leave gaps in the arrays of stacks, values and labels; a merge closes them. */
#include "pprof/scale.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "pprof/compat.h"
#include "pprof/profile.h"

/* Rounds to the nearest whole number, halves away from zero, like libm's round() but without
 * libm. */
static int64_t multiply(int64_t value, double ratio)
{
	double product = (double)value * ratio, rest;
	int64_t whole;

	if (isnan(product))
		return 0;
	if (product >= 0x1p63)
		return INT64_MAX;
	if (product < -0x1p63)
		return INT64_MIN;
	whole = (int64_t)product;
	rest = product - (double)whole;
	return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* `stride` is 1, or 0 when one ratio is for all types. */
static void scale_scale(struct profile *p, const double *ratios, size_t stride)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->sample_count; i++) {
		int64_t *values = p->values + p->samples[i].first_value;
		bool keep = false;

		for (size_t j = 0; j < p->type_count; j++) {
			if (ratios[j * stride] == 1)
				continue;
			values[j] = multiply(values[j], ratios[j * stride]);
			keep |= values[j] != 0;
		}
		if (keep)
			p->samples[kept++] = p->samples[i];
	}
	p->sample_count = kept;
}

void profile_scale(struct profile *p, double ratio)
{
	if (ratio != 1)
		scale_scale(p, &ratio, 0);
}

void profile_scale_each(struct profile *p, const double *ratios)
{
	for (size_t i = 0; i < p->type_count; i++)
		if (ratios[i] != 1) {
			scale_scale(p, ratios, 1);
			return;
		}
}

/* The sum of each type; sums wrap, as in Go. The caller frees them; NULL: out of memory. */
static uint64_t *scale_sum_up(const struct profile *p)
{
	uint64_t *sums = calloc(p->type_count + 1, sizeof(*sums));

	for (size_t i = 0; sums && i < p->sample_count; i++)
		for (size_t j = 0; j < p->type_count; j++)
			sums[j] += (uint64_t)p->values[p->samples[i].first_value + j];
	return sums;
}

int profile_normalize(struct profile *p, const struct profile *base, struct error *err)
{
	int rc = profile_compatible(p, base, err);
	uint64_t *have, *want;
	double *ratios;

	if (rc)
		return rc;
	have = scale_sum_up(p);
	want = scale_sum_up(base);
	ratios = calloc(p->type_count + 1, sizeof(*ratios));
	if (!have || !want || !ratios)
		rc = error_nomem(err);
	for (size_t i = 0; !rc && i < p->type_count; i++)
		ratios[i] = have[i] ? (double)(int64_t)want[i] / (double)(int64_t)have[i] : 0;
	if (!rc)
		profile_scale_each(p, ratios);
	free(have);
	free(want);
	free(ratios);
	return rc;
}
