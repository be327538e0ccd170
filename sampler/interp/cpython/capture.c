/*
 * A capture: the thread's state, its chain of frames, what proves their code objects, the GIL.
 *
 * The state that was reported for the thread may be another one by now. PyGILState_Ensure and
 * _Release make and end a state for each call from a thread that Python has not started, and put
 * new ones at the head of their interpreter's list. So where the known state is not the thread's, the
 * first of that list are looked at.
 *
 * A thread can have several states, one in each interpreter: PyThreadState_Swap makes another one the
 * thread's, and the frames of the one before stay on the C stack (Py_NewInterpreter, uwsgi, mod_wsgi).
 * So in a process with more than one interpreter, the last holder of each GIL and the newest state of
 * each interpreter are looked at, too. Interpreters are listed from the newest on, which calls come
 * from the older ones.
 */
#include "sampler/interp/cpython/capture.h"

#include <string.h>

#include "base/process/memory.h"
#include "sampler/interp/common/copy.h"
#include "sampler/interp/cpython/chain.h"
#include "sampler/interp/cpython/code.h"
#include "sampler/interp/cpython/layout.h"
#include "sampler/interp/common/pthread.h"
#include "sampler/unwind/table/regs.h"

enum {
	NEWEST_MAX = 6, /* states of the list that are looked at */
	STATES_MAX = 4, /* of one thread */
	INTERPRETERS_MAX = 8,
	CODES_BATCH = 64, /* code objects that are copied together */
	GIL_BYTES = 256,  /* struct _gil_runtime_state is smaller (pycore_gil.h) */
};

struct capture {
	const struct cpython *python;
	struct interp_copy *copy;
	const struct interp_thread *thread;
	struct interp_walk *out;
	uint64_t state;
	const uint8_t *bytes;	     /* of the state */
	uint64_t states[STATES_MAX]; /* that are walked, the innermost first */
	unsigned count;
};

/* The thread's states. */

/* Both numbers have to be the thread's, as far as they are known: a state that was never deleted may
 * have the number of a thread that has ended, and a child that was made by fork(2) in C has its
 * parent's native_thread_id. */
static bool is_own(struct capture *c, const uint8_t *state)
{
	const struct cpython_thread_layout *l = &c->python->layout.thread;
	uint64_t self = memory_word(state, l->id);
	const void *bytes;

	if (PTHREAD_SELF_IS_TP && c->thread->tp)
		return self == c->thread->tp;
	if (l->native_id != CPYTHON_NONE)
		return memory_word(state, l->native_id) == (uint64_t)c->thread->own_tid;
	bytes = interp_copy_need(c->copy, self, PTHREAD_BYTES);
	return bytes && pthread_tid(bytes, self) == c->thread->own_tid;
}

static const uint8_t *read_state(struct capture *c, uint64_t state)
{
	return state ? interp_copy_need(c->copy, state, c->python->layout.thread.size) : NULL;
}

/* Is it on its interpreter's list? What was freed is not. */
static bool is_listed(struct capture *c)
{
	const struct cpython_layout *l = &c->python->layout;
	uint64_t prev = memory_word(c->bytes, l->thread.prev), link;
	uint64_t at = prev ? prev + l->thread.next :
			     memory_word(c->bytes, l->thread.interp) + l->interp.threads;

	return interp_copy_word(c->copy, at, &link) && link == c->state;
}

static bool use_state(struct capture *c, uint64_t state)
{
	c->state = state;
	c->bytes = read_state(c, state);
	return c->bytes && is_own(c, c->bytes);
}

/* Sets *more if there are states that were not looked at. */
static bool search_newest(struct capture *c, bool *more)
{
	const struct cpython_layout *l = &c->python->layout;
	uint64_t interp, state;
	int left = NEWEST_MAX;

	*more = true;
	if (!interp_copy_word(c->copy, c->python->head, &interp))
		return false;
	while (interp) {
		if (!interp_copy_word(c->copy, interp + l->interp.threads, &state))
			return false;
		for (; state; state = memory_word(c->bytes, l->thread.next)) {
			if (!left--)
				return false;
			if (use_state(c, state))
				return true;
			if (!c->bytes)
				return false;
		}
		if (!interp_copy_word(c->copy, interp + l->interp.next, &interp))
			return false;
	}
	*more = false;
	return false;
}

