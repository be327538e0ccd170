/*
 * The bytes of a process's code, for the parts of the unwinder that read instructions where there
 * is no CFI.
 *
 * Code that a file backs is read from the file, once for each state of the maps. Code that no file
 * backs is read from the process, anew for each walk, because a JIT compiler may have replaced it.
 */
#ifndef UNWIND_CODE_CODEBYTES_H
#define UNWIND_CODE_CODEBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct modmap;

enum { CODE_LINE = 128, CODE_LINES = 64 }; /* powers of two */

struct codebytes {
	const struct modmap *maps; /* of the current walk */
	uint64_t walk;		   /* number of the current walk */
	struct code_line {
		uint64_t addr, generation, walk; /* walk 0: read from a file */
		size_t len;			 /* bytes that could be read, from addr on */
		uint8_t bytes[CODE_LINE];
	} lines[CODE_LINES];
};

/* Starts a walk: must be called before each one. A zeroed struct codebytes is empty. `maps` is
 * borrowed until the next codebytes_begin. */
void codebytes_begin(struct codebytes *c, const struct modmap *maps);

/* Copies up to `want` bytes from address `addr` on to `buf`, as long as they are executable and can
 * be read. Returns the number of bytes copied. */
size_t codebytes_read(struct codebytes *c, uint64_t addr, void *buf, size_t want);

/* True when a call instruction ends at `addr`. *target is the address that the call instruction
 * names, 0 where it names none (a call through a register or a pointer). */
bool codebytes_behind_call(struct codebytes *c, uint64_t addr, uint64_t *target);

#endif
