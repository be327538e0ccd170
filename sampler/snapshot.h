/*
 * What is taken of a thread while it is held: its registers and the used part
 * of its stack. Taken into memory that has been touched before and is reused
 * from sample to sample: copying into fresh pages costs four times as much.
 *
 * A thread in a signal handler may be on a stack of the handler's own
 * (sigaltstack(2)), from which the walk goes on into the thread's ordinary one;
 * then the top of that is taken too, in the same system call. A thread that runs Go has
 * three stacks (unwind/gostacks.h), and what is needed of the others is taken, too.
 */
#ifndef SAMPLER_SNAPSHOT_H
#define SAMPLER_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "goruntime/gothread.h"
#include "target/memory.h"
#include "unwind/gostacks.h"
#include "unwind/regs.h"

enum { NEWBORN_CPU_NS = 1000000 }; /* a thread that has run for longer is none */

struct registers;

enum { SNAPSHOT_OTHERS = 2 };

struct snapshot {
	struct memory memory; /* reads from all pieces */
	struct regs regs;
	struct memory_bytes stack; /* from a little below sp upward */
	/* Parts of other stacks that the walk may lead to: the ordinary stack's top, when sp
	 * is elsewhere; of a Go thread, what stacks.known says. */
	struct memory_bytes others[SNAPSHOT_OTHERS];
	char *bytes;		   /* owned, what all point into */
	size_t room;		   /* of each */
	struct gothread go;	   /* set go.rt and place before, remember go.place after */
	struct gothread_place place;
	struct go_stacks stacks;
	bool newborn; /* if it has hardly run (NEWBORN_CPU_NS) and this is its first sample,
		       * clone(2) has just made the thread; else any call has returned 0 */
};

/* An empty snapshot with `room` touched bytes for each piece. ERR_NOMEM. */
int snapshot_init(struct snapshot *s, size_t room);
void snapshot_release(struct snapshot *s);

/* Makes the room of each piece at least `room`, touched. Not while a thread is
 * held. ERR_NOMEM. */
int snapshot_reserve(struct snapshot *s, size_t room);

/* Copies registers and up to `want` bytes of stack (at most the room) of the
 * thread, which must be stopped. `top` is where the thread's ordinary stack is
 * known to end, 0 when it is not known. Never fails: less stack is a shorter
 * walk. */
void snapshot_take(struct snapshot *s, pid_t tid, const struct registers *registers,
		   size_t want, uint64_t top);

/* Reads on behind the copied stack from what is there now, so that `len` bytes are
 * copied in all, or as many as there are. Whether that still belongs to the rest is for
 * the caller to find out. ERR_SHORT when there is no more, ERR_NOMEM. */
int snapshot_extend(struct snapshot *s, pid_t tid, size_t len);

/* The same as snapshot_take of a thread that is not stopped but waits in the kernel, of which only pc
 * and sp are known. Whether it has run meanwhile is for the caller to find out. */
void snapshot_glance(struct snapshot *s, pid_t tid, uint64_t pc, uint64_t sp, size_t want,
		     uint64_t top);

#endif
