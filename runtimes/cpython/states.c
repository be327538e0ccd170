/* Interpreters and their states are linked lists, followed with bounds. A state counts only if it
 * leads back to its interpreter. */
#include "runtimes/cpython/states.h"

#include "base/buffer.h"
#include "base/process/memory.h"
#include "runtimes/common/runtime.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/common/pthread.h"

/* Further entries are not read: the list may be a loop. */
enum { INTERPRETERS_MAX = 1024, STATES_MAX = 1 << 16 };

static bool states_read_state(const struct cpython *python, const struct memory *memory,
			      struct cpython_state *s)
{
	const struct cpython_thread_layout *l = &python->layout.thread;

	return l->size <= sizeof(s->bytes) && !memory->read(memory, s->addr, s->bytes, l->size) &&
	       memory_word(s->bytes, l->interp) == s->interp;
}

/* Fills `interps` in the order of the list, and returns how many there are. */
static unsigned read_interps(const struct cpython *python, const struct memory *memory,
			     uint64_t *interps)
{
	uint64_t at;
	unsigned count = 0;

	if (memory_read_u64(memory, python->head, &at))
		return 0;
	while (at && count < INTERPRETERS_MAX) {
		interps[count++] = at;
		if (memory_read_u64(memory, at + python->layout.interp.next, &at))
			break;
	}
	return count;
}

uint64_t cpython_main_interp(const struct cpython *python, const struct memory *memory)
{
	uint64_t interps[INTERPRETERS_MAX];
	unsigned count = read_interps(python, memory, interps);

	return count && count < INTERPRETERS_MAX ? interps[count - 1] : 0;
}

unsigned cpython_states_visit(const struct cpython *python, const struct memory *memory,
			      bool (*visit)(void *data, const struct cpython_state *state),
			      void *data)
{
	const struct cpython_layout *l = &python->layout;
	uint64_t interps[INTERPRETERS_MAX];
	unsigned count = read_interps(python, memory, interps), left = STATES_MAX, strange = 0;
	struct cpython_state s;

	while (count--) {
		s.interp = interps[count];
		if (memory_read_u64(memory, s.interp + l->interp.threads, &s.addr))
			return strange + 1;
		for (; s.addr && left; left--) {
			if (!states_read_state(python, memory, &s)) {
				strange++;
				break;
			}
			if (!visit(data, &s))
				return strange;
			s.addr = memory_word(s.bytes, l->thread.next);
		}
	}
	return strange;
}

struct listing {
	const struct cpython *python;
	const struct memory *memory;
	struct buffer *states;
	int rc;
};

static bool list_state(void *data, const struct cpython_state *state)
{
	struct listing *l = data;
	const struct cpython_thread_layout *t = &l->python->layout.thread;
	struct interp_state s = { .at = state->addr };
	uint64_t self = memory_word(state->bytes, t->id), id = 0;

	if (t->native_id != CPYTHON_NONE)
		id = memory_word(state->bytes, t->native_id);
	s.libc_tid = self ? pthread_read_tid(l->memory, self) : 0;
	s.own_tid = id ? pthread_plausible_tid(id) : s.libc_tid;
	s.tp = PTHREAD_SELF_IS_TP ? self : 0;
	if (s.own_tid || s.tp)
		l->rc = buffer_add(l->states, &s, sizeof(s));
	return !l->rc;
}

int cpython_threads(const void *rt, const struct memory *memory, struct buffer *states)
{
	struct listing l = { rt, memory, states, 0 };

	cpython_states_visit(rt, memory, list_state, &l);
	return l.rc;
}
