/*
 * All checks are of data that a running process may change. So a check that fails is repeated, and
 * fails only if it never held.
 *
 * A thread state leads back to its interpreter. A code object's type is called "code". For a
 * release that the table does not have, all frames of a thread have to lead to code objects, up to
 * the end of the chain.
 */
#include "runtimes/cpython/find.h"

#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/cpython/frame.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/cpython/states.h"

enum { TRIES = 5, FRAMES_MAX = 20000, FRAME_BYTES = 256, INTERPRETERS_MAX = 64 };

struct checking {
	struct cpython *python;
	const struct memory *memory;
	bool whole;	 /* check all frames of a chain, not the first one alone */
	unsigned states; /* thread states that belong to a thread */
	unsigned chains; /* of these, with a valid chain of frames */
	unsigned wrong;	 /* of these, with an invalid chain */
};

static bool cpython_check_read_frame(const struct checking *c, uint64_t addr,
				     struct cpython_frame *f)
{
	uint8_t bytes[FRAME_BYTES];
	size_t size = c->python->layout.frame.size;

	if (size > sizeof(bytes) || addr & 7 || c->memory->read(c->memory, addr, bytes, size))
		return false;
	cpython_frame_decode(c->python, bytes, f);
	return true;
}

/* A type that is not exported, or whose exported address is not the one in use because the program
 * has a copy (COPY relocation), is known by its name. */
static bool cpython_check_is_code(struct checking *c, uint64_t object)
{
	const struct cpython_object_layout *l = &c->python->layout.object;
	uint64_t type, text;
	char name[sizeof("code")];

	if (memory_read_u64(c->memory, object + l->type, &type))
		return false;
	if (type == c->python->code_type)
		return true;
	if (memory_read_u64(c->memory, type + l->type_name, &text) ||
	    c->memory->read(c->memory, text, name, sizeof(name)) ||
	    memcmp(name, "code", sizeof(name)) != 0)
		return false;
	c->python->code_type = type;
	return true;
}

static bool first_frame(const struct checking *c, const struct cpython_state *state,
			uint64_t *frame)
{
	const struct cpython_layout *l = &c->python->layout;
	uint64_t cframe;

	if (l->thread.frame != CPYTHON_NONE) {
		*frame = memory_word(state->bytes, l->thread.frame);
		return true;
	}
	cframe = memory_word(state->bytes, l->thread.cframe);
	return !memory_read_u64(c->memory, cframe + l->cframe_current, frame);
}

/* Returns the number of frames, at most 1 unless c->whole; -1: the chain is invalid. */
static int cpython_check_chain(struct checking *c, const struct cpython_state *state)
{
	struct cpython_frame f;
	int count = 0;
	uint64_t at;

	if (!first_frame(c, state, &at))
		return -1;
	for (unsigned n = 0; at && n < FRAMES_MAX; n++, at = f.previous) {
		if (!cpython_check_read_frame(c, at, &f) ||
		    (!f.is_shim && !cpython_check_is_code(c, f.code)))
			return -1;
		count += !f.is_shim;
		if (count && !c->whole)
			return 1;
	}
	return at ? -1 : count;
}

static bool check_state(void *data, const struct cpython_state *state)
{
	struct checking *c = data;
	const struct cpython_thread_layout *l = &c->python->layout.thread;
	int chain;

	if (!memory_word(state->bytes, l->id))
		return true; /* it does not belong to a thread yet */
	c->states++;
	if (!c->chains) {
		chain = cpython_check_chain(c, state);
		c->chains += chain > 0;
		c->wrong += chain < 0;
	}
	return true;
}

/* The GIL is locked or not, and its last holder leads to an interpreter. That state may be
 * deleted at any moment. */
static bool check_gil(const struct checking *c)
{
	const struct cpython_layout *l = &c->python->layout;
	uint64_t locked, holder, interp, head;

	if (memory_read_u64(c->memory, c->python->gil + l->gil_locked, &locked) ||
	    (uint32_t)locked > 1 ||
	    memory_read_u64(c->memory, c->python->gil + l->gil_holder, &holder))
		return false;
	if (memory_read_u64(c->memory, holder + l->thread.interp, &interp) ||
	    memory_read_u64(c->memory, c->python->head, &head))
		return false;
	for (int n = 0; head && head != interp && n < INTERPRETERS_MAX; n++)
		if (memory_read_u64(c->memory, head + l->interp.next, &head))
			return false;
	return head && head == interp;
}

int cpython_check(struct cpython *python, const struct memory *memory, struct error *why)
{
	bool strange = false, has_gil = false;
	struct checking c;

	for (int i = 0; i < TRIES; i++) {
		c = (struct checking){ .python = python,
				       .memory = memory,
				       .whole = python->is_new };
		has_gil = has_gil || !python->gil || check_gil(&c);
		strange = cpython_states_visit(python, memory, check_state, &c);
		if (c.chains && has_gil)
			break;
	}
	if (!has_gil)
		python->gil = 0;
	python->main = cpython_main_interp(python, memory);
	if (c.chains || (!python->is_new && !c.wrong && c.states && python->code_type))
		return 0;
	if (c.wrong || strange)
		return error_set(why, ERR_FORMAT, "%s: its %s are not where %s has them",
				 python->name, c.wrong ? "frames" : "thread states",
				 python->is_new ? "the last known release" : "this release");
	return ERR_BUSY;
}
