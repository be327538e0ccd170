/*
 * The stacks of a thread that runs Go, as its runtime knew them when the thread was
 * looked at.
 *
 * A goroutine has a stack of its own. The thread that runs it (an "m") has two more:
 * that of g0, on which the scheduler, stack growth, the collector and C code run, and
 * that of gsignal, for signal handlers. A walk goes from one to another where the
 * runtime does, with what it has saved for going back (runtime/runtime2.go: type g,
 * type m, type gobuf).
 */
#ifndef UNWIND_GOSTACKS_H
#define UNWIND_GOSTACKS_H

#include <stdbool.h>
#include <stdint.h>

struct go_stack {
	uint64_t g;	 /* its g; 0: there is none */
	uint64_t low, high;
	uint64_t sp, pc, bp; /* where it was left (g.sched) */
};

struct go_stacks {
	bool known; /* all below holds */
	uint64_t g; /* the one that the thread says it runs; 0: not known */
	struct go_stack g0, gsignal, goroutine;
	uint64_t vdso_sp, vdso_pc; /* whom a call into the vDSO will return to; 0: there is none */
	bool in_callback; /* C code has called Go on this thread */
};

static inline bool go_stack_holds(const struct go_stack *s, uint64_t sp)
{
	return s->g && sp >= s->low && sp < s->high;
}

#endif
