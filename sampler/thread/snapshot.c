/* The pieces are copied by one process_vm_readv(2), if all are there, and answer as one memory. The
 * address that a walk missed last is kept, which tells an end of the stack from a copy that was too
 * short. */
#include "sampler/thread/snapshot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/maps.h"
#include "sampler/thread/registers.h"
#include "sampler/thread/threads.h"

/* Indices of words in a signal's struct ucontext (asm-generic/ucontext.h, asm/sigcontext.h). */
enum { UCONTEXT_STACK = 2, UCONTEXT_SP = 20 };

enum {
	AHEAD = 64 << 10, /* bytes that are read of a live thread in one go */
	READS_MOST = (8 << 20) / AHEAD,
	FAR_MOST = 8 << 20, /* bytes that are copied by a plan */
};

static const uint64_t PAGE = 4096; /* the smallest page size */

static bool snapshot_holds(const struct snapshot_live *l, uint64_t addr, size_t len)
{
	return addr - l->start <= l->len && len <= l->len - (addr - l->start);
}

/* Walks go upward, so what follows is needed next. */
static int snapshot_read_live(struct snapshot_live *l, uint64_t addr, void *buf, size_t len)
{
	struct memory_piece p = { addr, l->bytes, AHEAD };

	if (!snapshot_holds(l, addr, len)) {
		if (!l->reads)
			return ERR_SHORT;
		l->reads--;
		l->start = addr;
		l->len = memory_live_gather(l->tid, &p, 1);
	}
	if (!snapshot_holds(l, addr, len))
		return ERR_IO;
	memcpy(buf, l->bytes + (addr - l->start), len);
	return 0;
}

static int snapshot_read_pieces(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const struct snapshot *s = (const struct snapshot *)m;
	int rc = s->stack.memory.read(&s->stack.memory, addr, buf, len);

	for (unsigned i = 0; rc && i < SNAPSHOT_OTHERS && s->others[i].memory.len; i++) {
		const struct memory *other = &s->others[i].memory;
		int at_other = other->read(other, addr, buf, len);

		rc = at_other == ERR_IO ? rc : at_other;
	}
	for (size_t i = 0; rc && i < s->far.count; i++)
		rc = s->far.at[i].memory.read(&s->far.at[i].memory, addr, buf, len) ? rc : 0;
	if (rc && s->interp.any) {
		const struct memory *copy = &s->interp.copy.memory;

		rc = copy->read(copy, addr, buf, len) ? rc : 0;
	}
	/* The memory is that of a struct snapshot that is not const. */
	if (rc && s->live.tid)
		return snapshot_read_live((struct snapshot_live *)&s->live, addr, buf, len);
	if (rc)
		((struct snapshot *)s)->missed = addr;
	return rc;
}

/* Readers find the first piece in s->memory itself; read_pieces looks into the others, too. */
static void snapshot_set_stack(struct snapshot *s, uint64_t start, size_t len)
{
	memory_bytes_init(&s->stack, s->bytes, start, len);
	s->live.tid = 0;
	s->missed = 0;
	s->memory = s->stack.memory;
	s->memory.read = snapshot_read_pieces;
}

static void set_other(struct snapshot *s, unsigned i, uint64_t start, size_t len)
{
	memory_bytes_init(&s->others[i], s->bytes + (1 + i) * s->room, start, len);
}

static void drop_others(struct snapshot *s)
{
	for (unsigned i = 0; i < SNAPSHOT_OTHERS; i++)
		set_other(s, i, 0, 0);
}

int snapshot_init(struct snapshot *s, size_t room)
{
	memset(s, 0, sizeof(*s));
	return snapshot_reserve(s, room);
}

void snapshot_release(struct snapshot *s)
{
	interp_look_release(&s->interp);
	free(s->far.bytes);
	free(s->live.bytes);
	free(s->bytes);
	memset(s, 0, sizeof(*s));
}

