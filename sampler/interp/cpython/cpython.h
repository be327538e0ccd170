/* CPython: the functions of sampler/interp/common/runtime.h. */
#ifndef SAMPLER_INTERP_CPYTHON_CPYTHON_H
#define SAMPLER_INTERP_CPYTHON_CPYTHON_H

#include "sampler/interp/common/runtime.h"

extern const struct interp_ops cpython_ops;

#endif
