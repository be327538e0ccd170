/*
 * A thread that runs Go, looked at while it is held: which of its stacks are there.
 *
 * Reading takes system calls, and each makes the thread stand longer. So what is where
 * is remembered from one look to the next (its m and the m's own two stacks stay where
 * they are), asked for together with the stack itself, and only where that shows that
 * the thread is not on its goroutine's stack more is read.
 */
#ifndef GORUNTIME_GOTHREAD_H
#define GORUNTIME_GOTHREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/memory.h"
#include "unwind/gostacks.h"

struct goruntime;
struct regs;

enum {
	GO_G_BYTES = 256, GO_M_BYTES = 2048, /* of each, from its beginning; see gothread_fits */
	GO_WHO_BYTES = 512,		     /* of a g, from the first of goid and labels on */
	GO_PIECES = 4,
};

/* Which goroutine a thread runs: that on whose behalf it is in the scheduler, in a signal
 * handler or in C code, too. */
struct gothread_who {
	uint64_t g;	 /* 0: none, or not known */
	uint64_t goid;	 /* 0: not known */
	uint64_t labels; /* where its set is (goruntime/golabels.h); 0: it has none */
};

/* What is remembered of a thread; {0} at first. */
struct gothread_place {
	uint64_t m, g0, gsignal; /* addresses in the process */
};

/* One look. */
struct gothread {
	const struct goruntime *rt; /* NULL: there is no Go here */
	bool wants_goid; /* where there are no labels, too, with which it comes */
	struct gothread_place place;
	uint64_t g; /* the one that the thread runs */
	uint64_t guess; /* whose goid and labels were asked for; 0: nobody's */
	struct gothread_who who;
	uint8_t m[GO_M_BYTES], g0[GO_G_BYTES], gsignal[GO_G_BYTES], curg[GO_G_BYTES];
	uint8_t who_bytes[GO_WHO_BYTES];
};

/* Do all fields that are needed lie within what is read? */
bool gothread_fits(const struct goruntime *rt);

/* Begins a look: what is to be read together with the stack, up to GO_PIECES pieces;
 * how many. `tp` is the thread pointer (fs_base), 0 if it is not known. */
size_t gothread_begin(struct gothread *t, const struct gothread_place *place, uint64_t tp,
		      struct memory_piece *pieces);

/* What to read behind all that, since it is a guess and may not be there: who the goroutine is
 * whose g Go's code keeps in a register. True where there is something to read. */
bool gothread_guess(struct gothread *t, const struct regs *at, struct memory_piece *piece);

/* Goes on after `got` bytes of the first pieces were read, and all of the guess or not, reading
 * more of thread `tid` where it must, and says what stacks there are for one with these
 * registers (pc and sp are enough), and in t->who which goroutine it runs. Of a goroutine on
 * whose stack sp is, and below which there is no C code, no more than that is found out of its
 * stack. t->place is what to remember, {0} when this is no thread of Go's. */
void gothread_finish(struct gothread *t, pid_t tid, uint64_t tp, const struct regs *at, size_t got,
		     bool guessed, struct go_stacks *stacks);

/* Reads again who a goroutine is that was t->who; false: that cannot be read. */
bool gothread_who_now(const struct goruntime *rt, uint64_t g, const struct memory *memory,
		      struct gothread_who *who);

#endif
