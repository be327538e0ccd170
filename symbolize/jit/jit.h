/*
 * Names for code that a JIT compiler has put into memory: from its jitdump file or, for addresses
 * that this does not cover, from the perf map. Both files are read at the first lookup.
 */
#ifndef SYMBOLIZE_JIT_JIT_H
#define SYMBOLIZE_JIT_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/jit/jitdump.h"
#include "symbolize/jit/perfmap.h"

struct process;

struct jit {
	char *dump_path; /* owned; NULL: none */
	struct jitdump dump;
	struct perfmap map;
	bool loaded;
	char note[512]; /* what was read and what was wrong with it, once loaded */
};

struct jit_symbol {
	const char *name; /* as in the file */
	const char *file; /* NULL when unknown */
	uint32_t line, column;
};

/* {0} is an empty one; release makes it one again. */
void jit_release(struct jit *j);

/* Sets the path of the process's jitdump file; it is copied, and the last one counts. ERR_NOMEM. */
int jit_use_dump(struct jit *j, const char *path);

/* No file is to be read; `why` becomes the note. */
void jit_leave_out(struct jit *j, const char *why);

/* Finds the code at an address in the process `p`; NULL: there is no process. Returns 1, 0 when the
 * address is not known, or ERR_NOMEM. The strings live as long as the jit. */
int jit_find(struct jit *j, const struct process *p, uint64_t addr, struct jit_symbol *out);

#endif
