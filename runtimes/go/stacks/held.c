/* Where the thread is in a signal handler, the interrupted registers are searched on gsignal's
 * stack, by the bounds of that stack in struct ucontext beside them. */
#include "runtimes/go/stacks/held.h"

#include <stddef.h>
#include <string.h>

#include "runtimes/go/fields.h"
#include "runtimes/go/live.h"
#include "runtimes/go/stacks/callers.h"
#include "runtimes/go/stacks/goroutines.h"
#include "runtimes/go/stacks/state.h"

enum {
	SIGNAL_STACK_MAX = 64 << 10, /* gsignal's has 32 KiB (runtime/os_linux.go, mpreinit) */
	/* Indexes of words in struct ucontext (asm-generic/ucontext.h, asm/sigcontext.h). */
	UC_STACK_SP = 2,
	UC_STACK_SIZE = 4,
	UC_RSP = 20,
	UC_RIP = 21,
	UC_WORDS,
};

static const struct go_held *held_thread_of(const struct gogoroutines_options *o, uint64_t thread)
{
	for (size_t i = 0; i < o->held_count; i++)
		if (o->held[i].thread == thread)
			return &o->held[i];
	return NULL;
}

static bool held_word(const struct golive *live, uint64_t at, uint32_t offset, uint64_t *value)
{
	return !memory_read_u64(live->memory, at + offset, value);
}

/* A handler makes the interrupted code look as if it had called sigpanic or asyncPreempt: it pushes
 * the pc and only then changes it (signal_amd64.go, pushCall). If the handler is between the two,
 * this undoes the push. Outside of a handler a word that equals the pc says nothing: it may remain
 * from an earlier call, in a frame that has not yet written there. */
static void held_undo_push(const struct golive *live, uint64_t pc, uint64_t *sp)
{
	uint64_t pushed;

	if (!memory_read_u64(live->memory, *sp, &pushed) && pushed == pc)
		*sp += sizeof(pushed);
}

/* Finds the interrupted pc and sp while the handler of a signal runs on this stack. The kernel has
 * stored the registers there, together with the bounds of this stack. */
static void interrupted(const struct golive *live, uint64_t low, uint64_t high, uint64_t *pc,
			uint64_t *sp)
{
	uint64_t words[SIGNAL_STACK_MAX / 8], from = *sp & ~7ull;
	size_t len = (size_t)(high - from) & ~7ull, count = len / 8;

	if (len > sizeof(words) || live->memory->read(live->memory, from, words, len))
		return;
	for (size_t i = 0; i + UC_WORDS <= count; i++)
		if (words[i + UC_STACK_SP] == low && words[i + UC_STACK_SIZE] == high - low) {
			*pc = words[i + UC_RIP];
			*sp = words[i + UC_RSP];
			held_undo_push(live, *pc, sp);
			return;
		}
}

/* If the thread is in a signal handler, replaces *pc and *sp by their values before the signal. */
static void leave_handler(const struct golive *live, uint64_t m, uint64_t *pc, uint64_t *sp)
{
	uint64_t gsignal, low, high;

	if (!held_word(live, m, live->fields.m.gsignal, &gsignal) || !gsignal ||
	    !held_word(live, gsignal, 0, &low) || !held_word(live, gsignal, 8, &high) ||
	    *sp < low || *sp >= high || high - low > SIGNAL_STACK_MAX)
		return;
	interrupted(live, low, high, pc, sp);
}

/* gogo switches to a goroutine: it sets the stack pointer first, then the pc (asm_amd64.s). */
static bool is_gogo(struct gocallers *callers, uint64_t pc)
{
	const char *name = gocallers_function(callers, pc);

	return name && (!strcmp(name, "gogo") || !strcmp(name, "runtime.gogo"));
}

/* Follows runtime/proc.go, sigprof. If the thread is in the vDSO, the vDSO's caller is used; if it
 * is on the goroutine's own stack, its registers are used. If it is on g0's stack, the goroutine is
 * where it left its own stack: systemstack, mcall, morestack and asmcgocall all save sched. */
bool goheld_find(const struct golive *live, struct gocallers *callers,
		 const struct gogoroutines_options *options, const struct gostate *s, uint64_t *pc,
		 uint64_t *sp, bool *exact)
{
	const struct gofields *f = &live->fields;
	const struct go_held *held;
	uint64_t thread;

	if (!options->held || !s->m || !held_word(live, s->m, f->m.procid, &thread))
		return false;
	held = held_thread_of(options, thread);
	if (!held)
		return false;
	*exact = false;
	if (held_word(live, s->m, f->m.vdso_sp, sp) && gostate_on_stack(s, *sp) &&
	    held_word(live, s->m, f->m.vdso_pc, pc))
		return true;
	*pc = held->pc;
	*sp = held->sp;
	if (!gostate_on_stack(s, *sp))
		leave_handler(live, s->m, pc, sp);
	*exact = gostate_on_stack(s, *sp);
	if (*exact && !is_gogo(callers, *pc))
		return true;
	if (!*exact)
		*sp = s->sp;
	*exact = false;
	*pc = s->pc;
	return gostate_on_stack(s, *sp);
}
