/* Erlang and Elixir: the functions that BeamAsm, the BEAM's JIT compiler, has compiled. */
#ifndef RUNTIMES_BEAM_BEAM_H
#define RUNTIMES_BEAM_BEAM_H

#include "runtimes/common/managed.h"
#include "runtimes/common/runtime.h"

extern const struct managed_ops beam_ops;

/* What copies the stacks that walks need, while a thread is held; it has no frames (stacks.c). */
extern const struct interp_ops beam_stack_ops;

#endif
