/* Recognizes call instructions; each architecture has its own implementation. */
#ifndef UNWIND_CODE_INSN_H
#define UNWIND_CODE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when the `len` bytes before `end` end with a call instruction. *target is the distance in
 * bytes from `end` to the target of a relative near call; 0 for any other. */
bool insn_call_ends(const uint8_t *end, size_t len, int64_t *target);

/* Does a relative near call end there, with its target that far from `end`? Quick for all others:
 * for a search through all of a file's code. */
bool insn_calls(const uint8_t *end, size_t len, int64_t distance);

#endif
