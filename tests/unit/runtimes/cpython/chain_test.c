/*
 * A CPython laid out in this process, as each release has it: its interpreters, the states of
 * threads, frames, code objects. Whole, and as hostile as memory can be.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/cpython/capture.h"
#include "runtimes/cpython/releases.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"

enum {
	TP = 0x7f00dead0000,
	TID = 4242,
	OTHERS = 16, /* states of other threads */
	CODES = 4,
	FRAMES = 16,
	FRAME = 128,
	CODE = 512,
	STATE = 1024,
	INTERP = 8192,
	CHUNK = 16384,
	C_STACK = 8192,
	SHIM = 3,
};

static struct cpython python;
static struct interp_copy copy;
static struct interp_plan plan;
static struct interp_known known;
static struct memory_bytes stack;
static uint8_t interp[2][INTERP], state[2][STATE], others[OTHERS][STATE], code[CODES][CODE],
	runtime[16], gil[64], type[8], chunk[CHUNK], heap[FRAMES][FRAME],
	c_stack[C_STACK]; /* where the loop's own structures are */
static uint8_t *nowhere;  /* memory that cannot be read */

static uint64_t at(const void *object)
{
	return (uintptr_t)object;
}

static void put(uint8_t *to, uint64_t value, unsigned size)
{
	memcpy(to, &value, size);
}

static void put_state(uint8_t *to, uint8_t *of, uint8_t *before, uint64_t id, uint64_t tid)
{
	const struct cpython_thread_layout *l = &python.layout.thread;

	memset(to, 0, STATE);
	put(to + l->interp, at(of), 8);
	put(to + l->id, id, 8);
	if (l->native_id != CPYTHON_NONE)
		put(to + l->native_id, tid, 8);
	if (l->cframe != CPYTHON_NONE)
		put(to + l->cframe, at(to + l->root_cframe), 8);
	if (l->chunk != CPYTHON_NONE) {
		put(to + l->chunk, at(chunk), 8);
		put(to + l->chunk_top, at(chunk + CHUNK), 8);
	}
	if (before) {
		put(before + l->next, at(to), 8);
		put(to + l->prev, at(before), 8);
	} else {
		put(of + python.layout.interp.threads, at(to), 8);
	}
}

/* One interpreter, one thread without a frame. */
static void use(uint16_t version)
{
	memset(&python, 0, sizeof(python));
	python.version = version;
	cr_assert_eq(cpython_layout_set(&python, NULL), 0);
	python.head = at(runtime);
	python.code_type = at(type);
	memset(interp, 0, sizeof(interp));
	memset(heap, 0, sizeof(heap));
	memset(chunk, 0, sizeof(chunk));
	memset(c_stack, 0, sizeof(c_stack));
	memset(gil, 0, sizeof(gil));
	put(runtime, at(interp[0]), 8);
	python.main = at(interp[0]);
	put(chunk + 8, CHUNK, 8);
	put_state(state[0], interp[0], NULL, TP, TID);
	for (int i = 0; i < CODES; i++) {
		memset(code[i], 0, CODE);
		put(code[i] + python.layout.object.type, at(type), 8);
	}
	if (python.layout.interp.gil != CPYTHON_NONE)
		put(interp[0] + python.layout.interp.gil, at(gil), 8);
	else if (version != CPYTHON_3_6)
		python.gil = at(gil);
}

static void put_code(uint8_t *frame, const uint8_t *object, int64_t position)
{
	const struct cpython_frame_layout *l = &python.layout.frame;

	put(frame + l->code, at(object), 8);
	if (python.version >= CPYTHON_3_11)
		put(frame + l->at, at(object) + python.layout.code.adaptive + (uint64_t)position,
		    8);
	else
		put(frame + l->at, (uint64_t)position, 4);
}

static void link_frame(uint8_t *frame, const void *previous)
{
	put(frame + python.layout.frame.previous, at(previous), 8);
}

