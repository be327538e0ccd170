/* Code that a JIT compiler has registered by gdb's JIT interface (LLVM as in numba, Julia and
 * PostgreSQL; PHP, LuaJIT and QEMU where they are built or told so). */
#ifndef RUNTIMES_GDBJIT_GDBJIT_H
#define RUNTIMES_GDBJIT_GDBJIT_H

#include "runtimes/common/managed.h"

extern const struct managed_ops gdbjit_ops;

#endif
