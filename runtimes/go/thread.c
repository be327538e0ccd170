/* The pieces of m and g are gathered with the copy of the stack, by one system call, and verified
 * by the links between them afterwards. Only a thread on another stack costs a second call. */
#include "runtimes/go/thread.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "runtimes/go/find/runtime.h"
#include "unwind/table/regs.h"

static const uint64_t STACK_MAX = 2ull << 30; /* a goroutine's stack grows up to 1 GiB */

static uint32_t is_extra_at(const struct goruntime *rt)
{
	return rt->m.isextra == GO_NO_FIELD ? 0 : rt->m.isextra;
}

bool gothread_fits(const struct goruntime *rt)
{
	const uint32_t in_m[] = { rt->m.g0,	   rt->m.gsignal, rt->m.curg,	rt->m.ncgo,
				  is_extra_at(rt), rt->m.vdso_sp, rt->m.vdso_pc };
	const uint32_t in_g[] = { rt->g.m, rt->g.sp, rt->g.pc, rt->g.bp };

	for (size_t i = 0; i < sizeof(in_m) / sizeof(*in_m); i++)
		if (in_m[i] > GO_M_BYTES - 8)
			return false;
	for (size_t i = 0; i < sizeof(in_g) / sizeof(*in_g); i++)
		if (in_g[i] > GO_G_BYTES - 8)
			return false;
	return true;
}

static size_t m_bytes(const struct goruntime *rt)
{
	uint32_t end = rt->m.vdso_pc > rt->m.vdso_sp ? rt->m.vdso_pc : rt->m.vdso_sp;

	end = end > rt->m.ncgo ? end : rt->m.ncgo;
	end = end > is_extra_at(rt) ? end : is_extra_at(rt);
	return end + 8;
}

static size_t g_bytes(const struct goruntime *rt)
{
	return rt->g.bp + 8;
}

/* Bytes from the first of the known fields, at *first, to the end of the last; 0: none is known. */
static size_t goroutine_bytes(const struct goruntime *rt, uint32_t *first)
{
	uint32_t goid = rt->goroutine.goid, labels = rt->goroutine.labels, last;

	*first = goid < labels ? goid : labels;
	last = goid < labels ? labels : goid;
	last = last == GO_NO_FIELD ? *first : last;
	if (*first == GO_NO_FIELD || last - *first > GO_GOROUTINE_BYTES - 8)
		return 0;
	return last - *first + 8;
}

static void fill_goroutine(const struct goruntime *rt, uint64_t g, const uint8_t *bytes,
			   struct gothread_goroutine *goroutine)
{
	uint32_t first;

	goroutine_bytes(rt, &first);
	*goroutine = (struct gothread_goroutine){ .g = g };
	if (rt->goroutine.goid != GO_NO_FIELD)
		goroutine->goid = memory_word(bytes, rt->goroutine.goid - first);
	if (rt->goroutine.labels != GO_NO_FIELD)
		goroutine->labels = memory_word(bytes, rt->goroutine.labels - first);
}

static struct memory_piece goroutine_piece(struct gothread *t, uint64_t g)
{
	uint32_t first;
	size_t len = goroutine_bytes(t->rt, &first);
	bool wanted = t->wants_goid || t->rt->goroutine.labels != GO_NO_FIELD;

	return (struct memory_piece){ g + first, t->goroutine_bytes, wanted ? len : 0 };
}

bool gothread_goroutine_now(const struct goruntime *rt, uint64_t g, const struct memory *memory,
			    struct gothread_goroutine *goroutine)
{
	uint8_t bytes[GO_GOROUTINE_BYTES];
	uint32_t first;
	size_t len = goroutine_bytes(rt, &first);

	if (!len || memory->read(memory, g + first, bytes, len))
		return false;
	fill_goroutine(rt, g, bytes, goroutine);
	return true;
}

static size_t own_pieces(struct gothread *t, struct memory_piece *p)
{
	const struct goruntime *rt = t->rt;

	p[0] = (struct memory_piece){ t->place.m, t->m, m_bytes(rt) };
	p[1] = (struct memory_piece){ t->place.g0, t->g0, g_bytes(rt) };
	p[2] = (struct memory_piece){ t->place.gsignal, t->gsignal, g_bytes(rt) };
	return t->place.gsignal ? 3 : 2;
}

static size_t go_thread_sum(const struct memory_piece *p, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += p[i].len;
	return bytes;
}

