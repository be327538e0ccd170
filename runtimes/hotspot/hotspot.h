/* HotSpot in a process: see runtimes/common/managed.h. */
#ifndef RUNTIMES_HOTSPOT_HOTSPOT_H
#define RUNTIMES_HOTSPOT_HOTSPOT_H

#include "runtimes/common/managed.h"

extern const struct managed_ops hotspot_ops;

#endif