static uint8_t *put_frame(uint8_t *frame, int of, const void *previous)
{
	memset(frame, 0, python.layout.frame.size);
	put_code(frame, code[of], 2 * of);
	link_frame(frame, previous);
	return frame;
}

static uint8_t *put_shim(uint8_t *frame, const void *previous)
{
	memset(frame, 0, python.layout.frame.size);
	put(frame + python.layout.frame.owner, SHIM, 1);
	link_frame(frame, previous);
	return frame;
}

static uint8_t *put_cframe(uint8_t *cframe, const void *current, const void *previous)
{
	if (python.layout.cframe_current != CPYTHON_NONE)
		put(cframe + python.layout.cframe_current, at(current), 8);
	put(cframe + python.layout.cframe_previous, at(previous), 8);
	return cframe;
}

static void set_newest(const void *frame, const void *cframe)
{
	const struct cpython_thread_layout *l = &python.layout.thread;

	if (l->frame != CPYTHON_NONE)
		put(state[0] + l->frame, at(frame), 8);
	if (l->cframe != CPYTHON_NONE)
		put(state[0] + l->cframe, at(cframe), 8);
}

static uint8_t *root(void)
{
	return state[0] + python.layout.thread.root_cframe;
}

/* Two calls of the loop: the outer one runs code 2 and 1, the inner one code 0, a generator's. */
static void put_two_runs(void)
{
	uint8_t *inner = c_stack + 1000, *outer = c_stack + 4000, *f1, *f2;
	bool has_shims = python.version >= CPYTHON_3_12;
	bool has_cframes = python.layout.thread.cframe != CPYTHON_NONE;

	f2 = put_frame(chunk + 24, 2, has_shims ? put_shim(outer + 64, NULL) : NULL);
	f1 = put_frame(chunk + 24 + FRAME, 1, f2);
	put_frame(heap[0], 0, has_shims ? put_shim(inner + 64, f1) : f1);
	if (python.layout.frame.is_entry != CPYTHON_NONE) {
		put(f2 + python.layout.frame.is_entry, 1, 1);
		put(heap[0] + python.layout.frame.is_entry, 1, 1);
	}
	if (has_cframes && python.version == CPYTHON_3_10)
		/* each frame has a call of the loop */
		put_cframe(inner, NULL,
			   put_cframe(outer, NULL, put_cframe(outer + 1000, NULL, root())));
	else if (has_cframes)
		put_cframe(inner, heap[0], put_cframe(outer, f1, root()));
	set_newest(heap[0], inner);
}

static void capture_with(uint64_t tp, uint64_t from, const struct regs *regs, unsigned reads)
{
	struct interp_thread thread = { .own_tid = TID, .state = from, .tp = tp, .regs = regs };

	cr_assert_eq(interp_copy_reserve(&copy, &plan), 0);
	interp_copy_begin(&copy, &plan);
	copy.known = &known;
	copy.reads_max = reads;
	memory_bytes_init(&stack, c_stack, at(c_stack), C_STACK);
	interp_copy_filled(&copy, 0, getpid(), &stack.memory);
	cpython_capture(&python, &copy, &thread, &copy.walk);
	interp_copy_end(&copy);
}

static const struct interp_walk *capture(void)
{
	capture_with(TP, at(state[0]), NULL, 500);
	return &copy.walk;
}

static void make_hole(void)
{
	nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(nowhere, MAP_FAILED);
}

static void release(void)
{
	interp_copy_release(&copy);
	interp_plan_release(&plan);
	munmap(nowhere, 4096);
}

TestSuite(cpython_chain, .init = make_hole, .fini = release);

static void assert_codes(const struct interp_walk *walk, uint16_t version, int first, int count)
{
	cr_assert_eq(walk->count, count, "%x: %zu frames", version, walk->count);
	for (int i = 0; i < count; i++)
		cr_assert_eq(walk->frames[i].code, at(code[first + i]), "%x: frame %d", version, i);
}

