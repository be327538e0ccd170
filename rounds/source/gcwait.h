/* Waits for the end of a GC cycle that the program begins by itself; none is forced. */
#ifndef ROUNDS_SOURCE_GCWAIT_H
#define ROUNDS_SOURCE_GCWAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct httpask;

/* Returns after the end of the next cycle (*ended true), or after `timeout_ns` (false, and 0).
 * ERR_FORMAT: the endpoint does not tell the number of cycles. Other errors of httpask_all. */
int gcwait(const struct httpask *a, uint64_t timeout_ns, bool *ended, struct error *err);

/* Finds runtime.MemStats.NumGC, the number of ended cycles, in the last GCWAIT_END bytes of
 * heap?debug=1 (runtime/pprof/pprof.go, writeHeapInternal). False: not there. */
enum { GCWAIT_END = 4096 };
bool gcwait_cycles(const void *end, size_t len, uint64_t *cycles);

#endif