/* Replaces the bytes by `times` as many as are wanted, unless there are enough. Each page is
 * written to: its first use takes long, and is not to come while a thread is held. */
static int snapshot_grow(char **bytes, size_t *room, size_t want, unsigned times)
{
	char *fresh;

	if (want <= *room)
		return 0;
	fresh = malloc(times * want);
	if (!fresh)
		return ERR_NOMEM;
	free(*bytes);
	*bytes = memset(fresh, 1, times * want);
	*room = want;
	return 0;
}

int snapshot_reserve(struct snapshot *s, size_t room)
{
	if (room <= s->room)
		return 0;
	if (snapshot_grow(&s->bytes, &s->room, room, 1 + SNAPSHOT_OTHERS))
		return ERR_NOMEM;
	snapshot_set_stack(s, 0, 0);
	drop_others(s);
	return 0;
}

/* What is known of the mapping that holds `at`; the whole address space where nothing is. */
static struct span snapshot_span_of(const struct snapshot *s, uint64_t at)
{
	struct span span = { .start = 0, .end = UINT64_MAX };

	if (s->spans)
		spans_find(s->spans, at, &span);
	return span;
}

static struct memory_piece planned(const struct snapshot *s, const struct stackplan_range *r)
{
	struct span span = snapshot_span_of(s, r->low);
	struct memory_piece p = { .addr = 0 };

	p.addr = stackplan_bytes(r, span.start, span.end, &p.len);
	return p;
}

int snapshot_plan(struct snapshot *s, const struct stackplan *plan)
{
	struct snapshot_far *f = &s->far;
	size_t count = 0, len = 0, at = 0;

	f->count = 0;
	for (; count < plan->count; len += f->pieces[count++].len) {
		f->pieces[count] = planned(s, &plan->ranges[count]);
		if (f->pieces[count].len > FAR_MOST - len)
			break;
	}
	if (snapshot_grow(&f->bytes, &f->room, len, 1))
		return ERR_NOMEM;
	for (; f->count < count; at += f->pieces[f->count++].len) {
		struct memory_piece *p = &f->pieces[f->count];

		p->to = f->bytes + at;
		memory_bytes_init(&f->at[f->count], p->to, p->addr, 0);
	}
	return 0;
}

/* Copies what is planned; a piece that is not there any more is left out. */
static void copy_far(struct snapshot *s, pid_t tid)
{
	struct snapshot_far *f = &s->far;

	for (size_t i = 0; i < f->count;) {
		size_t got = memory_live_gather(tid, f->pieces + i, f->count - i), part;

		do {
			part = got < f->pieces[i].len ? got : f->pieces[i].len;
			got -= part;
			f->at[i].memory.len = part;
		} while (part == f->pieces[i++].len && i < f->count);
	}
}

/* Copies a piece that begins in the red zone below sp; returns how many bytes there were. The
 * kernel maps a main thread's stack only as deep as it has been used (expand_downwards() in
 * mm/mmap.c). So where sp is on the lowest page, the red zone may not be mapped: then the piece
 * begins at sp's page. */
static size_t copy_piece(pid_t tid, struct memory_piece *p, uint64_t sp)
{
	size_t got = memory_live_gather(tid, p, 1);
	uint64_t page = sp & ~(PAGE - 1);

	if (got || p->addr >= page)
		return got;
	p->len -= page - p->addr;
	p->addr = page;
	return memory_live_gather(tid, p, 1);
}

static size_t snapshot_sum(const struct memory_piece *p, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		len += p[i].len;
	return len;
}

/* How many of `len` bytes from `start` on are in the mapping that holds `at`. */
static size_t snapshot_within(const struct span *span, uint64_t start, size_t len)
{
	return span->end - start < len ? (size_t)(span->end - start) : len;
}

bool snapshot_is_elsewhere(const struct snapshot *s, uint64_t sp, uint64_t top)
{
	struct span span = snapshot_span_of(s, top - 1);

	return top && sp - span.start >= top - span.start;
}

