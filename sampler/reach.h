/*
 * A target's memory as a walk needs it that is made in its presence: while the thread is
 * held, or waits in the kernel.
 *
 * Live memory, read a piece at a time and kept until the walk is over, because a walk
 * asks for eight bytes here and eight bytes further up. So it comes as far as the stack
 * is deep, on whatever stack that goes on (sigaltstack(2)), within a bound.
 */
#ifndef SAMPLER_REACH_H
#define SAMPLER_REACH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/memory.h"

enum { REACH_BYTES = 8 << 20, REACH_PIECE = 64 << 10, REACH_PIECES = 1024 };

struct reach {
	struct memory memory;	    /* what the walk is given */
	const struct memory *first; /* asked before: a copy that was made already; NULL: none */
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

/* Forgets what was read and turns to a process (or a thread of it). */
void reach_into(struct reach *r, pid_t pid, const struct memory *first);

#endif
