/* What anyone asks of instructions, whatever the architecture. */
#ifndef UNWIND_INSN_H
#define UNWIND_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Do the bytes before `end`, of which `len` are there, end with a call instruction? Of
 * a near call by distance *target is how far from `end` its target is; 0 else. */
bool insn_call_ends(const uint8_t *end, size_t len, int64_t *target);

#endif