Test(cpython_chain, leads_from_the_innermost_frame_outward)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		const struct interp_walk *walk;

		use(v);
		put_two_runs();
		walk = capture();
		assert_codes(walk, v, 0, 3);
		cr_assert(!walk->broken && !walk->cut && !walk->dropped && !walk->lost, "%x", v);
		cr_assert_eq(walk->frames[0].self, at(heap[0]));
		for (int i = 0; i < 3; i++)
			cr_assert_eq(walk->frames[i].at,
				     (v == CPYTHON_3_10 ? 2 : 1) * 2 * (uint64_t)i, "%x: %d", v, i);
	}
}

Test(cpython_chain, has_anchors_in_the_c_frames_of_the_loop)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		const struct interp_frame *f = copy.walk.frames;

		use(v);
		put_two_runs();
		f = capture()->frames;
		if (v < CPYTHON_3_10) {
			cr_assert(!f[0].anchor && !f[1].anchor && !f[2].anchor, "%x", v);
			continue;
		}
		cr_assert(f[0].anchor - at(c_stack + 1000) < 200, "%x", v);
		cr_assert(f[1].anchor - at(c_stack + 4000) < 200, "%x", v);
		cr_assert_eq(f[1].anchor == f[2].anchor, v >= CPYTHON_3_11, "%x", v);
	}
}

Test(cpython_chain, is_empty_where_no_function_runs)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		cr_assert_eq(capture()->count, 0, "%x", v);
		cr_assert(!copy.walk.broken && !copy.walk.lost, "%x", v);
	}
}

Test(cpython_chain, that_is_a_loop_is_broken)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		link_frame(chunk + 24, chunk + 24 + FRAME);
		if (v == CPYTHON_3_11)
			put(chunk + 24 + python.layout.frame.is_entry, 0, 1);
		cr_assert(capture()->broken, "%x", v);
		cr_assert_lt(copy.walk.count, 100, "%x", v);
	}
}

Test(cpython_chain, that_leads_nowhere_is_broken_behind_that)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		if (v == CPYTHON_3_11 || v == CPYTHON_3_12)
			continue; /* cframes lead on */
		use(v);
		put_two_runs();
		link_frame(chunk + 24 + FRAME, nowhere);
		cr_assert(capture()->broken, "%x", v);
		assert_codes(&copy.walk, v, 0, 2);
	}
}

Test(cpython_chain, is_cut_where_no_read_is_left)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		capture_with(TP, at(state[0]), NULL, 1);
		cr_assert(copy.walk.cut && !copy.walk.broken, "%x", v);
		cr_assert_lt(copy.walk.count, 3, "%x", v);
	}
}

Test(cpython_chain, is_read_by_the_plan_of_the_last_capture)
{
	struct memory_piece pieces[INTERP_RANGES];
	struct interp_thread thread = { .own_tid = TID, .state = at(state[0]), .tp = TP };

	for (int i = 0; i < CODES; i++)
		interp_known_add(&known, at(code[i]));
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		size_t count;

		use(v);
		put_two_runs();
		capture();
		cr_assert_eq(interp_plan_learn(&plan, &copy), 0);
		cr_assert_eq(interp_copy_reserve(&copy, &plan), 0);
		interp_copy_begin(&copy, &plan);
		count = interp_copy_pieces(&copy, pieces);
		interp_copy_filled(&copy, memory_live_gather(getpid(), pieces, count), getpid(),
				   &stack.memory);
		cpython_capture(&python, &copy, &thread, &copy.walk);
		assert_codes(&copy.walk, v, 0, 3);
		cr_assert_eq(copy.reads, 0, "%x: %u", v, copy.reads);
		interp_plan_release(&plan);
	}
}

