/*
 * A target's memory for a walk that is made while the thread is held or waits in the kernel.
 *
 * Live memory is read in pieces, and each piece is kept until the walk is over, because a walk
 * reads eight bytes here and eight bytes further up. So a walk gets to the end of a stack however
 * deep it is, also on another stack (sigaltstack(2)), up to LIVESTACK_BYTES.
 */
#ifndef SAMPLER_DUMP_LIVESTACK_H
#define SAMPLER_DUMP_LIVESTACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process/memory.h"

enum { LIVESTACK_BYTES = 8 << 20, LIVESTACK_PIECE = 64 << 10, LIVESTACK_PIECES = 1024 };

struct livestack {
	struct memory memory;	    /* passed to the walk */
	const struct memory *first; /* borrowed; a copy that is read first; NULL: none */
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

/* Drops what was read. From now on memory is read from process (or thread) `pid`, and from `first`
 * before that. */
void livestack_into(struct livestack *r, pid_t pid, const struct memory *first);

#endif
