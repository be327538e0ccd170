#include "sampler/snapshot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/error.h"

/* Below sp a leaf function may keep data without moving sp (System V ABI,
 * AMD64 supplement, 3.2.2: the red zone). */
enum { RED_ZONE = 128 };

/* What glibc's and musl's clone execute before the new thread goes its own way. */
enum { NEWBORN_BYTES = 8 };

/* Words in what a signal handler is given (asm-generic/ucontext.h, asm/sigcontext.h). */
enum { UCONTEXT_STACK = 2, UCONTEXT_SP = 20 };

/* No ordinary stack is larger; sp further than this below the top is elsewhere. */
static const uint64_t STACK_SPAN = 1ull << 30;

static int read_pieces(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const struct snapshot *s = (const struct snapshot *)m;
	int rc = s->stack.memory.read(&s->stack.memory, addr, buf, len);

	for (unsigned i = 0; rc && i < SNAPSHOT_OTHERS && s->others[i].len; i++) {
		const struct memory *other = &s->others[i].memory;
		int at_other = other->read(other, addr, buf, len);

		rc = at_other == ERR_IO ? rc : at_other;
	}
	return rc;
}

int snapshot_init(struct snapshot *s, size_t room)
{
	memset(s, 0, sizeof(*s));
	s->memory.read = read_pieces;
	return snapshot_reserve(s, room);
}

void snapshot_release(struct snapshot *s)
{
	free(s->bytes);
	memset(s, 0, sizeof(*s));
}

int snapshot_reserve(struct snapshot *s, size_t room)
{
	char *bytes;

	if (room <= s->room)
		return 0;
	bytes = malloc((1 + SNAPSHOT_OTHERS) * room);
	if (!bytes)
		return ERR_NOMEM;
	memset(bytes, 1, (1 + SNAPSHOT_OTHERS) * room);
	free(s->bytes);
	s->bytes = bytes;
	s->room = room;
	memory_bytes_init(&s->stack, bytes, 0, 0);
	for (unsigned i = 0; i < SNAPSHOT_OTHERS; i++)
		memory_bytes_init(&s->others[i], bytes + (1 + i) * room, 0, 0);
	return 0;
}

static void copy_regs(struct regs *to, const struct user_regs_struct *from)
{
	to->r[DWARF_RAX] = from->rax;
	to->r[DWARF_RDX] = from->rdx;
	to->r[DWARF_RCX] = from->rcx;
	to->r[DWARF_RBX] = from->rbx;
	to->r[DWARF_RSI] = from->rsi;
	to->r[DWARF_RDI] = from->rdi;
	to->r[DWARF_RBP] = from->rbp;
	to->r[DWARF_RSP] = from->rsp;
	to->r[DWARF_R8] = from->r8;
	to->r[DWARF_R9] = from->r9;
	to->r[DWARF_R10] = from->r10;
	to->r[DWARF_R11] = from->r11;
	to->r[DWARF_R12] = from->r12;
	to->r[DWARF_R13] = from->r13;
	to->r[DWARF_R14] = from->r14;
	to->r[DWARF_R15] = from->r15;
	to->r[DWARF_RIP] = from->rip;
	to->unknown = 0;
}

/* A new thread comes to life behind its maker's system call, with the result 0; rcx
 * is where that call returned to (the `syscall` instruction puts it there). An
 * interrupt may have come before the first instructions, which only test rax. */
static bool looks_newborn(const struct user_regs_struct *user)
{
	bool from_call = user->orig_rax == SYS_clone || user->orig_rax == SYS_clone3;

	return !user->rax && (from_call || user->rip - user->rcx <= NEWBORN_BYTES);
}

/* The first piece and, when sp is elsewhere than on the ordinary stack, what lies below
 * `top`. Of a Go thread, whose ordinary stack is a goroutine's, what its stacks are. */
static void copy_stack(struct snapshot *s, pid_t tid, uint64_t tp, size_t want, uint64_t top)
{
	size_t len = want + RED_ZONE < s->room ? want + RED_ZONE : s->room, before = 0, got;
	uint64_t sp = s->regs.r[DWARF_RSP], start = sp - RED_ZONE;
	struct memory_piece p[GO_PIECES + 2];
	size_t count = gothread_begin(&s->go, &s->place, tp, p), first;
	bool elsewhere = top && !count && top - sp > STACK_SPAN;

	for (size_t i = 0; i < count; i++)
		before += p[i].len;
	p[count++] = (struct memory_piece){ start, s->bytes, len };
	if (elsewhere)
		p[count++] = (struct memory_piece){ top - len, s->bytes + s->room, len };
	got = memory_live_gather(tid, p, count);
	if (got < before) /* what was remembered of the thread is gone */
		first = memory_live_gather(tid, &p[count - 1], 1);
	else
		first = got - before < len ? got - before : len;
	/* A stack that ends early stops the copy before the second piece. */
	if (elsewhere && first < len)
		got = first + memory_live_gather(tid, &p[1], 1);
	memory_bytes_init(&s->stack, s->bytes, start, first);
	memory_bytes_init(&s->others[0], s->bytes + s->room, top - len,
			  elsewhere ? got - first : 0);
	memory_bytes_init(&s->others[1], s->bytes + 2 * s->room, 0, 0);
	/* A full copy may have more behind it; a short one ended where the
	 * mapping ends. */
	s->stack.more = first == len ? UINT32_MAX : 0;
	gothread_finish(&s->go, tid, tp, &s->regs, got, &s->stacks);
}