static bool go_thread_gather(pid_t tid, const struct memory_piece *p, size_t count)
{
	return memory_live_gather(tid, p, count) == go_thread_sum(p, count);
}

size_t gothread_begin(struct gothread *t, const struct gothread_place *place, uint64_t tp,
		      struct memory_piece *pieces)
{
	size_t count = 0;

	t->place = *place;
	t->g = 0;
	if (!t->rt || !place->m)
		return 0;
	if (tp)
		pieces[count++] = (struct memory_piece){ tp + (uint64_t)t->rt->tls, &t->g, 8 };
	return count + own_pieces(t, pieces + count);
}

/* If the register holds g0 or gsignal, the thread's goroutine has another g, which is not known
 * here. */
bool gothread_guess(struct gothread *t, const struct regs *at, struct memory_piece *piece)
{
	uint64_t g = at->r[DWARF_GO_G];

	t->guess = 0;
	if (!t->rt || !t->place.m || at->unknown >> DWARF_GO_G & 1 || !g || g & 7 ||
	    g == t->place.g0 || g == t->place.gsignal)
		return false;
	*piece = goroutine_piece(t, g);
	t->guess = piece->len ? g : 0;
	return t->guess;
}

/* True when what was read is the m that runs g, and its stacks are the expected ones. */
static bool go_thread_holds(const struct gothread *t, uint64_t tp)
{
	const struct goruntime *rt = t->rt;

	if (!t->place.m || memory_word(t->m, rt->m.g0) != t->place.g0 ||
	    memory_word(t->m, rt->m.gsignal) != t->place.gsignal)
		return false;
	return !tp || (t->g && (t->g == t->place.g0 || t->g == t->place.gsignal ||
				t->g == memory_word(t->m, rt->m.curg)));
}

/* Finds the m from the thread pointer: the g, its m, the m's stacks. */
static bool find_m(struct gothread *t, pid_t tid, uint64_t tp)
{
	const struct goruntime *rt = t->rt;
	struct memory_piece p[GO_PIECES] = { { tp + (uint64_t)rt->tls, &t->g, 8 } };

	if (!tp || !go_thread_gather(tid, p, 1) || !t->g)
		return false;
	p[0] = (struct memory_piece){ t->g + rt->g.m, &t->place.m, 8 };
	if (!go_thread_gather(tid, p, 1) || !t->place.m)
		return false;
	p[0] = (struct memory_piece){ t->place.m, t->m, m_bytes(rt) };
	if (!go_thread_gather(tid, p, 1))
		return false;
	t->place.g0 = memory_word(t->m, rt->m.g0);
	t->place.gsignal = memory_word(t->m, rt->m.gsignal);
	return t->place.g0 && go_thread_gather(tid, p, own_pieces(t, p)) && go_thread_holds(t, tp);
}

static void fill_stack(const struct goruntime *rt, uint64_t g, const uint8_t *bytes,
		       struct go_stack *s)
{
	*s = (struct go_stack){ g,
				memory_word(bytes, 0),
				memory_word(bytes, 8),
				memory_word(bytes, rt->g.sp),
				memory_word(bytes, rt->g.pc),
				memory_word(bytes, rt->g.bp) };
	if (s->low >= s->high || s->high - s->low > STACK_MAX)
		memset(s, 0, sizeof(*s));
}

/* Most looks find a thread on its goroutine's stack, and no frame of it leads to another stack. But
 * when gogo has just switched to that stack, gogo's caller is the place where the goroutine was
 * left. */
static bool needs_more(const struct gothread *t, const struct go_stacks *s, uint64_t tp,
		       uint64_t pc, uint64_t sp)
{
	const struct goruntime *rt = t->rt;

	return !tp || t->g != memory_word(t->m, rt->m.curg) || s->vdso_sp || s->in_callback ||
	       pc - rt->bias - rt->gogo < rt->gogo_end - rt->gogo || go_stack_holds(&s->g0, sp) ||
	       go_stack_holds(&s->gsignal, sp);
}

static bool has_got(struct gothread *t, uint64_t tp, size_t got)
{
	struct memory_piece p[GO_PIECES];

	return got >= go_thread_sum(p, own_pieces(t, p)) + (tp ? sizeof(t->g) : 0) &&
	       go_thread_holds(t, tp);
}

/* Reads the goroutine's goid and labels, and where its stack is; sp is or may be on another
 * stack. */
