/* Where instructions of V8's code lead. */
#ifndef RUNTIMES_V8_FLOW_H
#define RUNTIMES_V8_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/code/insn_x86_64.h"

/* Where from rsp on the return address is, in a function that has just restored rbp: what is there
 * when the function ends has to be it, wherever its last instructions move it from. False: the end
 * is not near, or it cannot be told. */
bool v8_flow_epilogue(const uint8_t *code, size_t len, int64_t *offset);

/* The distance from r13 on of the word to which the code jumps at its next jump through a register.
 * False: that is not near, or the word is elsewhere. */
bool v8_flow_jumps_to(const uint8_t *code, size_t len, int32_t *disp);

/* Does it load a register with a word at a distance from r13? */
bool v8_flow_loads_root(const struct insn *insn, unsigned reg);

#endif
