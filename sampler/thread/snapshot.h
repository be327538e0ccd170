/*
 * What is copied of a held thread: its registers and the used part of its stack. The copy goes into
 * memory that has been touched before and is reused from sample to sample, because copying into
 * fresh pages costs four times as much.
 *
 * A thread in a signal handler may be on a separate stack (sigaltstack(2)), from which the walk
 * goes on into the thread's ordinary one. Then the top of the ordinary stack is copied too, in the
 * same system call. A thread that runs Go has three stacks (unwind/gostacks.h); of the
 * other two, what the walk needs is copied. Where else earlier walks went is planned (stackplan.h),
 * and copied by a call of its own.
 */
#ifndef SAMPLER_THREAD_SNAPSHOT_H
#define SAMPLER_THREAD_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process/memory.h"
#include "runtimes/go/thread.h"
#include "runtimes/common/look.h"
#include "sampler/thread/stackplan.h"
#include "unwind/gostacks.h"
#include "unwind/table/regs.h"

enum { NEWBORN_CPU_NS = 1000000 }; /* a thread that has run for longer is not newborn */

struct call;
struct registers;
struct spans;

enum { SNAPSHOT_OTHERS = 2 };

/* What is copied by a thread's plan. */
struct snapshot_far {
	struct memory_piece pieces[STACKPLAN_RANGES]; /* as planned; their bytes are in `bytes` */
	struct memory_bytes at[STACKPLAN_RANGES];     /* as copied */
	size_t count;
	char *bytes; /* owned */
	size_t room;
};

/* Bytes of a thread as it is now: behind all that was copied. */
struct snapshot_live {
	pid_t tid; /* 0: they are not read */
	uint64_t start;
	size_t len;
	char *bytes;	/* owned */
	unsigned reads; /* that may still be made */
};

struct snapshot {
	struct memory memory;	   /* reads from all pieces */
	const struct spans *spans; /* set before; NULL: where mappings end is not known */
	struct regs regs;
	struct memory_bytes stack; /* from a little below sp upward */
	/* Parts of other stacks on which the walk may go on: the ordinary stack's top, when sp is
	 * on another one; for a Go thread, if stacks.known, its other stacks. */
	struct memory_bytes others[SNAPSHOT_OTHERS];
	char *bytes; /* owned; all pieces are in it */
	size_t room; /* bytes for each piece */
	struct snapshot_far far;
	struct snapshot_live live;
	uint64_t missed;    /* the last address that a walk wanted and no piece has; 0: none */
	struct gothread go; /* set go.rt and place before, keep go.place after */
	struct gothread_place place;
	struct go_stacks stacks;
	struct interp_look interp; /* prepared before; its frames after */
	bool narrow;		   /* it executes 32-bit code: the registers are not its own */
	bool newborn; /* clone(2) has just made the thread, if it has hardly run (NEWBORN_CPU_NS)
		       * and this is its first sample; else some call has returned 0 */
};

/* An empty snapshot with `room` touched bytes for each piece. ERR_NOMEM. */
int snapshot_init(struct snapshot *s, size_t room);
void snapshot_release(struct snapshot *s);

/* Makes the room of each piece at least `room` touched bytes. If it grows, the copy is lost. Not
 * called while a thread is held. ERR_NOMEM. */
int snapshot_reserve(struct snapshot *s, size_t room);

/* What is to be copied by a plan, with all memory touched. Not called while a thread is held.
 * ERR_NOMEM. */
int snapshot_plan(struct snapshot *s, const struct stackplan *plan);

/* Is the stack pointer on another stack than the one that ends at `top` (0: not known)? */
bool snapshot_is_elsewhere(const struct snapshot *s, uint64_t sp, uint64_t top);

/* Copies registers and up to `want` bytes of stack (at most the room) of the thread, which must be
 * stopped. `top` is where the thread's ordinary stack ends, 0 when that is not known. No copy goes
 * beyond the mapping that it begins in, where that is known. Never fails: with less stack the walk
 * is shorter. */
void snapshot_take(struct snapshot *s, pid_t tid, const struct registers *registers, size_t want,
		   uint64_t top);

/* From now on, until the next copy, what was not copied is read from the thread as it is now, 8 MiB
 * at most; then ERR_SHORT. The caller has to find out whether both parts belong together.
 * ERR_NOMEM. */
int snapshot_read_on(struct snapshot *s, pid_t tid);

/* Is what a walk wanted last and did not find memory that exists, and was merely not copied? */
bool snapshot_left_out(const struct snapshot *s);

/* As snapshot_take, for a thread that is not stopped but waits in the kernel, in this call; no
 * other register is known. The caller has to find out whether the thread has run meanwhile. */
void snapshot_glance(struct snapshot *s, pid_t tid, const struct call *call, size_t want,
		     uint64_t top);

/* The same of what the kernel has copied (sampler/capture/event.h): the bytes from sp upward, and
 * no other stack. `more`: behind them may be more. ERR_NOMEM. */
int snapshot_of_event(struct snapshot *s, const struct regs *regs, const void *bytes, size_t len,
		      bool more);

#endif
