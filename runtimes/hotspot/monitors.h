/* What Java's threads wait for, and which thread has it: monitors and locks (monitors.c). */
#ifndef RUNTIMES_HOTSPOT_MONITORS_H
#define RUNTIMES_HOTSPOT_MONITORS_H

#include <sys/types.h>

#include "runtimes/common/managed.h"

struct hotspot;

/* The function of struct managed_ops. */
void hotspot_wait(void *rt, pid_t own_tid, struct managed_wait *wait);

#endif
