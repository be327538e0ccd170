/* Live data that confirm or contradict what was found of a CPython, and the lists of its threads. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/runtime.h"
#include "runtimes/cpython/find.h"
#include "runtimes/cpython/releases.h"
#include "runtimes/cpython/states.h"

enum { STATES = 5, TP = 0x7f00dead0000, TID = 4242, CHUNK = 4096 };

static struct cpython python;
static struct memory_live live;
static struct error why;
static struct buffer states;
static uint8_t runtime[8], interp[2][8192], state[STATES][1024], frame[3][128], code[512], type[64],
	other_type[64], gil[64];

static uint64_t at(const void *object)
{
	return (uintptr_t)object;
}

static void put(uint8_t *to, uint64_t value, unsigned size)
{
	memcpy(to, &value, size);
}

/* State number n, first on the list of interpreter number `of`. */
static void put_state(int n, int of)
{
	const struct cpython_thread_layout *l = &python.layout.thread;
	uint8_t *head = interp[of] + python.layout.interp.threads;
	uint64_t next;

	memcpy(&next, head, 8);
	put(state[n] + l->interp, at(interp[of]), 8);
	put(state[n] + l->next, next, 8);
	put(state[n] + l->id, TP + 0x1000 * (uint64_t)n, 8);
	if (l->native_id != CPYTHON_NONE)
		put(state[n] + l->native_id, TID + (uint64_t)n, 8);
	put(head, at(state[n]), 8);
}

static void set_type(const uint8_t *of)
{
	static const char name[] = "code";

	put(type + python.layout.object.type_name, at(name), 8);
	put(code + python.layout.object.type, at(of), 8);
}

/* An interpreter with one thread that has three frames. */
static void use(uint16_t version)
{
	memset(&python, 0, sizeof(python));
	memset(interp, 0, sizeof(interp));
	memset(state, 0, sizeof(state));
	memset(frame, 0, sizeof(frame));
	python.version = version;
	cr_assert_eq(cpython_layout_set(&python, NULL), 0);
	strcpy(python.name, "CPython 3.x");
	python.head = at(runtime);
	python.code_type = at(type);
	put(runtime, at(interp[0]), 8);
	set_type(type);
	put_state(0, 0);
	for (int i = 0; i < 3; i++) {
		put(frame[i] + python.layout.frame.code, at(code), 8);
		put(frame[i] + python.layout.frame.previous, i < 2 ? at(frame[i + 1]) : 0, 8);
	}
	put(state[0] + python.layout.thread.frame, at(frame[0]), 8);
	memory_live_init(&live, getpid());
	why = (struct error){ 0 };
}

static int check(void)
{
	return cpython_check(&python, &live.memory, &why);
}

TestSuite(cpython_check);

Test(cpython_check, what_is_as_the_release_has_it_is_believed)
{
	static const uint16_t releases[] = { CPYTHON_3_6, CPYTHON_3_8, CPYTHON_3_13, CPYTHON_3_15 };

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		use(releases[i]);
		cr_assert_eq(check(), 0, "%x: %s", releases[i], why.text);
		cr_assert_eq(python.main, at(interp[0]));
		cr_assert_eq(check(), 0, "%x", releases[i]);
	}
}

Test(cpython_check, without_an_interpreter_or_a_thread_it_is_not_ready)
{
	use(CPYTHON_3_13);
	put(interp[0] + python.layout.interp.threads, 0, 8);
	cr_assert_eq(check(), ERR_BUSY);
	put(runtime, 0, 8);
	cr_assert_eq(check(), ERR_BUSY);
}

Test(cpython_check, a_type_that_is_not_exported_is_known_by_its_name)
{
	use(CPYTHON_3_13);
	python.code_type = 0;
	cr_assert_eq(check(), 0);
	cr_assert_eq(python.code_type, at(type));
	/* a program that has its own copy of the exported one */
	python.code_type = at(other_type);
	cr_assert_eq(check(), 0);
	cr_assert_eq(python.code_type, at(type));
}

Test(cpython_check, it_waits_for_a_frame_that_shows_the_type)
{
	use(CPYTHON_3_13);
	python.code_type = 0;
	put(state[0] + python.layout.thread.frame, 0, 8);
	cr_assert_eq(check(), ERR_BUSY);
	python.code_type = at(type);
	cr_assert_eq(check(), 0);
}

