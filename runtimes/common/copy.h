/*
 * What is copied of an interpreter's memory while a thread is held.
 *
 * Each system call holds the thread longer. So what was needed at the last look is read together
 * with the stack, by one process_vm_readv(2): the thread's state, the chunks that its frames are
 * in, frames on the heap. What turns out to be missing is read at once, a bounded number of times,
 * and belongs to the plan from then on. Nothing is read that no capture has needed. What lies on
 * the C stack (anchors) is found in the stack's own copy: it moves from look to look.
 *
 * Code objects are copied only if they are not known yet (interp_copy_code): of a known one, it is
 * proven after the release that it still is the same.
 */
#ifndef RUNTIMES_COMMON_COPY_H
#define RUNTIMES_COMMON_COPY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process/memory.h"
#include "runtimes/common/runtime.h"

enum {
	INTERP_RANGES = 1000, /* with those of the stack, as one call of process_vm_readv takes */
	/* With those that are read by other calls: a deep chain's code objects. */
	INTERP_PIECES = 1500,
	/* System calls in a hold besides that of the plan, unless reads_max has another number. */
	INTERP_READS = 16,
	INTERP_BYTES_FIRST = 128 << 10,
	INTERP_BYTES_MAX = 1 << 20,
	INTERP_FRAMES_FIRST = 1024,
	INTERP_FRAMES_MAX = 16384,
	INTERP_KNOWN = 1 << 14,
};

struct interp_range {
	uint64_t addr;
	uint32_t len;
};

/* What a thread's captures are likely to need; {0} at first. Kept from look to look. */
struct interp_plan {
	struct interp_range *ranges; /* owned */
	size_t count, room;
	size_t bytes, frames; /* room that the next copy should have */
};

/* Keys of code objects whose names are known (interp_code_key; without a method, the address).
 * Written by one thread, read by others; a lost or stale entry costs a read or an unnamed frame,
 * never a wrong name. */
struct interp_known {
	_Atomic uint64_t keys[INTERP_KNOWN];
};

struct interp_piece {
	uint64_t addr;
	uint32_t len, at; /* bytes; where in `bytes` */
	uint32_t needed;  /* bytes from the first on that this capture needed: the next plan's */
};

struct interp_copy {
	struct memory memory;	     /* reads what was copied, and nothing else: ERR_IO */
	struct interp_piece *pieces; /* [INTERP_PIECES]; owned */
	size_t count, planned;	     /* pieces; how many of them are from the plan */
	size_t hit;		     /* the piece that was found last */
	char *bytes;		     /* owned */
	size_t used, room;
	size_t wanted;		    /* bytes, also those for which there was no room */
	pid_t tid;		    /* 0: nothing more can be read */
	unsigned reads, reads_max;  /* reads_max: set by the owner; 0: INTERP_READS */
	const struct memory *stack; /* of the thread, as copied: at hand, too; borrowed until the
				     * next interp_copy_begin; NULL: none */
	size_t stack_len; /* bytes of it: the copy may grow later, of a thread that runs */
	const struct interp_known *known;
	struct interp_walk walk; /* frames owned */
};

/* {0} is an empty copy. */
void interp_copy_release(struct interp_copy *c);

/* Makes room, all of it touched, for a copy by this plan. Not called while a thread is held.
 * ERR_NOMEM. */
int interp_copy_reserve(struct interp_copy *c, const struct interp_plan *plan);

/* Begins a copy by a plan, emptied first. */
void interp_copy_begin(struct interp_copy *c, const struct interp_plan *plan);

/* The pieces that are to be read, in this order; returns their number, at most INTERP_RANGES. */
size_t interp_copy_pieces(const struct interp_copy *c, struct memory_piece *to);

/* `got` bytes of these pieces were read: what comes after a missing piece is read again when it is
 * needed. From now on what is missing is taken from `stack`, which may be NULL, or, until
 * interp_copy_end, read from `tid`, which does not run. */
void interp_copy_filled(struct interp_copy *c, size_t got, pid_t tid, const struct memory *stack);
void interp_copy_end(struct interp_copy *c);

/* For captures. The bytes at an address, borrowed until the next interp_copy_begin; not aligned.
 * NULL: there is no such memory, or one of the bounds was reached. */
const void *interp_copy_need(struct interp_copy *c, uint64_t addr, size_t len);

/* The same without a search, where they are in the piece that was found last. NULL:
 * interp_copy_need may find them. */
static inline const void *interp_copy_near(struct interp_copy *c, uint64_t addr, size_t len)
{
	struct interp_piece *p = &c->pieces[c->hit];
	uint64_t at = addr - p->addr;

	if (c->hit >= c->count || at > p->len || len > p->len - at)
		return NULL;
	if (p->needed < at + len)
		p->needed = (uint32_t)(at + len);
	return c->bytes + p->at + at;
}

/* The same for many ranges of one length, with as few system calls as possible: those that are
 * missing are read together. What cannot be read is missing still, and interp_copy_need would say
 * so. `addrs` may have duplicates. */
void interp_copy_need_all(struct interp_copy *c, const uint64_t *addrs, size_t count, size_t len);

/* The same for ranges of different lengths; those of length 0 are left out. */
void interp_copy_need_ranges(struct interp_copy *c, const struct interp_range *ranges,
			     size_t count);

/* A thread's memory while the thread is held: what memory_gather reads is copied first, if it is
 * missing. Valid as long as the copy. */
struct interp_needing {
	struct memory memory;
	struct interp_copy *copy;
};
struct interp_needing interp_copy_needing(struct interp_copy *c);

/* The word at an address; false: as NULL above. */
bool interp_copy_word(struct interp_copy *c, uint64_t addr, uint64_t *value);

/* Is this code object's name not known yet, so that capture has to copy what identifies it? */
bool interp_copy_is_new(const struct interp_copy *c, uint64_t key);

void interp_known_add(struct interp_known *k, uint64_t key);
void interp_known_remove(struct interp_known *k, uint64_t key);

/* Appends a frame, all 0; NULL: there is no room, and walk.cut is set. To fill it in its place is
 * faster than to copy one that was just made: the processor has to wait for that. */
static inline struct interp_frame *interp_walk_add(struct interp_walk *out)
{
	struct interp_frame *f = &out->frames[out->count];

	if (out->count == out->room) {
		out->cut = true;
		return NULL;
	}
	out->count++;
	*f = (struct interp_frame){ 0 };
	return f;
}

static inline bool interp_walk_push(struct interp_walk *out, const struct interp_frame *f)
{
	struct interp_frame *to = interp_walk_add(out);

	if (to)
		*to = *f;
	return to;
}

/* After a capture: the plan for the next one. Near ranges become one. ERR_NOMEM: it is as it
 * was. */
int interp_plan_learn(struct interp_plan *p, const struct interp_copy *c);
void interp_plan_release(struct interp_plan *p);

#endif