Test(cpython_chain, leaves_out_the_newest_frame_under_construction)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		put(heap[0] + python.layout.frame.code, at(type), 8);
		cr_assert_eq(capture()->dropped, 1, "%x", v);
		assert_codes(&copy.walk, v, 1, 2);
		put(heap[0] + python.layout.frame.code, 0, 8);
		cr_assert_eq(capture()->dropped, 1, "%x", v);
		cr_assert(!copy.walk.broken, "%x", v);
	}
}

Test(cpython_chain, is_broken_at_any_other_frame_without_a_code_object)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		put(chunk + 24 + FRAME + python.layout.frame.code, at(nowhere), 8);
		cr_assert(capture()->broken, "%x", v);
		assert_codes(&copy.walk, v, 0, 1);
	}
}

Test(cpython_chain, leaves_out_frames_that_were_given_back)
{
	for (uint16_t v = CPYTHON_3_11; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		put(state[0] + python.layout.thread.chunk_top, at(chunk + 24 + FRAME), 8);
		capture();
		cr_assert_eq(copy.walk.dropped, 1, "%x", v);
		cr_assert_eq(copy.walk.count, 2, "%x", v);
		cr_assert_eq(copy.walk.frames[1].code, at(code[2]), "%x", v);
	}
}

Test(cpython_chain, bounds_what_chunks_say_of_their_length)
{
	for (uint16_t v = CPYTHON_3_11; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		put(chunk, at(chunk), 8);
		put(chunk + 8, UINT64_MAX, 8);
		put(chunk + 16, UINT64_MAX / 8, 8);
		put(state[0] + python.layout.thread.chunk_top, UINT64_MAX, 8);
		capture();
		cr_assert_leq(copy.walk.count, 3, "%x", v);
		put(state[0] + python.layout.thread.chunk, at(nowhere), 8);
		assert_codes(capture(), v, 0, 3);
	}
}

Test(cpython_chain, believes_no_cframe_before_it_is_complete)
{
	struct regs regs = { .unknown = 0 };

	for (uint16_t v = CPYTHON_3_11; v <= CPYTHON_3_12; v++) {
		use(v);
		put_two_runs();
		/* as the stack was before: `previous` leads to what is no cframe */
		put_cframe(c_stack + 500, heap[3], code[0]);
		set_newest(NULL, c_stack + 500);
		capture();
		cr_assert(copy.walk.broken && copy.walk.dropped && !copy.walk.count, "%x", v);
		/* the loop still has the one before in a register */
		regs.r[3] = at(c_stack + 4000);
		regs.r[5] = at(c_stack + 1000);
		capture_with(TP, at(state[0]), &regs, 500);
		assert_codes(&copy.walk, v, 0, 3);
		cr_assert(copy.walk.dropped && !copy.walk.broken, "%x", v);
		regs.unknown = 1 << 3 | 1 << 5;
		capture_with(TP, at(state[0]), &regs, 500);
		cr_assert(copy.walk.broken && !copy.walk.count, "%x", v);
		regs.unknown = 0;
		/* `previous` is set, the frame is an old one */
		put_cframe(c_stack + 500, put_frame(heap[3], 3, chunk + 24), c_stack + 1000);
		assert_codes(capture(), v, 0, 3);
		cr_assert_eq(copy.walk.dropped, 1, "%x", v);
		cr_assert(!copy.walk.broken, "%x", v);
	}
}

Test(cpython_chain, pairs_frames_and_cframes_from_outside)
{
	const struct interp_frame *f = copy.walk.frames;

	use(CPYTHON_3_10);
	put_two_runs();
	/* in the prologue: the newest call of the loop has no frame yet */
	put_cframe(c_stack + 500, NULL, c_stack + 1000);
	set_newest(heap[0], c_stack + 500);
	f = capture()->frames;
	cr_assert_eq(f[0].anchor, at(c_stack + 1000));
	/* in the epilogue: its frame is still there */
	set_newest(heap[0], c_stack + 4000);
	f = capture()->frames;
	cr_assert(!f[0].anchor && f[1].anchor == at(c_stack + 4000));
	/* neither */
	set_newest(heap[0], c_stack + 5000);
	f = capture()->frames;
	cr_assert(!f[0].anchor && !f[1].anchor && !f[2].anchor);
}