Test(cpython_check, frames_without_code_objects_are_refused)
{
	use(CPYTHON_3_13);
	set_type(other_type);
	cr_assert_eq(check(), ERR_FORMAT);
	cr_assert_str_eq(why.text, "CPython 3.x: its frames are not where this release has them");
}

Test(cpython_check, states_that_do_not_lead_back_are_refused)
{
	use(CPYTHON_3_13);
	put(state[0] + python.layout.thread.interp, at(interp[1]), 8);
	cr_assert_eq(check(), ERR_FORMAT);
	cr_assert_str_eq(why.text,
			 "CPython 3.x: its thread states are not where this release has them");
}

Test(cpython_check, an_unknown_release_needs_a_whole_chain)
{
	use(CPYTHON_3_15);
	put(frame[2] + python.layout.frame.previous, at(frame[0]), 8);
	cr_assert_eq(check(), 0);
	python.is_new = true;
	cr_assert_eq(check(), ERR_FORMAT);
	put(frame[2] + python.layout.frame.previous, 8, 8);
	cr_assert_eq(check(), ERR_FORMAT);
	put(state[0] + python.layout.thread.frame, 0, 8);
	cr_assert_eq(check(), ERR_BUSY);
}

Test(cpython_check, a_gil_that_makes_no_sense_is_not_used)
{
	use(CPYTHON_3_8);
	python.gil = at(gil);
	put(gil + python.layout.gil_holder, at(state[0]), 8);
	put(gil + python.layout.gil_locked, 1, 4);
	cr_assert_eq(check(), 0);
	cr_assert_eq(python.gil, at(gil));
	put(gil + python.layout.gil_locked, 77, 4);
	cr_assert_eq(check(), 0);
	cr_assert_eq(python.gil, 0);
}

/* Threads. */

static size_t list(void)
{
	states.len = 0;
	cr_assert_eq(cpython_threads(&python, &live.memory, &states), 0);
	return states.len / sizeof(struct interp_state);
}

TestSuite(cpython_threads);

Test(cpython_threads, are_those_of_all_interpreters_the_main_one_first)
{
	const struct interp_state *s;

	use(CPYTHON_3_13);
	put(runtime, at(interp[1]), 8);
	put(interp[1] + python.layout.interp.next, at(interp[0]), 8);
	put_state(1, 0);
	put_state(2, 1);
	cr_assert_eq(list(), 3);
	s = (const struct interp_state *)states.data;
	cr_assert(s[0].at == at(state[1]) && s[0].own_tid == TID + 1);
	cr_assert(s[1].at == at(state[0]) && s[1].own_tid == TID);
	cr_assert(s[2].at == at(state[2]) && s[2].own_tid == TID + 2);
	buffer_release(&states);
}

Test(cpython_threads, end_where_a_state_belongs_to_another_interpreter)
{
	use(CPYTHON_3_13);
	put_state(1, 0);
	put(state[0] + python.layout.thread.interp, at(interp[1]), 8);
	cr_assert_eq(list(), 1);
	buffer_release(&states);
}

Test(cpython_threads, are_bounded_where_a_list_is_a_loop)
{
	use(CPYTHON_3_13);
	put(state[0] + python.layout.thread.next, at(state[0]), 8);
	put(interp[0] + python.layout.interp.next, at(interp[0]), 8);
	cr_assert_leq(list(), 1 << 16);
	buffer_release(&states);
}

#if defined(__x86_64__)
Test(cpython_threads, have_their_number_from_glibc_where_python_has_none)
{
	static uint8_t thread[1024];
	const struct interp_state *s;

	use(CPYTHON_3_8);
	put(thread, at(thread), 8);
	put(thread + 16, at(thread), 8);
	put(thread + 720, TID, 4);
	put(state[0] + python.layout.thread.id, at(thread), 8);
	cr_assert_eq(list(), 1);
	s = (const struct interp_state *)states.data;
	cr_assert_eq(s->own_tid, TID);
	cr_assert_eq(s->tp, at(thread));
	put(thread + 16, 0, 8); /* another libc */
	cr_assert_eq(list(), 1);
	s = (const struct interp_state *)states.data;
	cr_assert_eq(s->own_tid, 0);
	buffer_release(&states);
}
#endif
