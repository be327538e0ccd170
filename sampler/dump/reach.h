/*
 * A target's memory for a walk that is made while the thread is held or waits in the kernel.
 *
 * Live memory is read in pieces, and each piece is kept until the walk is over, because a walk
 * reads eight bytes here and eight bytes further up. So a walk gets to the end of a stack however
 * deep it is, also on another stack (sigaltstack(2)), up to REACH_BYTES.
 */
#ifndef SAMPLER_DUMP_REACH_H
#define SAMPLER_DUMP_REACH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process/memory.h"

enum { REACH_BYTES = 8 << 20, REACH_PIECE = 64 << 10, REACH_PIECES = 1024 };

struct reach {
	struct memory memory;	    /* passed to the walk */
	const struct memory *first; /* borrowed; a copy that is read first; NULL: none */
	pid_t pid;
	char *bytes;		    /* owned, REACH_BYTES */
	size_t used, count;
	struct reach_piece {
		uint64_t start;
		size_t len;
		const char *bytes;
	} pieces[REACH_PIECES];
};

/* ERR_NOMEM. */
int reach_init(struct reach *r);
void reach_release(struct reach *r);

/* Drops what was read. From now on memory is read from process (or thread) `pid`, and from `first`
 * before that. */
void reach_into(struct reach *r, pid_t pid, const struct memory *first);

#endif
