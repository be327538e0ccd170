/* PHP: the functions of runtimes/common/runtime.h. */
#ifndef RUNTIMES_PHP_PHP_H
#define RUNTIMES_PHP_PHP_H

#include "runtimes/common/runtime.h"

extern const struct interp_ops php_ops;

#endif
