/* The clock by which a Go runtime records times. */
#ifndef RUNTIMES_GO_NANOTIME_H
#define RUNTIMES_GO_NANOTIME_H

#include <stdint.h>

struct process;

/* runtime.nanotime in ns: CLOCK_MONOTONIC in the process's time namespace, which may not be ours
 * (time_namespaces(7)); 0: not known. `process` NULL: in our namespace. */
int64_t gonanotime(const struct process *process);

#endif
