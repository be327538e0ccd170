/*
 * The stacks of a thread that runs Go, as its runtime had recorded them when the thread was looked
 * at.
 *
 * A goroutine has a stack of its own. The thread that runs it (an "m") has two more: that of g0, on
 * which the scheduler, stack growth, the collector and C code run, and that of gsignal, for signal
 * handlers. A walk changes from one stack to another where the runtime does, using what the runtime
 * has saved for going back (runtime/runtime2.go: type g, type m, type gobuf).
 */
#ifndef UNWIND_GOSTACKS_H
#define UNWIND_GOSTACKS_H

#include <stdbool.h>
#include <stdint.h>

struct go_stack {
	uint64_t g; /* address of its g; 0: no such stack */
	uint64_t low, high;
	uint64_t sp, pc, bp; /* the registers when it was left (g.sched) */
};

struct go_stacks {
	bool known; /* the other fields are valid */
	uint64_t g; /* the g that the thread runs by its own record; 0: not known */
	struct go_stack g0, gsignal, goroutine;
	uint64_t vdso_sp, vdso_pc; /* caller of a call into the vDSO; 0: no such call */
	bool in_callback;	   /* C code has called Go on this thread */
};

static inline bool go_stack_holds(const struct go_stack *s, uint64_t sp)
{
	return s->g && sp >= s->low && sp < s->high;
}

#endif
