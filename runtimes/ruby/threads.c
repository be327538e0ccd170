/*
 * Ruby's threads: the lists of ractors, and of the threads of each (ractor_core.h, vm_core.h).
 *
 * How far into a ractor its lists are depends on the sizes of libc's mutexes. So these places are
 * found once, from the main ractor and the main thread, which the state names.
 */

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/pthread.h"
#include "runtimes/ruby/runtime.h"

enum {
	RACTOR_BYTES = 2048, /* in which the lists are */
	RACTORS_MAX = 4096,
	THREADS_MAX = 1 << 16,
};

/* Does the list with this head hold the node? */
static bool ruby_threads_holds(const struct memory *memory, uint64_t head, uint64_t node)
{
	uint64_t at = head;
	bool found = false;

	for (unsigned i = 0; i < THREADS_MAX; i++) {
		if (!ruby_is_object(at) || memory_read_u64(memory, at, &at))
			return false;
		if (at == head)
			return found;
		found |= at == node;
	}
	return false;
}

/* A ractor's node in the list of ractors is the one within it. */
static bool find_node(struct ruby_runtime *rt, const struct memory *memory, uint64_t ractor)
{
	uint64_t head = rt->vm + VM_RACTORS, at = head;

	for (unsigned i = 0; i < RACTORS_MAX; i++) {
		if (memory_read_u64(memory, at, &at) || at == head)
			return false;
		if (at - ractor < RACTOR_BYTES) {
			rt->ractor_node = (uint16_t)(at - ractor);
			return true;
		}
	}
	return false;
}

bool ruby_find_lists(struct ruby_runtime *rt, const struct memory *memory)
{
	uint64_t ractor, main_thread, next;

	if (memory_read_u64(memory, rt->vm + VM_MAIN_RACTOR, &ractor) ||
	    memory_read_u64(memory, rt->vm + VM_MAIN_THREAD, &main_thread) ||
	    !find_node(rt, memory, ractor))
		return false;
	for (uint16_t at = 0; at < RACTOR_BYTES; at += 8)
		if (!memory_read_u64(memory, ractor + at, &next) && ruby_is_object(next) &&
		    ruby_threads_holds(memory, ractor + at, main_thread)) {
			rt->ractor_threads = at;
			return true;
		}
	return false;
}

static pid_t ruby_threads_number_of(const struct ruby_runtime *rt, const struct memory *memory,
				    const char *native, uint64_t self)
{
	if (rt->layout->tid)
		return pthread_plausible_tid(memory_u32(native, rt->layout->tid));
	return pthread_read_tid(memory, self);
}

static bool ruby_threads_describe(const struct ruby_runtime *rt, const struct memory *memory,
				  uint64_t thread, struct interp_state *state)
{
	const struct ruby_layout *l = rt->layout;
	char bytes[THREAD_BYTES];
	uint64_t self;

	*state = (struct interp_state){ .at = thread };
	if (memory->read(memory, thread, bytes, sizeof(bytes)) ||
	    memory_word(bytes, THREAD_VM) != rt->vm)
		return false;
	if (l->native &&
	    memory->read(memory, memory_word(bytes, THREAD_NATIVE), bytes, NATIVE_BYTES))
		return false;
	self = memory_word(bytes, l->pthread);
	state->tp = PTHREAD_SELF_IS_TP ? self : 0;
	state->own_tid = ruby_threads_number_of(rt, memory, bytes, self);
	return state->tp || state->own_tid;
}

static int ruby_threads_list_threads(const struct ruby_runtime *rt, const struct memory *memory,
				     uint64_t ractor, struct buffer *states)
{
	uint64_t head = ractor + rt->ractor_threads, at = head;
	struct interp_state state;

	for (unsigned i = 0; i < THREADS_MAX; i++) {
		if (memory_read_u64(memory, at, &at) || !ruby_is_object(at) || at == head)
			return 0;
		if (ruby_threads_describe(rt, memory, at, &state) &&
		    buffer_add(states, &state, sizeof(state)))
			return ERR_NOMEM;
	}
	return 0;
}

int ruby_threads(const void *of, const struct memory *memory, struct buffer *states)
{
	const struct ruby_runtime *rt = of;
	uint64_t head = rt->vm + VM_RACTORS, at = head;

	for (unsigned i = 0; i < RACTORS_MAX; i++) {
		if (memory_read_u64(memory, at, &at) || !ruby_is_object(at) || at == head)
			return 0;
		if (ruby_threads_list_threads(rt, memory, at - rt->ractor_node, states))
			return ERR_NOMEM;
	}
	return 0;
}
