/* What the clock shows by which a Go runtime notes times. */
#ifndef GORUNTIME_GONANOTIME_H
#define GORUNTIME_GONANOTIME_H

#include <stdint.h>

struct process;

/* runtime.nanotime: CLOCK_MONOTONIC, as the process sees it, whose time namespace may not be ours
 * (time_namespaces(7)); 0 where that cannot be found out. `process` NULL: as we see it. */
int64_t gonanotime(const struct process *process);

#endif