Test(cpython_chain, masks_tags_of_references)
{
	use(CPYTHON_3_14);
	put_two_runs();
	put(heap[0] + python.layout.frame.code, at(code[0]) | 1, 8);
	assert_codes(capture(), CPYTHON_3_14, 0, 3);
}

Test(cpython_chain, counts_from_the_copy_of_the_byte_code_that_the_thread_runs)
{
	uint64_t copies[] = { 2, 0, at(code[3]) + 64 };

	use(CPYTHON_3_14);
	python.free_threaded = true;
	python.layout.frame.tlbc = 72;
	python.layout.code.tlbc = 300;
	python.layout.frame.size = 80;
	put_two_runs();
	put(heap[0] + 72, 1, 4);
	put(heap[0] + python.layout.frame.at, at(code[3]) + 64 + 10, 8);
	put(code[0] + 300, at(copies), 8);
	assert_codes(capture(), CPYTHON_3_14, 0, 3);
	cr_assert_eq(copy.walk.frames[0].at, 10);
	put(heap[0] + 72, 2, 4);
	cr_assert(capture()->broken);
}

/* States. */

Test(cpython_chain, is_that_of_the_threads_own_state)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		put(state[0] + python.layout.thread.id, TP + 64, 8);
		cr_assert_eq(capture()->count, 0, "%x", v);
		cr_assert(!copy.walk.lost, "%x: the whole list was seen", v);
	}
}

/* The list: `count` other threads, then this one. */
static void put_others(int count)
{
	uint8_t *before = NULL;

	for (int i = 0; i < count; i++) {
		put_state(others[i], interp[0], before, TP + 4096 + (uint64_t)i, TID + 1);
		before = others[i];
	}
	put(before + python.layout.thread.next, at(state[0]), 8);
	put(state[0] + python.layout.thread.prev, at(before), 8);
}

Test(cpython_chain, is_found_among_the_newest_states)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		put_others(3);
		capture_with(TP, at(others[3]), NULL, 500);
		assert_codes(&copy.walk, v, 0, 3);
		cr_assert_eq(copy.walk.state, at(state[0]), "%x", v);
	}
}

Test(cpython_chain, is_lost_behind_many_states)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		put_others(OTHERS - 1);
		capture_with(TP, at(others[0]), NULL, 500);
		cr_assert(copy.walk.lost && !copy.walk.count, "%x", v);
	}
}

Test(cpython_chain, of_a_state_that_was_freed_is_looked_up_again)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		/* still has the thread's numbers, but no list leads to it */
		put_state(others[0], interp[1], NULL, TP, TID);
		memset(interp[1], 0, INTERP);
		capture_with(TP, at(others[0]), NULL, 500);
		assert_codes(&copy.walk, v, 0, 3);
	}
}

Test(cpython_chain, of_a_thread_that_is_not_stopped_is_told_by_its_number)
{
	for (uint16_t v = CPYTHON_3_11; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		capture_with(0, at(state[0]), NULL, 500);
		assert_codes(&copy.walk, v, 0, 3);
		put(state[0] + python.layout.thread.native_id, TID + 1, 8);
		capture_with(0, at(state[0]), NULL, 500);
		cr_assert_eq(copy.walk.count, 0, "%x", v);
	}
}

static void use_second_interp(void)
{
	put(runtime, at(interp[1]), 8);
	put(interp[1] + python.layout.interp.next, at(interp[0]), 8);
	put_state(state[1], interp[1], NULL, TP, TID);
}