static bool has_frames(struct capture *c)
{
	return cpython_chain_any(c->python, c->copy, c->state, c->bytes);
}

static uint64_t gil_of(struct capture *c, uint64_t interp)
{
	const struct cpython_layout *l = &c->python->layout;
	uint64_t gil;

	if (l->interp.gil == CPYTHON_NONE)
		return c->python->gil;
	return interp_copy_word(c->copy, interp + l->interp.gil, &gil) ? gil : 0;
}

/* Notes a state if it is one of the thread's and has frames. */
static void note_state(struct capture *c, uint64_t state)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->states[i] == state)
			return;
	if (c->count < STATES_MAX && use_state(c, state) && is_listed(c) && has_frames(c))
		c->states[c->count++] = state;
}

static void note_holder(struct capture *c, uint64_t interp, uint64_t *gil_before)
{
	uint64_t gil = gil_of(c, interp), holder;

	if (gil && gil != *gil_before && c->python->layout.gil_holder != CPYTHON_NONE &&
	    interp_copy_word(c->copy, gil + c->python->layout.gil_holder, &holder))
		note_state(c, holder);
	*gil_before = gil;
}

static void note_states(struct capture *c, uint64_t known, uint64_t known_interp)
{
	const struct cpython_layout *l = &c->python->layout;
	uint64_t interp, newest, gil = 0;

	if (!interp_copy_word(c->copy, c->python->head, &interp))
		interp = 0;
	for (int left = INTERPRETERS_MAX; interp && left; left--) {
		note_holder(c, interp, &gil);
		if (interp == known_interp)
			note_state(c, known);
		else if (interp_copy_word(c->copy, interp + l->interp.threads, &newest))
			note_state(c, newest);
		if (!interp_copy_word(c->copy, interp + l->interp.next, &interp))
			break;
	}
	note_state(c, known);
}

static bool is_only_interpreter(struct capture *c)
{
	uint64_t interp, next;

	return interp_copy_word(c->copy, c->python->head, &interp) &&
	       interp_copy_word(c->copy, interp + c->python->layout.interp.next, &next) && !next;
}

/* Where the thread has no state now, the known one stays: the next is likely to have its address. */
static bool find_states(struct capture *c)
{
	uint64_t known = c->thread->state;
	bool own = use_state(c, known) && (has_frames(c) || is_listed(c));

	if (!is_only_interpreter(c)) {
		note_states(c, known,
			    own ? memory_word(c->bytes, c->python->layout.thread.interp) : 0);
	}
	if (!c->count && (own || search_newest(c, &c->out->lost)))
		c->states[c->count++] = own ? known : c->state;
	if (c->count && !own)
		c->out->state = c->states[c->count - 1];
	c->out->lost &= !c->count;
	return c->count;
}

/* Code objects. */

static bool is_among(const uint64_t *codes, size_t count, uint64_t code)
{
	for (size_t i = 0; i < count; i++)
		if (codes[i] == code)
			return true;
	return false;
}

static void copy_new_codes(struct capture *c)
{
	uint64_t codes[CODES_BATCH];
	size_t count = 0;

	for (size_t i = 0; i < c->out->count; i++) {
		uint64_t code = c->out->frames[i].code;

		if (!code || !interp_copy_is_new(c->copy, code) || is_among(codes, count, code))
			continue;
		codes[count++] = code;
		if (count == CODES_BATCH) {
			cpython_copy_codes(c->python, c->copy, codes, count);
			count = 0;
		}
	}
	if (count)
		cpython_copy_codes(c->python, c->copy, codes, count);
}

/* Of a known code object, and of one for which no read is left, this is proven later, by its
 * identity. */
