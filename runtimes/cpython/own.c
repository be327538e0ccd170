/*
 * The state that was reported for the thread may be another one by now. PyGILState_Ensure and
 * _Release make and end a state for each call from a thread that Python has not started, and put
 * new ones at the head of their interpreter's list. So where the known state is not the thread's,
 * the first of each list are looked at.
 *
 * A thread that runs code of a second interpreter has a state in each of them, and frames in both.
 * Interpreters are few, and the main one is the last on their list. Where each of many threads has
 * a state in each of them (uwsgi, mod_wsgi), the one in use holds the GIL.
 *
 * Up to 3.11, code of an interpreter may be run with the state of the thread that made it
 * (_xxsubinterpreters). Where a state has a cframe, that one lies on the C stack of the thread that
 * uses the state, and decides.
 */
#include "runtimes/cpython/own.h"

#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/common/pthread.h"
#include "runtimes/cpython/chain.h"
#include "runtimes/cpython/layout.h"

enum {
	NEWEST_MAX = 6, /* states of all lists that are looked at */
	INTERPRETERS_MAX = 8,
};

struct own_search {
	const struct cpython *python;
	struct interp_copy *copy;
	const struct interp_thread *thread;
	int left; /* states that may be looked at */
};

/* The thread pointer decides where it is known. A state that was never deleted may have the number
 * of a thread that has ended, and a child that was made by fork(2) in C has its parent's
 * native_thread_id. */
static bool own_is_own(const struct own_search *s, const uint8_t *state)
{
	const struct cpython_thread_layout *l = &s->python->layout.thread;
	uint64_t self = memory_word(state, l->id);
	const void *bytes;

	if (PTHREAD_SELF_IS_TP && s->thread->tp)
		return self == s->thread->tp;
	if (l->native_id != CPYTHON_NONE)
		return memory_word(state, l->native_id) == (uint64_t)s->thread->own_tid;
	bytes = interp_copy_need(s->copy, self, PTHREAD_BYTES);
	return bytes && pthread_tid(bytes, self) == s->thread->own_tid;
}

static void own_read_state(struct own_search *s, uint64_t addr, struct cpython_own *own)
{
	*own = (struct cpython_own){ .addr = addr };
	if (addr)
		own->bytes = interp_copy_need(s->copy, addr, s->python->layout.thread.size);
}

static bool read_own(struct own_search *s, uint64_t addr, struct cpython_own *own)
{
	own_read_state(s, addr, own);
	return own->bytes && own_is_own(s, own->bytes);
}

/* Where the state's newest cframe lies. */
enum cframe_place { CFRAME_NONE, CFRAME_ON_STACK, CFRAME_ELSEWHERE };

/* The thread's C stack, as far as it was copied. */
static enum cframe_place place_of_cframe(const struct own_search *s, const struct cpython_own *own)
{
	const struct cpython_thread_layout *l = &s->python->layout.thread;
	const struct memory *stack = s->copy->stack;
	uint64_t cframe;

	if (l->cframe == CPYTHON_NONE || !stack)
		return CFRAME_NONE;
	cframe = memory_word(own->bytes, l->cframe);
	if (!cframe || cframe == own->addr + l->root_cframe)
		return CFRAME_NONE;
	return cframe - stack->start < stack->len ? CFRAME_ON_STACK : CFRAME_ELSEWHERE;
}

/* Leaves out states that another thread uses. One alone stays: the stack may have been copied in
 * part, or be another one than that of the thread. */
static unsigned drop_used_elsewhere(const struct own_search *s, struct cpython_own *own,
				    unsigned count)
{
	unsigned kept = 0;

	for (unsigned i = 0; count > 1 && i < count; i++)
		if (place_of_cframe(s, &own[i]) != CFRAME_ELSEWHERE)
			own[kept++] = own[i];
	return kept ? kept : count;
}

static uint64_t interp_of(const struct own_search *s, const struct cpython_own *own)
{
	return memory_word(own->bytes, s->python->layout.thread.interp);
}

