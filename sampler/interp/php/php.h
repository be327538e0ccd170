/* PHP: the functions of sampler/interp/common/runtime.h. */
#ifndef SAMPLER_INTERP_PHP_PHP_H
#define SAMPLER_INTERP_PHP_PHP_H

#include "sampler/interp/common/runtime.h"

extern const struct interp_ops php_ops;

#endif
