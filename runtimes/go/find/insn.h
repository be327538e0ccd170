/* What one instruction does with a variable. Each architecture has its own implementation. */
#ifndef RUNTIMES_GO_FIND_INSN_H
#define RUNTIMES_GO_FIND_INSN_H

#include <stddef.h>
#include <stdint.h>

#include "runtimes/go/find/uses.h"

/* Decodes the instruction at `address`; `code` are its bytes, and `len` is the number of bytes up
 * to the end of the function's code. Returns the number of bytes to the next instruction, at least
 * 1. use->kind stays 0 for an instruction that uses no variable. */
size_t goinsn_use(const uint8_t *code, size_t len, uint64_t address, struct gouse *use);

#endif
