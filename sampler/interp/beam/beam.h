/* Erlang and Elixir: the functions that BeamAsm, the BEAM's JIT compiler, has compiled. */
#ifndef SAMPLER_INTERP_BEAM_BEAM_H
#define SAMPLER_INTERP_BEAM_BEAM_H

#include "sampler/interp/common/managed.h"
#include "sampler/interp/common/runtime.h"

extern const struct managed_ops beam_ops;

/* What copies the stacks that walks need, while a thread is held; it has no frames (stacks.c). */
extern const struct interp_ops beam_stack_ops;

#endif
