/* Ruby: the functions of runtimes/common/runtime.h. */
#ifndef RUNTIMES_RUBY_RUBY_H
#define RUNTIMES_RUBY_RUBY_H

#include "runtimes/common/runtime.h"

extern const struct interp_ops ruby_ops;

#endif