/* Where the code that a signal has interrupted had its stack pointer; 0: not found. The
 * kernel has left with the registers what the handler's stack is (struct ucontext). */
static uint64_t interrupted_sp(const struct snapshot *s)
{
	const struct go_stack *on = &s->stacks.gsignal;
	const char *bytes = s->stack.data;
	uint64_t w[UCONTEXT_SP + 1];

	for (size_t at = (on->low - s->stack.start) & 7; at + sizeof(w) <= s->stack.len; at += 8) {
		memcpy(w, bytes + at, sizeof(w));
		if (w[UCONTEXT_STACK] == on->low && w[UCONTEXT_STACK + 2] == on->high - on->low)
			return w[UCONTEXT_SP];
	}
	return 0;
}

/* Where on its goroutine's stack a thread was that is on g0's. One that calls the vDSO, or
 * the race detector, is still said to run the goroutine, and only the vDSO's caller has
 * written down where it was: of the other the upper end must do. */
static uint64_t left_goroutine_at(const struct go_stacks *stacks, size_t room)
{
	const struct go_stack *s = &stacks->goroutine;

	if (go_stack_holds(s, stacks->vdso_sp))
		return stacks->vdso_sp;
	if (!s->g || stacks->g != s->g)
		return s->sp;
	return s->high - s->low > room ? s->high - room + RED_ZONE : s->low + RED_ZONE;
}

/* Where on the goroutine's stack and on g0's the walk will go on, as far as that can be
 * told; 0: it need not. */
static void find_others(const struct snapshot *s, uint64_t sp, uint64_t *goroutine, uint64_t *g0)
{
	const struct go_stacks *stacks = &s->stacks;
	uint64_t from = sp;

	*goroutine = *g0 = 0;
	if (go_stack_holds(&stacks->gsignal, sp)) {
		from = interrupted_sp(s);
		if (go_stack_holds(&stacks->goroutine, from))
			*goroutine = from;
		else
			*g0 = from;
	}
	if (go_stack_holds(&stacks->goroutine, from)) {
		if (stacks->in_callback)
			*g0 = stacks->g0.sp;
	} else {
		*goroutine = left_goroutine_at(stacks, s->room);
	}
}

static void copy_other(struct snapshot *s, pid_t tid, unsigned i, uint64_t from, uint64_t high,
		       size_t want)
{
	uint64_t start = from - RED_ZONE;
	size_t len = want + RED_ZONE < s->room ? want + RED_ZONE : s->room;
	struct memory_piece p;

	if (high > from && high - start < len)
		len = (size_t)(high - start);
	p = (struct memory_piece){ start, s->bytes + (1 + i) * s->room, len };
	memory_bytes_init(&s->others[i], p.to, start, memory_live_gather(tid, &p, 1));
	s->others[i].more = s->others[i].len == len && start + len != high ? UINT32_MAX : 0;
}

/* A goroutine's stack has an end that is known; g0's may be a thread's, of which Go knows
 * but the part that it uses itself. */
static void copy_others(struct snapshot *s, pid_t tid, size_t want)
{
	uint64_t goroutine, g0;
	unsigned count = 0;

	if (!s->stacks.known)
		return;
	find_others(s, s->regs.r[DWARF_RSP], &goroutine, &g0);
	if (goroutine)
		copy_other(s, tid, count++, goroutine, s->stacks.goroutine.high, want);
	if (g0)
		copy_other(s, tid, count, g0, 0, want);
}

void snapshot_take(struct snapshot *s, pid_t tid, const struct user_regs_struct *user, size_t want,
		   uint64_t top)
{
	copy_regs(&s->regs, user);
	copy_stack(s, tid, user->fs_base, want, top);
	copy_others(s, tid, want);
	s->newborn = looks_newborn(user);
}

void snapshot_glance(struct snapshot *s, pid_t tid, uint64_t pc, uint64_t sp, size_t want,
		     uint64_t top)
{
	s->regs.r[DWARF_RIP] = pc;
	s->regs.r[DWARF_RSP] = sp;
	s->regs.unknown = ~(1u << DWARF_RIP | 1u << DWARF_RSP);
	copy_stack(s, tid, 0, want, top);
	copy_others(s, tid, want);
	s->newborn = false;
}
