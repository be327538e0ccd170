/* Waiting for a GC cycle of the program's own to end, none being forced. */
#ifndef ROUNDS_GCWAIT_H
#define ROUNDS_GCWAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct httpask;

/* Returns after the end of the next cycle, or when `timeout_ns` is over; *ended says which.
 * ERR_FORMAT: the endpoint does not tell how many there were. Errors as of httpask_open. */
int gcwait(const struct httpask *a, uint64_t timeout_ns, bool *ended, struct error *err);

/* runtime.MemStats.NumGC, the cycles that have ended, out of the end of heap?debug=1
 * (runtime/pprof/pprof.go, writeHeapInternal): GCWAIT_END bytes will do. False: not there. */
enum { GCWAIT_END = 4096 };
bool gcwait_cycles(const void *end, size_t len, uint64_t *cycles);

#endif
