/* CPython: the functions of runtimes/common/runtime.h. */
#ifndef RUNTIMES_CPYTHON_CPYTHON_H
#define RUNTIMES_CPYTHON_CPYTHON_H

#include "runtimes/common/runtime.h"

extern const struct interp_ops cpython_ops;

#endif
