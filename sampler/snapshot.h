/*
 * What is taken of a thread while it is held: its registers and the used part
 * of its stack. Taken into memory that has been touched before and is reused
 * from sample to sample: copying into fresh pages costs four times as much.
 */
#ifndef SAMPLER_SNAPSHOT_H
#define SAMPLER_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "target/memory.h"
#include "unwind/regs.h"

struct snapshot {
	struct regs regs;
	struct memory_bytes stack; /* from a little below sp upward */
	void *bytes;		   /* owned, what stack points into */
	size_t room;
};

/* An empty snapshot with `room` touched bytes. ERR_NOMEM. */
int snapshot_init(struct snapshot *s, size_t room);
void snapshot_release(struct snapshot *s);

/* Makes the room at least `room` bytes, touched. Not while a thread is held. */
int snapshot_reserve(struct snapshot *s, size_t room);

/* Copies registers and up to `want` bytes of stack (at most the room) of the
 * thread, which must be stopped. Never fails: less stack is a shorter walk. */
void snapshot_take(struct snapshot *s, pid_t tid, const struct user_regs_struct *user, size_t want);

#endif