Test(cpython_chain, of_another_interpreter_stands_further_in)
{
	for (uint16_t v = CPYTHON_3_13; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		use_second_interp();
		put(state[1] + python.layout.thread.frame,
		    at(put_frame(heap[1], 3, put_shim(c_stack, NULL))), 8);
		capture();
		cr_assert_eq(copy.walk.count, 4, "%x: %zu", v, copy.walk.count);
		cr_assert_eq(copy.walk.frames[0].code, at(code[3]), "%x", v);
		for (int i = 0; i < 3; i++)
			cr_assert_eq(copy.walk.frames[1 + i].code, at(code[i]), "%x", v);
	}
}

Test(cpython_chain, of_another_interpreter_needs_the_gil_where_there_are_no_anchors)
{
	for (uint16_t v = CPYTHON_3_7; v <= CPYTHON_3_9; v++) {
		use(v);
		put_two_runs();
		use_second_interp();
		put(state[1] + python.layout.thread.frame, at(put_frame(heap[1], 3, NULL)), 8);
		assert_codes(capture(), v, 0, 3);
		cr_assert(copy.walk.broken, "%x", v);
		put(gil + python.layout.gil_locked, 1, 4);
		put(gil + python.layout.gil_holder, at(state[1]), 8);
		cr_assert_eq(capture()->count, 4, "%x", v);
		cr_assert_eq(copy.walk.frames[0].code, at(code[3]), "%x", v);
	}
}

Test(cpython_chain, ends_with_interpreters_that_are_a_loop)
{
	for (uint16_t v = CPYTHON_3_6; v <= CPYTHON_3_15; v++) {
		use(v);
		put_two_runs();
		use_second_interp();
		put(interp[0] + python.layout.interp.next, at(interp[1]), 8);
		cr_assert_geq(capture()->count, 3, "%x", v);
	}
}

/* The GIL. */

Test(cpython_chain, tells_that_the_thread_holds_the_gil)
{
	for (uint16_t v = CPYTHON_3_7; v <= CPYTHON_3_14; v++) {
		use(v);
		put_two_runs();
		put(gil + python.layout.gil_holder, at(state[0]), 8);
		cr_assert(!capture()->gil_held, "%x: not locked", v);
		put(gil + python.layout.gil_locked, 1, 4);
		cr_assert(capture()->gil_held && !copy.walk.gil_waits, "%x", v);
		put(gil + python.layout.gil_holder, at(others[0]), 8);
		cr_assert(!capture()->gil_held, "%x: another thread's", v);
	}
	use(CPYTHON_3_15);
	put(state[0] + python.layout.thread.holds_gil, 1, 4);
	cr_assert(capture()->gil_held);
	put(state[0] + python.layout.thread.holds_gil, 0, 4);
	put(state[0] + python.layout.thread.gil_requested, 1, 4);
	cr_assert(!capture()->gil_held && copy.walk.gil_waits);
}

#if defined(__x86_64__)
Test(cpython_chain, tells_that_the_thread_waits_for_the_gil)
{
	static const uint8_t code_of_libc[] = { 0x0f, 0x05, 0x90 };
	struct regs regs = { .unknown = 0 };

	regs.r[DWARF_RDI] = at(gil) + 40;
	regs.r[DWARF_PC] = at(code_of_libc) + 2;
	for (uint16_t v = CPYTHON_3_7; v <= CPYTHON_3_14; v++) {
		use(v);
		capture_with(TP, at(state[0]), &regs, 500);
		cr_assert(copy.walk.gil_waits, "%x", v);
	}
	regs.unknown = 1 << DWARF_RDI;
	capture_with(TP, at(state[0]), &regs, 500);
	cr_assert(!copy.walk.gil_waits, "the argument is not known");
	regs.unknown = 0;
	regs.r[DWARF_PC]++;
	capture_with(TP, at(state[0]), &regs, 500);
	cr_assert(!copy.walk.gil_waits, "not in a system call");
}
#endif
