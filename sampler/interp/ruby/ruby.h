/* Ruby: the functions of sampler/interp/common/runtime.h. */
#ifndef SAMPLER_INTERP_RUBY_RUBY_H
#define SAMPLER_INTERP_RUBY_RUBY_H

#include "sampler/interp/common/runtime.h"

extern const struct interp_ops ruby_ops;

#endif
