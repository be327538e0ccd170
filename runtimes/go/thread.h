/*
 * A thread that runs Go, looked at while it is held: its stacks.
 *
 * Reading takes system calls, and each holds the thread longer. So addresses are kept from one look
 * to the next, because a thread's m and the m's own two stacks do not move. What is there is read
 * together with the stack itself. More is read only if this shows that the thread is not on its
 * goroutine's stack.
 */
#ifndef RUNTIMES_GO_THREAD_H
#define RUNTIMES_GO_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process/memory.h"
#include "unwind/gostacks.h"

struct buffer;
struct goruntime;
struct regs;

enum {
	GO_G_BYTES = 256,
	GO_M_BYTES = 2048,	  /* of a g and an m, from the start; see gothread_fits */
	GO_GOROUTINE_BYTES = 512, /* of a g, from the first of goid and labels on */
	GO_PIECES = 4,
};

/* The goroutine that a thread runs, also while the thread is in the scheduler, in a signal handler
 * or in C code that the goroutine has called. */
struct gothread_goroutine {
	uint64_t g;	 /* 0: none, or not known */
	uint64_t goid;	 /* 0: not known */
	uint64_t labels; /* address of its set (runtimes/go/labels.h); 0: it has none */
};

/* What is kept of a thread from look to look; zeroed at first. */
struct gothread_place {
	uint64_t m, g0, gsignal; /* addresses in the process */
};

/* One look. */
struct gothread {
	const struct goruntime *rt; /* NULL: no Go in this process */
	bool wants_goid;	    /* read goid even without labels; with labels it comes along */
	struct gothread_place place;
	uint64_t g;	/* the g that the thread runs, by its own record */
	uint64_t guess; /* the g of the goid and labels that gothread_guess requested; 0: none */
	struct gothread_goroutine goroutine;
	uint8_t m[GO_M_BYTES], g0[GO_G_BYTES], gsignal[GO_G_BYTES], curg[GO_G_BYTES];
	uint8_t goroutine_bytes[GO_GOROUTINE_BYTES];
};

/* True when all needed fields lie within what is read. */
bool gothread_fits(const struct goruntime *rt);

/* Begins a look. Fills `pieces` with what is to be read together with the stack, and returns their
 * number, at most GO_PIECES. `tp` is the thread pointer (fs_base), 0: not known. */
size_t gothread_begin(struct gothread *t, const struct gothread_place *place, uint64_t tp,
		      struct memory_piece *pieces);

/* Fills *piece with what is to be read after all that, because it is a guess and may not exist:
 * goid and labels of the goroutine with the g that Go's code keeps in a register. False: there is
 * nothing to read. */
bool gothread_guess(struct gothread *t, const struct regs *at, struct memory_piece *piece);

/* Completes a look after `got` bytes of the first pieces were read; `guessed`: all of the guess was
 * read, too. Reads more of thread `tid` where necessary. Fills *stacks for a thread with these
 * registers (pc and sp are enough), and t->goroutine with the one that it runs. If sp is on the
 * goroutine's own stack and there is no C code below, the bounds of that stack are not read.
 * t->place is what the caller must keep, zeroed when this is not a thread of Go's. */
void gothread_finish(struct gothread *t, pid_t tid, uint64_t tp, const struct regs *at, size_t got,
		     bool guessed, struct go_stacks *stacks);

/* A thread of the runtime's own list. */
struct gothread_listed {
	uint64_t thread; /* thread ID in the process's own PID namespace */
	struct gothread_place place;
};

/* Appends a struct gothread_listed to `ms` for each m that has begun to run; runtime.allm is at
 * `all_ms`. The list may change meanwhile: new ms are inserted before the first, and one that is
 * removed still leads on (runtime/proc.go, mcommoninit and mexit). ERR_FORMAT: it is not a valid
 * list, or a needed field of an m is not known in this release; ERR_NOMEM. */
int gothread_list(const struct goruntime *rt, uint64_t all_ms, const struct memory *memory,
		  struct buffer *ms);

/* Reads goid and labels of `g` again. False: they cannot be read. */
bool gothread_goroutine_now(const struct goruntime *rt, uint64_t g, const struct memory *memory,
			    struct gothread_goroutine *goroutine);

#endif
