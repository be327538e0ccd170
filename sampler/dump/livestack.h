/*
 * A target's memory for a walk that is made while the thread is held or waits in the kernel.
 *
 * Live memory is read in pieces, and each piece is kept until the walk is over, because a walk
 * reads eight bytes here and eight bytes further up. So a walk reaches the end of a stack of up to
 * LIVESTACK_BYTES, also where it continues on another stack (sigaltstack(2)).
 */
#ifndef SAMPLER_DUMP_LIVESTACK_H
#define SAMPLER_DUMP_LIVESTACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process/memory.h"

struct spans;

enum { LIVESTACK_BYTES = 8 << 20, LIVESTACK_PIECE = 64 << 10, LIVESTACK_PIECES = 1024 };

struct livestack {
	struct memory memory;	    /* passed to the walk */
	const struct memory *first; /* borrowed; a copy that is read first; NULL: none */
	const struct spans *spans;  /* no piece goes beyond a mapping's end; NULL: not known */
	pid_t pid;
	char *bytes; /* owned, LIVESTACK_BYTES */
	size_t used, count;
	struct livestack_piece {
		uint64_t start;
		size_t len;
		const char *bytes;
	} pieces[LIVESTACK_PIECES];
};

/* ERR_NOMEM. */
int livestack_init(struct livestack *r);
void livestack_release(struct livestack *r);

/* Drops what was read. From now on, a read tries `first`, then the memory of process (or thread)
 * `pid`. */
void livestack_into(struct livestack *r, pid_t pid, const struct memory *first);

#endif
