/* The g's bytes are decoded by the fields' offsets. Two readings agree if all that a running
 * goroutine changes is equal, trackingSeq among it. */
#include "runtimes/go/stacks/state.h"

#include "base/process/memory.h"
#include "runtimes/go/fields.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/stacks/goroutines.h"

enum { SCAN = 0x1000 }; /* runtime/runtime2.go, _Gscan */

static const uint64_t STACK_MAX = 2ull << 30; /* grows up to 1 GiB (runtime/proc.go, main) */

size_t gostate_bytes(const struct gofields *f)
{
	const uint32_t offsets[] = { f->g.m,	      f->g.sp,	 f->g.pc,     f->g.syscall_sp,
				     f->g.syscall_pc, f->g.goid, f->g.status, f->g.tracking_seq };
	uint32_t max = 0;

	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
		max = offsets[i] > max ? offsets[i] : max;
	return max + 8;
}

void gostate_load(struct gostate *s, const struct gofields *f, const uint8_t *g)
{
	uint32_t status = (uint32_t)memory_word(g, f->g.status);

	*s = (struct gostate){
		.low = memory_word(g, 0),
		.high = memory_word(g, 8),
		.m = memory_word(g, f->g.m),
		.sp = memory_word(g, f->g.sp),
		.pc = memory_word(g, f->g.pc),
		.syscall_sp = memory_word(g, f->g.syscall_sp),
		.syscall_pc = memory_word(g, f->g.syscall_pc),
		.goid = memory_word(g, f->g.goid),
		.status = status & ~(uint32_t)SCAN,
		.tracking_seq = g[f->g.tracking_seq],
		.scan = status & SCAN,
	};
}

bool gostate_same(const struct gostate *a, const struct gostate *b)
{
	return a->low == b->low && a->high == b->high && a->sp == b->sp && a->pc == b->pc &&
	       a->syscall_sp == b->syscall_sp && a->syscall_pc == b->syscall_pc && a->m == b->m &&
	       a->goid == b->goid && a->status == b->status && a->tracking_seq == b->tracking_seq;
}

bool gostate_dead(const struct gostate *s)
{
	return s->status == GO_IDLE || s->status == GO_DEAD || s->status == GO_DEADEXTRA;
}

/* copystack() of runtime/stack.go sets low, high and sp, one after the other. If the thread is held
 * in between, the bounds may not fit together, or sp is outside of them. The stack grows with a
 * status of its own (newstack) and shrinks while a GC scans it (scanstack). */
static bool may_move(const struct gostate *s)
{
	return s->status == GO_COPYSTACK || s->scan;
}

bool gostate_lives(const struct gostate *s)
{
	switch (s->status) {
	case GO_RUNNABLE:
	case GO_RUNNING:
	case GO_SYSCALL:
	case GO_WAITING:
	case GO_COPYSTACK:
	case GO_PREEMPTED:
	case GO_LEAKED:
		return s->goid && s->low &&
		       (s->low < s->high ? s->high - s->low <= STACK_MAX : may_move(s));
	}
	return false;
}

bool gostate_on_stack(const struct gostate *s, uint64_t sp)
{
	return sp >= s->low && sp < s->high && sp % 8 == 0;
}

/* runtime/traceback.go, (*unwinder).initAt. A goroutine that has left the kernel, or is about to
 * enter it, is running for some instructions with syscallsp set; what is above that does not change
 * (runtime/proc.go, exitsyscall; mprof.go, doRecordGoroutineProfile of 1.27). While its stack is
 * being copied it does not run, and the old stack stays as it is. Once bounds and sp are those of
 * the new stack, it is complete (runtime/stack.go, copystack); between these it has none. */
bool gostate_rests(const struct gostate *s, uint64_t *pc, uint64_t *sp)
{
	if (s->status == GO_RUNNING && !s->syscall_sp)
		return false;
	*pc = s->syscall_sp ? s->syscall_pc : s->pc;
	*sp = s->syscall_sp ? s->syscall_sp : s->sp;
	return gostate_on_stack(s, *sp);
}
