/* V8 in a process: see runtimes/common/managed.h. */
#ifndef RUNTIMES_V8_V8_H
#define RUNTIMES_V8_V8_H

#include "runtimes/common/managed.h"

extern const struct managed_ops v8_ops;

#endif
