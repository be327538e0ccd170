/*
 * What the tables of Go's functions say about a pc, remembered: how to its caller, and which
 * logical frames stand there.
 *
 * Thousands of goroutines stand at a few places, and looking one up costs some binary searches
 * and runs through compressed tables. The tables are those of the module with the runtime and,
 * as soon as a pc leads there, of the process's other Go modules (plugins).
 */
#ifndef GORUNTIME_GOSITES_H
#define GORUNTIME_GOSITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "target/gopclntab.h"

struct golive;

/* How to the caller. */
enum gosite_kind {
	GOSITE_CALLED,	 /* its return address is at stack pointer + depth */
	GOSITE_INJECTED, /* the same, but the caller was interrupted: a signal made it look like a call */
	GOSITE_TOP,	 /* nobody called it */
	GOSITE_MOVES_SP, /* GO_SP_WRITE: CALLED only where the stack pointer is known to be right */
	GOSITE_FOREIGN,	 /* a function of another compiler's */
	GOSITE_BROKEN,	 /* its tables do not say */
};

/* What the pc is. */
enum gosite_sense {
	GOSITE_RETURN,	 /* a return address: the place is 1 before, but where a function begins */
	GOSITE_EXACT,	 /* the next instruction */
	GOSITE_PHYSICAL, /* a return address, be it where a function begins (fpunwindExpand) */
};

struct gosite_frame {
	uint64_t pc;	     /* the logical frame's "return address" */
	bool wrapper, panic; /* a compiler's wrapper; who may have been called by one that counts */
};

struct gosite {
	uint64_t key;
	uint32_t first, count; /* of gosites.frames, innermost first */
	int32_t depth;
	uint8_t kind;
};

struct gosites {
	const struct golive *live;
	struct gosite *all;
	size_t count, room;
	struct hashindex index;
	struct gosite_frame *frames;
	size_t frame_count, frame_room;
	struct gopclntab **others; /* by image id; owned */
	bool *looked;
	size_t others_room;
	unsigned minor;  /* the release */
	uint8_t wrapper; /* the funcID of wrappers */
};

int gosites_init(struct gosites *s, const struct golive *live);
void gosites_release(struct gosites *s);

/* What is at a pc; NULL when no Go function is there, with *rc 0, or when out of memory, with
 * *rc ERR_NOMEM. Until the next call. */
const struct gosite *gosites_at(struct gosites *s, uint64_t pc, enum gosite_sense sense, int *rc);

/* The function that covers an address in the process, its table, and what to add to the
 * table's addresses. */
struct gosites_function {
	struct gopclntab *table;
	struct go_function function;
	uint64_t bias;
};
bool gosites_function(struct gosites *s, uint64_t address, struct gosites_function *f);

#endif