static void read_curg(struct gothread *t, pid_t tid, uint64_t curg, struct go_stacks *s)
{
	struct memory_piece p[] = { { curg, t->curg, g_bytes(t->rt) }, goroutine_piece(t, curg) };
	size_t got = memory_live_gather(tid, p, 2);

	if (got >= p[0].len)
		fill_stack(t->rt, curg, t->curg, &s->goroutine);
	if (p[1].len && got == p[0].len + p[1].len)
		fill_goroutine(t->rt, curg, t->goroutine_bytes, &t->goroutine);
}

/* Reads goid and labels again unless the guess was right: assembly may use the register for another
 * purpose. */
static void read_goroutine(struct gothread *t, pid_t tid, uint64_t curg, bool guessed)
{
	struct memory_piece p = goroutine_piece(t, curg);

	if (p.len && ((guessed && t->guess == curg) || go_thread_gather(tid, &p, 1)))
		fill_goroutine(t->rt, curg, t->goroutine_bytes, &t->goroutine);
}

void gothread_finish(struct gothread *t, pid_t tid, uint64_t tp, const struct regs *at, size_t got,
		     bool guessed, struct go_stacks *s)
{
	const struct goruntime *rt = t->rt;
	uint64_t pc = at->r[DWARF_PC], sp = at->r[DWARF_SP];
	uint64_t curg;

	memset(s, 0, sizeof(*s));
	memset(&t->goroutine, 0, sizeof(t->goroutine));
	if (!rt || (!has_got(t, tp, got) && !find_m(t, tid, tp))) {
		memset(&t->place, 0, sizeof(t->place));
		return;
	}
	fill_stack(rt, t->place.g0, t->g0, &s->g0);
	if (t->place.gsignal)
		fill_stack(rt, t->place.gsignal, t->gsignal, &s->gsignal);
	s->vdso_sp = memory_word(t->m, rt->m.vdso_sp);
	s->vdso_pc = memory_word(t->m, rt->m.vdso_pc);
	/* If m.isextra is not known, a callback is assumed, so that what a walk of C's frames would
	 * need is copied. */
	s->in_callback = (uint32_t)memory_word(t->m, rt->m.ncgo) || rt->m.isextra == GO_NO_FIELD ||
			 t->m[rt->m.isextra];
	s->known = s->g0.g;
	s->g = tp ? t->g : 0;
	if (!s->known)
		return;
	curg = memory_word(t->m, rt->m.curg);
	if (!needs_more(t, s, tp, pc, sp)) {
		/* sp is not on the m's own stacks, so it is somewhere on the goroutine's. */
		s->goroutine = (struct go_stack){ .g = curg, .low = sp, .high = sp + STACK_MAX };
		read_goroutine(t, tid, curg, guessed);
	} else if (curg) {
		read_curg(t, tid, curg, s);
	}
}

/* The list of ms. */

enum { MS_MAX = 1 << 16, LISTED_BYTES_MAX = 1024 };

/* Bytes of an m up to the end of the last needed field; 0: one of the fields is not known. */
static uint32_t listed_bytes(const struct goruntime *rt)
{
	const uint32_t fields[] = { rt->m.g0, rt->m.gsignal, rt->m.procid, rt->m.alllink };
	uint32_t end = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (fields[i] > LISTED_BYTES_MAX - 8)
			return 0;
		end = fields[i] + 8 > end ? fields[i] + 8 : end;
	}
	return end;
}

/* An m whose g0 does not lead back to it ends the reading as an error. */
int gothread_list(const struct goruntime *rt, uint64_t all_ms, const struct memory *memory,
		  struct buffer *ms)
{
	uint32_t len = listed_bytes(rt);
	uint8_t bytes[LISTED_BYTES_MAX];
	uint64_t at, back;
	int rc = !len || memory_read_u64(memory, all_ms, &at) ? ERR_FORMAT : 0;

	for (size_t i = 0; !rc && at; i++) {
		struct gothread_listed m = { .place = { .m = at } };

		if (i == MS_MAX || memory->read(memory, at, bytes, len))
			return ERR_FORMAT;
		m.place.g0 = memory_word(bytes, rt->m.g0);
		/* An m's g0 leads back to it (allocm). */
		if (memory_read_u64(memory, m.place.g0 + rt->g.m, &back) || back != at)
			return ERR_FORMAT;
		m.thread = memory_word(bytes, rt->m.procid);
		m.place.gsignal = memory_word(bytes, rt->m.gsignal);
		at = memory_word(bytes, rt->m.alllink);
		if (m.thread)
			rc = buffer_add(ms, &m, sizeof(m));
	}
	return rc;
}