/* Copies the first piece and, when sp is not on the ordinary stack, what is below `top`. For a Go
 * thread, finds out which stacks it has; its ordinary stack is a goroutine's. What interpreters
 * need is copied before the stack, because a stack's copy often is cut short by its end. */
static void copy_stack(struct snapshot *s, pid_t tid, uint64_t tp, size_t want, uint64_t top)
{
	size_t most = want + RED_ZONE < s->room ? want + RED_ZONE : s->room, len, before, copied,
	       got;
	uint64_t sp = s->regs.r[DWARF_SP];
	struct span span = snapshot_span_of(s, sp), below = snapshot_span_of(s, top - 1);
	size_t other = top - below.start < most ? (size_t)(top - below.start) : most;
	struct memory_piece p[GO_PIECES + INTERP_RANGES + 2];
	size_t count = gothread_begin(&s->go, &s->place, tp, p), of_go = snapshot_sum(p, count),
	       first;
	bool elsewhere = !count && snapshot_is_elsewhere(s, sp, top), guess = false;
	struct memory_piece *stack;

	len = snapshot_within(&span, sp - RED_ZONE, most);
	count += interp_look_pieces(&s->interp, p + count);
	before = snapshot_sum(p, count);
	stack = &p[count];
	p[count++] = (struct memory_piece){ sp - RED_ZONE, s->bytes, len };
	if (elsewhere)
		p[count++] = (struct memory_piece){ top - other, s->bytes + s->room, other };
	else
		guess = gothread_guess(&s->go, &s->regs, &p[count]);
	copied = memory_live_gather(tid, p, count + guess);
	got = copied > before ? copied - before : 0;
	if (!got) /* the remembered places are gone, or there is no stack */
		first = copy_piece(tid, stack, sp);
	else
		first = got < len ? got : len;
	/* Where the first stack ends early, the copy has stopped before the second piece. */
	if (elsewhere && got <= first)
		got = first + memory_live_gather(tid, stack + 1, 1);
	snapshot_set_stack(s, stack->addr, first);
	set_other(s, 0, top - other, elsewhere ? got - first : 0);
	set_other(s, 1, 0, 0);
	/* A full copy may have more behind it; a short one ended where the mapping ends. */
	s->stack.more = first == stack->len && (len == most || span.followed) ? UINT32_MAX : 0;
	gothread_finish(&s->go, tid, tp, &s->regs, copied,
			guess && copied == before + len + p[count].len, &s->stacks);
	interp_look_finish(&s->interp, copied > of_go ? copied - of_go : 0, tid, tp, &s->regs,
			   &s->stack.memory);
}

/* The stack pointer of the code that a signal has interrupted; 0: not found. It is in the signal's
 * struct ucontext, which is recognized by the bounds of the handler's stack that the kernel has
 * stored in it. */
static uint64_t interrupted_sp(const struct snapshot *s)
{
	const struct go_stack *on = &s->stacks.gsignal;
	const struct memory *m = &s->stack.memory;
	uint64_t w[UCONTEXT_SP + 1];

	for (size_t at = (on->low - m->start) & 7; at + sizeof(w) <= m->len; at += 8) {
		memcpy(w, m->bytes + at, sizeof(w));
		if (w[UCONTEXT_STACK] == on->low && w[UCONTEXT_STACK + 2] == on->high - on->low)
			return w[UCONTEXT_SP];
	}
	return 0;
}

/* For a thread on g0's stack: where on its goroutine's stack it was. During a call into the vDSO or
 * the race detector, the runtime still records that the thread runs the goroutine. The caller of
 * the vDSO has stored its stack pointer; the caller of the race detector has not, and the upper end
 * of the goroutine's stack is copied instead. (A thread at g0's own stack pointer is on the way
 * back from systemstack.) */
