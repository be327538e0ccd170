/*
 * What the tables of Go's functions say about a pc, cached: how to step to its caller, and its
 * logical frames.
 *
 * Thousands of goroutines are blocked at a few places, and looking up a place costs some binary
 * searches and runs through compressed tables. The tables are those of the module with the runtime
 * and, once a pc leads there, of the process's other Go modules (plugins).
 */
#ifndef RUNTIMES_GO_STACKS_SITES_H
#define RUNTIMES_GO_STACKS_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "base/process/gopclntab.h"

struct golive;

/* How to step to the caller. */
enum gosite_kind {
	GOSITE_CALLED,	 /* the return address is at stack pointer + depth */
	GOSITE_INJECTED, /* the same, but the caller was interrupted: a signal faked the call */
	GOSITE_TOP,	 /* it has no caller */
	GOSITE_MOVES_SP, /* GO_SP_WRITE: as CALLED where the stack pointer is known to be right */
	GOSITE_FOREIGN,	 /* a function of another compiler */
	GOSITE_BROKEN,	 /* its tables have no answer */
};

/* What the pc is. */
enum gosite_sense {
	GOSITE_RETURN,	 /* a return address: the place is 1 before, except at a function's entry */
	GOSITE_EXACT,	 /* the next instruction */
	GOSITE_PHYSICAL, /* a return address, also where a function begins (fpunwindExpand) */
};

struct gosite_frame {
	uint64_t pc;	     /* the logical frame's "return address" */
	bool wrapper, panic; /* compiler's wrapper; panic function: its calling wrapper is shown */
};

struct gosite {
	uint64_t key;
	uint32_t first, count; /* range of gosites.frames, innermost first */
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
	struct gosites_other {
		struct gopclntab *table; /* owned; NULL: it is not one of Go's */
		bool looked;
	} *others; /* indexed by image id; owned */
	size_t others_room;
	unsigned minor;	 /* the release */
	uint8_t wrapper; /* the funcID of wrappers */
};

/* `live` is borrowed. ERR_NOMEM. The caller calls gosites_release in either case. */
int gosites_init(struct gosites *s, const struct golive *live);
void gosites_release(struct gosites *s);

/* What is at a pc. NULL: no Go function is there and *rc is 0, or out of memory and *rc is
 * ERR_NOMEM. Valid until the next call. */
const struct gosite *gosites_at(struct gosites *s, uint64_t pc, enum gosite_sense sense, int *rc);

/* The function that covers an address in the process, its table, and the difference to the table's
 * addresses. */
struct gosites_function {
	struct gopclntab *table;
	struct go_function function;
	uint64_t bias;
};
bool gosites_function(struct gosites *s, uint64_t address, struct gosites_function *f);

#endif
