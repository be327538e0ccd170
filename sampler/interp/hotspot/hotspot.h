/* HotSpot in a process: see sampler/interp/common/managed.h. */
#ifndef SAMPLER_INTERP_HOTSPOT_HOTSPOT_H
#define SAMPLER_INTERP_HOTSPOT_HOTSPOT_H

#include "sampler/interp/common/managed.h"

extern const struct managed_ops hotspot_ops;

#endif