static uint64_t left_goroutine_at(const struct go_stacks *stacks, uint64_t sp, size_t room)
{
	const struct go_stack *s = &stacks->goroutine;

	if (go_stack_holds(s, stacks->vdso_sp))
		return stacks->vdso_sp;
	if (!s->g || stacks->g != s->g || (sp == stacks->g0.sp && s->sp))
		return s->sp;
	return s->high - s->low > room ? s->high - room + RED_ZONE : s->low + RED_ZONE;
}

/* Where the walk will go on, on the goroutine's stack and on g0's, as far as that is known; 0: it
 * will not. */
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
		*goroutine = left_goroutine_at(stacks, from, s->room);
	}
}

static void copy_other(struct snapshot *s, pid_t tid, unsigned i, uint64_t from, uint64_t high,
		       size_t want)
{
	uint64_t start = from - RED_ZONE;
	size_t most = want + RED_ZONE < s->room ? want + RED_ZONE : s->room, len, got;
	struct span span = snapshot_span_of(s, from);
	struct memory_piece p;

	len = snapshot_within(&span, start, most);
	if (high > from && high - start < len)
		len = (size_t)(high - start);
	p = (struct memory_piece){ start, s->bytes + (1 + i) * s->room, len };
	got = copy_piece(tid, &p, from);
	set_other(s, i, p.addr, got);
	if (s->others[i].memory.len == p.len && p.addr + p.len != high &&
	    (p.addr + p.len != span.end || span.followed))
		s->others[i].more = UINT32_MAX;
}

/* The end of a goroutine's stack is known. g0's stack may be a thread's, of which Go records only
 * the part that it uses itself. */
static void copy_others(struct snapshot *s, pid_t tid, size_t want)
{
	uint64_t goroutine, g0;
	unsigned count = 0;

	if (!s->stacks.known)
		return;
	find_others(s, s->regs.r[DWARF_SP], &goroutine, &g0);
	if (goroutine)
		copy_other(s, tid, count++, goroutine, s->stacks.goroutine.high, want);
	if (g0)
		copy_other(s, tid, count, g0, 0, want);
}

void snapshot_take(struct snapshot *s, pid_t tid, const struct registers *registers, size_t want,
		   uint64_t top)
{
	registers_for_walk(registers, &s->regs);
	copy_stack(s, tid, registers_tp(registers), want, top);
	copy_others(s, tid, want);
	copy_far(s, tid);
	s->newborn = registers_newborn(registers);
	s->narrow = registers_are_narrow(registers);
}

void snapshot_glance(struct snapshot *s, pid_t tid, const struct call *call, size_t want,
		     uint64_t top)
{
	registers_of_waiting(call, &s->regs);
	copy_stack(s, tid, 0, want, top);
	copy_others(s, tid, want);
	copy_far(s, tid);
	s->newborn = s->narrow = false;
}

int snapshot_of_event(struct snapshot *s, const struct regs *regs, const void *bytes, size_t len,
		      bool more)
{
	if (snapshot_reserve(s, len))
		return ERR_NOMEM;
	s->regs = *regs;
	memcpy(s->bytes, bytes, len);
	snapshot_set_stack(s, regs->r[DWARF_SP], len);
	s->stack.more = more ? UINT32_MAX : 0;
	drop_others(s);
	s->far.count = 0;
	s->interp.any = false; /* nothing was copied for interpreters */
	memset(&s->stacks, 0, sizeof(s->stacks));
	memset(&s->go.goroutine, 0, sizeof(s->go.goroutine));
	memset(&s->go.place, 0, sizeof(s->go.place));
	s->newborn = s->narrow = false;
	return 0;
}

int snapshot_read_on(struct snapshot *s, pid_t tid)
{
	struct snapshot_live *l = &s->live;

	if (!l->bytes)
		l->bytes = malloc(AHEAD);
	if (!l->bytes)
		return ERR_NOMEM;
	l->tid = tid;
	l->len = 0;
	l->reads = READS_MOST;
	return 0;
}

bool snapshot_left_out(const struct snapshot *s)
{
	struct span span;

	return s->missed && s->spans && spans_find(s->spans, s->missed, &span);
}