/* Is it on its interpreter's list? What was freed is not. */
static bool is_listed(struct own_search *s, const struct cpython_own *own)
{
	const struct cpython_layout *l = &s->python->layout;
	uint64_t prev = memory_word(own->bytes, l->thread.prev), link;
	uint64_t at = prev ? prev + l->thread.next : interp_of(s, own) + l->interp.threads;

	return interp_copy_word(s->copy, at, &link) && link == own->addr;
}

/* Looks at the first states of an interpreter. False: no state is the thread's. *more: there are
 * states that were not looked at. */
static bool search_interp(struct own_search *s, uint64_t interp, struct cpython_own *own,
			  bool *more)
{
	const struct cpython_layout *l = &s->python->layout;
	uint64_t state;

	*more = true;
	if (!interp_copy_word(s->copy, interp + l->interp.threads, &state))
		return false;
	for (; state; state = memory_word(own->bytes, l->thread.next)) {
		if (!s->left)
			return false;
		s->left--;
		if (read_own(s, state, own))
			return true;
		if (!own->bytes)
			return false;
	}
	*more = false;
	return false;
}

/* Appends the states of interpreters other than that of own[0]. */
static unsigned search_interps(struct own_search *s, struct cpython_own *own, unsigned count,
			       bool *more)
{
	uint64_t interp, first = count ? interp_of(s, &own[0]) : 0;

	*more = false;
	if (!interp_copy_word(s->copy, s->python->head, &interp))
		return count;
	if (interp == first && interp == s->python->main)
		return count;
	for (int n = 0; interp && n < INTERPRETERS_MAX && count < CPYTHON_OWN_MAX; n++) {
		bool more_here = false;

		if (interp != first)
			count += search_interp(s, interp, &own[count], &more_here);
		*more |= more_here;
		if (!interp_copy_word(s->copy, interp + s->python->layout.interp.next, &interp))
			break;
	}
	return count;
}

static bool own_is_used(const struct own_search *s, const struct cpython_own *own)
{
	return own_is_own(s, own->bytes) || place_of_cframe(s, own) == CFRAME_ON_STACK;
}

/* Appends the state that holds the GIL, or held it last, if it is another one of the thread's. */
static unsigned own_add_holder(struct own_search *s, struct cpython_own *own, unsigned count)
{
	const struct cpython_layout *l = &s->python->layout;
	uint64_t gil = s->python->gil, interp, holder;

	if (count == CPYTHON_OWN_MAX || !interp_copy_word(s->copy, s->python->head, &interp) ||
	    interp == s->python->main || l->gil_holder == CPYTHON_NONE)
		return count;
	if (l->interp.gil != CPYTHON_NONE &&
	    !interp_copy_word(s->copy, interp + l->interp.gil, &gil))
		return count;
	if (!gil || !interp_copy_word(s->copy, gil + l->gil_holder, &holder))
		return count;
	for (unsigned i = 0; i < count; i++)
		if (own[i].addr == holder)
			return count;
	own_read_state(s, holder, &own[count]);
	return count +
	       (own[count].bytes && own_is_used(s, &own[count]) && is_listed(s, &own[count]));
}

/* Where the thread has no state now, the known one is not lost: its next one is likely to have the
 * same address. */
unsigned cpython_own_states(const struct cpython *python, struct interp_copy *copy,
			    const struct interp_thread *thread, struct cpython_own *own, bool *lost)
{
	struct own_search s = { python, copy, thread, NEWEST_MAX };
	unsigned count = read_own(&s, thread->state, &own[0]);
	bool more;

	if (count && !cpython_chain_any(python, copy, own[0].addr, own[0].bytes))
		count = is_listed(&s, &own[0]);
	count = search_interps(&s, own, count, &more);
	count = drop_used_elsewhere(&s, own, own_add_holder(&s, own, count));
	*lost = !count && more;
	return count;
}
