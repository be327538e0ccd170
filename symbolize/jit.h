/*
 * Names for code that a JIT compiler has put into memory: from the jitdump file, if
 * there is one, else from the perf map. Both are read when first asked for.
 */
#ifndef SYMBOLIZE_JIT_H
#define SYMBOLIZE_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/jitdump.h"
#include "symbolize/perfmap.h"

struct process;

struct jit {
	char *dump_path; /* owned; NULL: none */
	struct jitdump dump;
	struct perfmap map;
	bool loaded;
	char note[512];	 /* what was read and what was wrong with it, once loaded */
};

struct jit_symbol {
	const char *name; /* as it stands there */
	const char *file; /* NULL when unknown */
	uint32_t line, column;
};

/* {0} is an empty one. */
void jit_release(struct jit *j);

/* The process has this jitdump file. ERR_NOMEM. */
int jit_use_dump(struct jit *j, const char *path);

/* Nothing is to be read; `why` is the note. */
void jit_leave_out(struct jit *j, const char *why);

/* What is at an address in the process (NULL: there is none to ask). 1; 0 when it is
 * not known; ERR_NOMEM. Strings live as long as the jit. */
int jit_find(struct jit *j, const struct process *p, uint64_t addr, struct jit_symbol *out);

#endif