static bool may_be_code(struct capture *c, uint64_t code)
{
	bool cut = c->copy->walk.cut, may_be;
	uint64_t type;

	if (!code || code & 7)
		return false;
	if (!interp_copy_is_new(c->copy, code))
		return true;
	c->copy->walk.cut = false;
	if (interp_copy_word(c->copy, code + c->python->layout.object.type, &type))
		may_be = type == c->python->code_type;
	else
		may_be = c->copy->walk.cut;
	c->copy->walk.cut = cut; /* that tells of the frames, which are all there */
	return may_be;
}

/* The newest frame may be under construction, so that its code pointer is not set yet. No other may
 * be. */
static void check_codes(struct capture *c)
{
	struct interp_walk *out = c->out;

	if (out->count && !may_be_code(c, out->frames[0].code)) {
		out->dropped++;
		out->count--;
		memmove(out->frames, out->frames + 1, out->count * sizeof(*out->frames));
	}
	for (size_t i = 0; i < out->count; i++)
		if (!may_be_code(c, out->frames[i].code)) {
			out->broken = true;
			out->count = i;
		}
}

/* The GIL. */

#if defined(__x86_64__)
/* Is it in a system call, futex(2), on a word of that structure? */
static bool waits_in(struct capture *c, uint64_t gil)
{
	static const uint8_t syscall[] = { 0x0f, 0x05 };
	const struct regs *r = c->thread->regs;
	const void *before;

	if (!r || r->unknown >> DWARF_RDI & 1 || r->r[DWARF_RDI] - gil >= GIL_BYTES)
		return false;
	before = interp_copy_need(c->copy, r->r[DWARF_PC] - sizeof(syscall), sizeof(syscall));
	return before && !memcmp(before, syscall, sizeof(syscall));
}
#else
static bool waits_in(struct capture *c, uint64_t gil)
{
	(void)c, (void)gil;
	return false;
}
#endif

static uint32_t half_word(const void *bytes, size_t at)
{
	uint32_t value;

	memcpy(&value, (const char *)bytes + at, sizeof(value));
	return value;
}

static void look_at_gil(struct capture *c)
{
	const struct cpython_layout *l = &c->python->layout;
	const void *bytes;
	uint64_t gil;

	if (c->python->free_threaded)
		return;
	if (l->thread.holds_gil != CPYTHON_NONE) {
		c->out->gil_held = half_word(c->bytes, l->thread.holds_gil);
		c->out->gil_waits = !c->out->gil_held &&
				    half_word(c->bytes, l->thread.gil_requested);
		return;
	}
	gil = gil_of(c, memory_word(c->bytes, l->thread.interp));
	bytes = gil ? interp_copy_need(c->copy, gil, l->gil_locked + 8) : NULL;
	if (!bytes)
		return;
	c->out->gil_held = half_word(bytes, l->gil_locked) == 1 &&
			   memory_word(bytes, l->gil_holder) == c->state;
	c->out->gil_waits = !c->out->gil_held && waits_in(c, gil);
}

static void walk_state(struct capture *c)
{
	struct interp_walk *all = c->out;
	struct interp_walk own = { .frames = all->frames + all->count,
				   .room = all->room - all->count };

	c->out = &own;
	look_at_gil(c);
	cpython_chain_walk(c->python, c->copy, c->state, c->bytes, &own);
	copy_new_codes(c);
	check_codes(c);
	c->out = all;
	all->count += own.count;
	all->cut |= own.cut;
	all->broken |= own.broken;
	all->dropped += own.dropped;
	all->gil_held |= own.gil_held;
	all->gil_waits |= own.gil_waits;
}

void cpython_capture(const void *rt, struct interp_copy *copy, const struct interp_thread *thread,
		     struct interp_walk *out)
{
	struct capture c = { .python = rt, .copy = copy, .thread = thread, .out = out };

	if (!find_states(&c))
		return;
	for (unsigned i = 0; i < c.count; i++)
		if (use_state(&c, c.states[i]))
			walk_state(&c);
}
