/*
 * Heap profiles hold samples: of each allocation of S bytes, with an average of R bytes
 * between two samples, a share of 1 - exp(-S/R) is taken. These are the estimates of
 * google/pprof and runtime/pprof (scaleHeapSample), to the last bit as Go computes them
 * on x86-64 processors with FMA.
 */
#ifndef PPROF_HEAPSCALE_H
#define PPROF_HEAPSCALE_H

#include <stdbool.h>
#include <stdint.h>

/* What was sampled -> the estimate. */
void heapscale(int64_t *count, int64_t *size, int64_t rate);

/* The other way: finds numbers that heapscale makes these of. `block`, where it is not 0,
 * is how large the objects are. False if none were found; then the nearest are there. */
bool heapscale_undo(int64_t *count, int64_t *size, int64_t rate, int64_t block);

#endif
