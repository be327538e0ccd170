/*
 * Tells how far the shares that few samples show may be from the true ones.
 *
 * The interval is Wilson's (1927) of 95 %, for a share of one half, where it is widest. Samples are
 * few if it reaches further than ten points: up to 92 of them.
 */
#ifndef PPROF_FEW_H
#define PPROF_FEW_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* How far a shown 50 % may be from the true share, from 0 to 0.5; 0 if the samples are not few, or
 * not known (0). */
static inline double few_error(int64_t samples)
{
	const double z = 1.96, widest = 0.1;
	double half = samples > 0 ? z / 2 / sqrt((double)samples + z * z) : 0;

	return half > widest ? half : 0;
}

/* Writes "few samples (30): what is shown as 50 % may be 33 to 67 %" and returns `text`; "" if they
 * are not few. */
enum { FEW_TEXT = 100 };
static inline const char *few_text(int64_t samples, char text[FEW_TEXT])
{
	double half = 100 * few_error(samples);

	*text = '\0';
	if (half > 0)
		snprintf(text, FEW_TEXT,
			 "few samples (%ld): what is shown as 50 %% may be %.0f to %.0f %%",
			 samples, 50 - half, 50 + half);
	return text;
}

#endif
