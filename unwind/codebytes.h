/*
 * The bytes of a process's code, for those who must read it: where no CFI says how.
 *
 * A file's code is read from the file, once for each state of the maps. Code that no
 * file backs is read from the process, anew for each walk, because a JIT compiler may
 * have put other code there.
 */
#ifndef UNWIND_CODEBYTES_H
#define UNWIND_CODEBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct modmap;

enum { CODE_LINE = 128, CODE_LINES = 64 }; /* powers of two */

struct codebytes {
	const struct modmap *maps; /* of the present walk */
	uint64_t walk;		   /* its number */
	struct code_line {
		uint64_t addr, generation, walk; /* walk 0: of a file */
		size_t len; /* bytes from addr on that there are */
		uint8_t bytes[CODE_LINE];
	} lines[CODE_LINES];
};

/* {0} is one that knows nothing. Before each walk. */
void codebytes_begin(struct codebytes *c, const struct modmap *maps);

/* Copies up to `want` bytes from an address on, as far as they are executable and can
 * be read; how many. */
size_t codebytes_read(struct codebytes *c, uint64_t addr, void *buf, size_t want);

/* Is it an address behind a call instruction? *target is what the call names as its
 * target, 0 where it names none (through a register or a pointer). */
bool codebytes_behind_call(struct codebytes *c, uint64_t addr, uint64_t *target);

#endif
