/*
 * A heap profile holds samples: with R bytes between two samples on average, an allocation of
 * S bytes is sampled with a probability of 1 - exp(-S/R). heapscale computes the estimates of
 * google/pprof and runtime/pprof (scaleHeapSample), equal to the last bit to what Go computes
 * on x86-64 processors with FMA.
 */
#ifndef PPROF_GOTEXT_HEAPSCALE_H
#define PPROF_GOTEXT_HEAPSCALE_H

#include <stdbool.h>
#include <stdint.h>

/* A value out of range gives the least integer, as x86-64's conversion does. */
static inline int64_t heapscale_truncated(double v)
{
	return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

/* Replaces the sampled objects and bytes by the estimate; both 0 if one of them is 0. `rate`:
 * average bytes between two samples; up to 1, the numbers do not change. */
void heapscale(int64_t *count, int64_t *size, int64_t rate);

/* The inverse: replaces an estimate by sampled numbers that heapscale turns into it. `block`: size
 * of an object in bytes, 0: unknown. False: none were found, and the numbers are the nearest. */
bool heapscale_undo(int64_t *count, int64_t *size, int64_t rate, int64_t block);

#endif
