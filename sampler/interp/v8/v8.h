/* V8 in a process: see sampler/interp/common/managed.h. */
#ifndef SAMPLER_INTERP_V8_V8_H
#define SAMPLER_INTERP_V8_V8_H

#include "sampler/interp/common/managed.h"

extern const struct managed_ops v8_ops;

#endif
