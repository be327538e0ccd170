// links: unwind
/* Control frames, tags and C stacks in a made memory, as they are and as they cannot be. */
#include "base/process/image.h"
#include "fake.h"
#include "runtimes/common/copy.h"
#include "unwind/stack.h"

enum { ROOM = 64, END = FAKE_STACK + 8 * FAKE_STACK_WORDS, TAG_BYTES = 64 };

static struct interp_copy copy;
static struct interp_frame frames[ROOM];
static struct interp_walk walk;
static struct interp_thread thread;
static struct stack stack;
static uint64_t frame, values; /* the innermost frame; where the next one's environment is */

static void release(void)
{
	interp_copy_release(&copy);
	stack_release(&stack);
}

TestSuite(rubycapture, .fini = release);

static void push(uint64_t iseq, uint64_t pc, uint64_t flags, uint64_t method)
{
	frame -= fake_rt.layout->frame;
	put(frame + CFP_PC, pc);
	put(frame + CFP_ISEQ, iseq);
	put(frame + CFP_EP, values + 16);
	put(values, method);
	put(values + 16, flags);
	values += 40;
}

static void push_iseq(uint64_t iseq, uint64_t flags)
{
	push(iseq, fake_code(iseq) + 8, flags, 0);
}

/* A thread with the dummy frame that is outermost. */
static void begin(unsigned major, unsigned minor)
{
	const struct ruby_layout *l;

	fake_begin(major, minor);
	l = fake_rt.layout;
	put(FAKE_THREAD + THREAD_VM, FAKE_VM);
	put(FAKE_THREAD + THREAD_RACTOR, FAKE_RACTOR);
	put(FAKE_THREAD + THREAD_NATIVE, FAKE_NATIVE);
	put(FAKE_THREAD + l->thread_ec, FAKE_EC);
	if (l->tid)
		put32(FAKE_NATIVE + l->tid, FAKE_TID);
	put(FAKE_EC + EC_STACK, FAKE_STACK);
	put(FAKE_EC + EC_SIZE, FAKE_STACK_WORDS);
	put(FAKE_EC + l->ec_thread, FAKE_THREAD);
	thread = (struct interp_thread){ .own_tid = FAKE_TID, .state = FAKE_THREAD };
	frame = END;
	values = FAKE_STACK + 80;
	push(0, 0, MAGIC_DUMMY | FLAG_FINISH, 0);
}

/* Tags of vm_exec, or of another function, innermost first; addresses ascend. */
static void put_tags(const char *kinds)
{
	uint64_t at = FAKE_TAGS;

	put(FAKE_EC + EC_TAG, *kinds ? at : 0);
	for (; *kinds; kinds++, at += TAG_BYTES) {
		put(at + 24, *kinds == 'e' ? FAKE_EXEC + 0x40 : FAKE_TEXT + 0x10);
		put(at + 56, kinds[1] ? at + TAG_BYTES : 0);
	}
}

static void capture(void)
{
	struct interp_range range = { FAKE, FAKE_BYTES };
	struct interp_plan plan = { .ranges = &range, .count = 1, .bytes = FAKE_BYTES };
	struct memory_piece piece;

	put(FAKE_EC + EC_FRAME, frame);
	cr_assert_eq(interp_copy_reserve(&copy, &plan), 0);
	interp_copy_begin(&copy, &plan);
	cr_assert_eq(interp_copy_pieces(&copy, &piece), 1);
	memcpy(piece.to, fake, FAKE_BYTES);
	interp_copy_filled(&copy, FAKE_BYTES, 0, NULL);
	walk = (struct interp_walk){ .frames = frames, .room = ROOM };
	ruby_capture(&fake_rt, &copy, &thread, &walk);
}

static uint64_t main_iseq, method_iseq, block_iseq;

/* <main> calls a C function, which calls a block, which calls a method. */
static void push_program(void)
{
	main_iseq = fake_iseq(ISEQ_MAIN, "<main>", 1, 8);
	method_iseq = fake_iseq(ISEQ_METHOD, "total", 3, 8);
	block_iseq = fake_iseq(ISEQ_BLOCK, "block in <main>", 5, 8);
	push_iseq(main_iseq, MAGIC_EVAL | FLAG_FINISH);
	push(0, 0, MAGIC_C, FAKE_HEAP);
	push_iseq(block_iseq, MAGIC_BLOCK | FLAG_FINISH);
	push_iseq(method_iseq, MAGIC_METHOD);
}

Test(rubycapture, each_run_has_the_tag_of_its_call_of_vm_exec)
{
	static const unsigned releases[] = { 300, 301, 302, 303, 304, 400 };

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		begin(releases[i] / 100, releases[i] % 100);
		push_program();
		put_tags("epep");
		capture();
		cr_assert(!walk.lost && !walk.broken && !walk.cut && !walk.dropped);
		cr_assert_eq(walk.count, 4);
		cr_assert_eq(frames[0].code, method_iseq);
		cr_assert_eq(frames[0].at, fake_code(method_iseq) + 8);
		cr_assert_eq(frames[1].code, block_iseq);
		cr_assert_eq(frames[2].code, FAKE_HEAP);
		cr_assert_eq(frames[2].flags, INTERP_C_FUNCTION);
		cr_assert_eq(frames[3].code, main_iseq);
		cr_assert_eq(frames[0].anchor, FAKE_TAGS);
		cr_assert_eq(frames[1].anchor, FAKE_TAGS);
		cr_assert_eq(frames[2].anchor, FAKE_TAGS + 2 * TAG_BYTES);
		cr_assert_eq(frames[3].anchor, FAKE_TAGS + 2 * TAG_BYTES);
	}
}

Test(rubycapture, runs_and_tags_are_counted_from_the_outermost)
{
	begin(3, 3);
	push_program();
	put_tags("pe");
	capture();
	cr_assert_eq(frames[0].anchor, 0, "vm_exec is not called yet");
	cr_assert_eq(frames[3].anchor, FAKE_TAGS + TAG_BYTES);
	put_tags("eee");
	capture();
	cr_assert_eq(frames[0].anchor, FAKE_TAGS + TAG_BYTES, "the innermost one is being left");
	put_tags("eeee");
	capture();
	cr_assert_eq(frames[0].anchor, 0, "they do not fit");
	cr_assert_eq(frames[3].anchor, 0);
}

Test(rubycapture, no_vm_exec_executes_a_frame_without_a_pc)
{
	begin(3, 3);
	push(fake_iseq(ISEQ_TOP, "extension.so", 1, 8), 0, MAGIC_TOP | FLAG_FINISH, 0);
	push_program();
	push(0, 0, MAGIC_C, FAKE_HEAP);
	push(fake_iseq(ISEQ_TOP, "", 1, 8), 0, MAGIC_DUMMY | FLAG_FINISH, 0);
	put_tags("ee");
	capture();
	cr_assert_eq(walk.count, 5);
	cr_assert_eq(frames[0].code, FAKE_HEAP);
	cr_assert_eq(frames[0].anchor, FAKE_TAGS, "the C function that parses a file");
	cr_assert_eq(frames[1].anchor, FAKE_TAGS);
	cr_assert_eq(frames[4].anchor, FAKE_TAGS + TAG_BYTES);
}

Test(rubycapture, tags_that_lead_nowhere_give_no_anchor)
{
	begin(3, 3);
	push_program();
	put_tags("ee");
	put(FAKE_TAGS + TAG_BYTES + 56, FAKE_TAGS);
	capture();
	cr_assert_eq(walk.count, 4);
	cr_assert_eq(frames[3].anchor, 0, "a circle");
	put(FAKE_TAGS + TAG_BYTES + 56, 0x7fff00000000);
	capture();
	cr_assert_eq(frames[3].anchor, 0);
	put(FAKE_TAGS + TAG_BYTES + 56, FAKE_TAGS + 1);
	capture();
	cr_assert_eq(frames[3].anchor, 0);
	put(FAKE_EC + EC_TAG, FAKE + 8);
	capture();
	cr_assert_eq(frames[3].anchor, 0, "neither way of setjmp");
}

#ifdef __x86_64__
Test(rubycapture, places_that_libc_hides_are_found)
{
	const uint64_t guard = 0x123456789abcdef0, self = FAKE + 0x1000;
	uint64_t pc = (FAKE_EXEC + 0x40) ^ guard;

	begin(3, 3);
	put(FAKE_NATIVE + fake_rt.layout->pthread, self);
	put(self + 0x30, guard);
	push_iseq(fake_iseq(ISEQ_MAIN, "<main>", 1, 8), MAGIC_EVAL | FLAG_FINISH);
	put(FAKE_EC + EC_TAG, FAKE_TAGS);
	put(FAKE_TAGS + 72, pc << 17 | pc >> 47);
	put(FAKE_TAGS + 216, 0);
	capture();
	cr_assert_eq(frames[0].anchor, FAKE_TAGS);
	put(self + 0x30, 0);
	capture();
	cr_assert_eq(frames[0].anchor, FAKE_TAGS, "the guard is kept");
}
#endif

Test(rubycapture, what_backtraces_do_not_show_is_left_out)
{
	uint64_t method;

	begin(3, 4);
	push_program();
	method = fake_iseq(ISEQ_METHOD, "risky", 3, 8);
	push_iseq(method, MAGIC_METHOD);
	push_iseq(fake_iseq(ISEQ_RESCUE, "rescue in risky", 5, 8), MAGIC_RESCUE);
	push(FAKE_HEAP, 0, MAGIC_IFUNC, 0);
	put_tags("ee");
	capture();
	cr_assert_eq(walk.count, 5);
	cr_assert_eq(frames[1].code, method_iseq, "the frame of the method with the rescue");
	cr_assert_eq(frames[0].anchor, FAKE_TAGS);
	cr_assert_eq(frames[4].anchor, FAKE_TAGS + TAG_BYTES);
}

Test(rubycapture, up_to_3_3_the_method_with_a_rescue_is_shown_too)
{
	begin(3, 3);
	push_iseq(fake_iseq(ISEQ_METHOD, "risky", 3, 8), MAGIC_METHOD | FLAG_FINISH);
	push_iseq(fake_iseq(ISEQ_RESCUE, "rescue in risky", 5, 8), MAGIC_RESCUE);
	capture();
	cr_assert_eq(walk.count, 2);
}

Test(rubycapture, a_method_whose_arguments_are_refused_has_no_line)
{
	begin(3, 3);
	push_program();
	push_iseq(method_iseq, MAGIC_DUMMY);
	capture();
	cr_assert_eq(walk.count, 5);
	cr_assert_eq(frames[0].code, method_iseq);
	cr_assert_eq(frames[0].at, 0);
}

Test(rubycapture, an_environment_may_have_moved_to_the_heap)
{
	uint64_t env = FAKE + 0x7000;

	begin(3, 3);
	push_program();
	put(frame + CFP_EP, env);
	put(env, MAGIC_METHOD);
	capture();
	cr_assert_eq(walk.count, 4);
}

/* An environment on the heap, inside of another one. */
static uint64_t heap_env(uint64_t method, uint64_t around, uint64_t flags)
{
	uint64_t at = fake_alloc(ENV_BYTES);

	put(at, method);
	put(at + 8, around);
	put(at + 16, flags);
	return at + 16;
}

static void push_in(uint64_t iseq, uint64_t flags, uint64_t around)
{
	push_iseq(iseq, flags);
	put(values - 40 + 8, around | 1);
}

Test(rubycapture, each_frame_has_the_method_entry_of_its_call)
{
	static const unsigned releases[] = { 303, 304, 400 };

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		uint64_t one, other, env;

		begin(releases[i] / 100, releases[i] % 100);
		push_program();
		one = fake_method(0, METHOD_IS_ISEQ, method_iseq, 0);
		other = fake_method(0, METHOD_IS_ISEQ, method_iseq, 0);
		push(method_iseq, fake_code(method_iseq) + 8, MAGIC_METHOD | ENV_LOCAL, one);
		env = heap_env(other, 0, MAGIC_METHOD | ENV_LOCAL);
		env = heap_env(0, env | 1, MAGIC_BLOCK);
		push_in(block_iseq, MAGIC_BLOCK, env);
		push_in(block_iseq, MAGIC_RESCUE, values - 40 + 16);
		push_in(block_iseq, MAGIC_BLOCK, heap_env(one, 0, MAGIC_TOP | ENV_LOCAL));
		push(block_iseq, fake_code(block_iseq) + 8, MAGIC_BLOCK | FLAG_BMETHOD, other);
		capture();
		cr_assert_eq(frames[0].method, other, "a block that is a method");
		cr_assert_eq(frames[1].method, 0, "no method is around it");
		cr_assert_eq(frames[2].method, other, "a rescue in a block");
		if (releases[i] < 304)
			cr_assert_eq(frames[3].method, other);
		cr_assert_eq(frames[releases[i] < 304 ? 4 : 3].method, one);
		for (size_t k = 0; k < walk.count; k++)
			cr_assert_eq(frames[k].flags & ~INTERP_C_FUNCTION, 0);
	}
}

Test(rubycapture, what_leads_to_a_method_entry_is_followed)
{
	uint64_t method, svar, reference;

	begin(3, 3);
	push_program();
	method = fake_method(0, METHOD_IS_ISEQ, method_iseq, 0);
	svar = fake_object(T_IMEMO, IMEMO_SVAR);
	put(svar + IMEMO_SVAR_METHOD, method);
	reference = fake_object(T_IMEMO, 1);
	push(method_iseq, fake_code(method_iseq) + 8, MAGIC_METHOD | ENV_LOCAL, svar);
	push(method_iseq, fake_code(method_iseq) + 8, MAGIC_METHOD | ENV_LOCAL, reference);
	capture();
	cr_assert_eq(frames[0].method, 0, "a class reference");
	cr_assert_eq(frames[1].method, method);
	put(svar + IMEMO_SVAR_METHOD, reference);
	capture();
	cr_assert_eq(frames[1].method, 0);
}

Test(rubycapture, environments_around_each_other_end_somewhere)
{
	uint64_t env;

	begin(3, 3);
	push_program();
	env = heap_env(0, 0, MAGIC_BLOCK);
	put(env - 8, env | 1);
	push_in(block_iseq, MAGIC_BLOCK, env);
	push_in(block_iseq, MAGIC_BLOCK, 0x7fff00000000);
	capture();
	cr_assert_eq(walk.count, 6);
	cr_assert_eq(frames[0].method, 0);
	cr_assert_eq(frames[1].method, 0);
	cr_assert_eq(frames[0].flags | frames[1].flags, 0);
}

Test(rubycapture, a_frame_under_construction_is_dropped)
{
	begin(3, 3);
	push_program();
	push(method_iseq, fake_code(method_iseq), 0, 0);
	capture();
	cr_assert_eq(walk.dropped, 1);
	cr_assert_eq(walk.count, 4);
	put(frame + CFP_EP, 3);
	capture();
	cr_assert_eq(walk.dropped, 1);
	cr_assert_eq(walk.count, 4);
}

Test(rubycapture, a_frame_that_cannot_be_ends_the_walk)
{
	begin(3, 3);
	push_program();
	put(frame + 2 * fake_rt.layout->frame + CFP_EP, 0x7fff00000000);
	capture();
	cr_assert(walk.broken);
	cr_assert_eq(walk.count, 2);
	cr_assert_eq(frames[0].anchor, 0);
}

Test(rubycapture, the_state_of_another_thread_is_lost)
{
	begin(3, 3);
	push_program();
	capture();
	cr_assert(!walk.lost);
	thread.own_tid++;
	capture();
	cr_assert(walk.lost && !walk.count);
	thread.own_tid--;
	put(FAKE_THREAD + THREAD_VM, FAKE);
	put(FAKE_THREAD + THREAD_VM, FAKE + 8);
	capture();
	cr_assert(walk.lost && !walk.count);
	put(FAKE_THREAD + THREAD_VM, FAKE_VM);
	put(FAKE_EC + fake_rt.layout->ec_thread, FAKE);
	capture();
	cr_assert(walk.lost && !walk.count);
	thread.state = 0x7fff00000000;
	capture();
	cr_assert(walk.lost && !walk.count);
}

Test(rubycapture, a_stack_that_cannot_be_is_broken)
{
	static const uint64_t sizes[] = { 0, UINT64_MAX, 1 << 24, 7 };

	begin(3, 3);
	push_program();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		put(FAKE_EC + EC_SIZE, sizes[i]);
		capture();
		cr_assert(walk.broken && !walk.count);
	}
	put(FAKE_EC + EC_SIZE, FAKE_STACK_WORDS);
	frame += 8;
	capture();
	cr_assert(walk.broken && !walk.count, "between two frames");
	frame = END;
	capture();
	cr_assert(walk.broken && !walk.count);
	put(FAKE_EC + EC_STACK, 0x7ffffffff000);
	frame = 0x7ffffffff000 + 8 * FAKE_STACK_WORDS - 10 * fake_rt.layout->frame;
	capture();
	cr_assert_eq(walk.count, 0);
}

Test(rubycapture, a_fiber_that_has_not_begun_has_no_frames)
{
	begin(3, 3);
	put(FAKE_EC + EC_STACK, 0);
	frame = 0;
	capture();
	cr_assert(!walk.broken && !walk.lost && !walk.count);
}

Test(rubycapture, the_gvl_is_held_by_the_thread_that_runs)
{
	static const unsigned releases[] = { 302, 303 };

	for (size_t i = 0; i < 2; i++) {
		uint64_t at = FAKE_RACTOR + 0x80 + 32;

#ifdef __aarch64__
		at += releases[i] >= 303 ? 48 : 0;
#else
		at += releases[i] >= 303 ? 40 : 0;
#endif
		begin(releases[i] / 100, releases[i] % 100);
		push_program();
		put(at, FAKE_THREAD);
		capture();
		cr_assert(walk.gil_held);
		cr_assert_eq(walk.gil, FAKE_RACTOR, "each ractor has a lock of its own");
		cr_assert(!walk.gil_waits);
		put(at, FAKE_THREAD + 8);
		capture();
		cr_assert(!walk.gil_held && !walk.gil_waits);
	}
}

Test(rubycapture, a_thread_in_the_gvl_s_queue_waits_for_it)
{
	static const unsigned releases[] = { 301, 303 };

	for (size_t i = 0; i < 2; i++) {
		uint64_t at = FAKE_RACTOR + 0x80 + 32, other = FAKE + 0x7000, queue;

#ifdef __aarch64__
		at += releases[i] >= 303 ? 48 : 0;
		queue = at + (releases[i] >= 303 ? 16 : 56);
#else
		at += releases[i] >= 303 ? 40 : 0;
		queue = at + (releases[i] >= 303 ? 16 : 48);
#endif
		begin(releases[i] / 100, releases[i] % 100);
		push_program();
		put(at, other - 0x800);
		put(queue, other);
		put(other, FAKE_THREAD + 104);
		put(FAKE_THREAD + 104, queue);
		capture();
		cr_assert(walk.gil_waits && !walk.gil_held);
		put(other, queue);
		capture();
		cr_assert(!walk.gil_waits, "it is not in the queue");
		put(other, other);
		capture();
		cr_assert(!walk.gil_waits, "a queue without an end");
		put(other, FAKE_THREAD + 104);
		put(at, 0);
		capture();
		cr_assert(!walk.gil_waits, "the GVL is free");
	}
}

/* C stacks. */

static void push_c(uint64_t pc, uint64_t sp)
{
	static struct image *image;

	if (!image)
		image = image_open_none("/libruby.so");
	cr_assert_eq(stack_push(&stack, image, pc, stack.count ? FRAME_RETURN : FRAME_PC), 0);
	stack.sps[stack.count - 1] = sp;
}

/* vm_exec_core, vm_exec, a C function, vm_exec_core, vm_exec, main. */
static void push_c_stack(void)
{
	stack.count = 0;
	push_c(FAKE_CORE + 0x210, FAKE_TAGS - 0x40);
	push_c(FAKE_EXEC + 0x20, FAKE_TAGS - 8);
	push_c(FAKE_TEXT + 0x8000, FAKE_TAGS + TAG_BYTES - 0x10);
	push_c(FAKE_CORE + 0x110, FAKE_TAGS + TAG_BYTES - 0x8);
	push_c(FAKE_EXEC + 0x20, FAKE_TAGS + TAG_BYTES);
	push_c(0x9000, FAKE_TAGS + 2 * TAG_BYTES);
	stack.end = STACK_OUTERMOST;
}

static void anchor(void)
{
	ruby_anchor(&fake_rt, NULL, &stack, &fake_memory.memory, frames, walk.count);
}

static void put_insns(void)
{
	static uint64_t codes[] = { FAKE_CORE + 0x100, FAKE_CORE + 0x200 };
	static uint16_t numbers[] = { 5, 6 };

	fake_rt.loop.codes = codes;
	fake_rt.loop.numbers = numbers;
	fake_rt.loop.count = 2;
}

Test(rubycapture, both_c_frames_of_the_loop_are_one)
{
	begin(3, 3);
	put_insns();
	push_program();
	put_tags("ee");
	capture();
	push_c_stack();
	anchor();
	cr_assert_eq(frames[0].anchor, FAKE_TAGS - 0x40);
	cr_assert_eq(frames[1].anchor, FAKE_TAGS - 0x40);
	cr_assert_eq(frames[3].anchor, FAKE_TAGS + TAG_BYTES - 8);
	cr_assert(frames[0].flags & INTERP_WRAPPED && frames[3].flags & INTERP_WRAPPED);
	cr_assert_eq(frames[0].at, (fake_code(method_iseq) + 8) | 7ull << AT_SHIFT);
	cr_assert_eq(frames[1].at, fake_code(block_iseq) + 8);
	cr_assert_eq(frames[3].at, (fake_code(main_iseq) + 8) | (uint64_t)(6 | AT_CALLS)
									<< AT_SHIFT);
}

Test(rubycapture, a_run_without_a_tag_stands_where_vm_exec_is)
{
	begin(3, 3);
	put_insns();
	push_program();
	put_tags("e");
	put(FAKE_TAGS + 24, 0);
	put(FAKE_EC + EC_TAG, FAKE_TAGS + TAG_BYTES);
	put(FAKE_TAGS + TAG_BYTES + 24, FAKE_EXEC + 0x40);
	capture();
	push_c_stack();
	anchor();
	cr_assert_eq(frames[0].anchor, FAKE_TAGS - 0x40);
	stack.pcs[0] = stack.pcs[1] = FAKE_TEXT + 0x9000;
	capture();
	anchor();
	cr_assert_eq(frames[0].anchor, FAKE_TAGS - 0x40, "before vm_exec is called");
	cr_assert_eq(frames[3].anchor, FAKE_TAGS + TAG_BYTES - 8);
}

Test(rubycapture, code_that_was_made_gives_no_line)
{
	begin(4, 0);
	put_insns();
	push_program();
	put_tags("ee");
	capture();
	push_c_stack();
	stack.pcs[0] = 0x500000;
	stack.frames[0].image = NULL;
	anchor();
	cr_assert(frames[0].flags & INTERP_INEXACT);
	cr_assert_eq(frames[0].at, 0);
	cr_assert(!(frames[1].flags & INTERP_INEXACT) && !(frames[3].flags & INTERP_INEXACT));
	cr_assert_eq(frames[1].at, fake_code(block_iseq) + 8);
}

Test(rubycapture, no_c_function_executes_where_made_code_is_innermost)
{
	begin(4, 0);
	push_program();
	push(0, 0, MAGIC_C, FAKE_HEAP);
	put_tags("ee");
	capture();
	push_c_stack();
	anchor();
	cr_assert_eq(frames[0].at, 0);
	stack.frames[0].image = NULL;
	anchor();
	cr_assert_eq(frames[0].at, UINT64_MAX, "it is hidden");
	cr_assert_eq(frames[1].at & AT_PC, fake_code(method_iseq) + 8);
}

Test(rubycapture, where_vm_exec_itself_is_at_work_the_pc_is_not_certain)
{
	begin(3, 3);
	put_insns();
	push_program();
	put_tags("ee");
	capture();
	push_c_stack();
	stack.pcs[0] = FAKE_TEXT + 0x9000;
	anchor();
	cr_assert_eq(frames[0].at, (fake_code(method_iseq) + 8) | (uint64_t)AT_BETWEEN << AT_SHIFT);
	cr_assert(!(frames[0].flags & INTERP_WRAPPED));
}

Test(rubycapture, c_functions_outside_of_all_runs_stand_where_the_fiber_begins)
{
	begin(3, 3);
	push(0, 0, MAGIC_C, FAKE_HEAP);
	block_iseq = fake_iseq(ISEQ_BLOCK, "block in <main>", 5, 8);
	push_iseq(block_iseq, MAGIC_BLOCK | FLAG_FINISH);
	put_tags("e");
	capture();
	push_c_stack();
	stack.pcs[5] = FAKE_TEXT + 0x100;
	anchor();
	cr_assert_eq(frames[0].anchor, FAKE_TAGS - 0x40);
	cr_assert_eq(frames[1].anchor, stack.sps[4]);
	stack.pcs[5] = 0x9000;
	capture();
	anchor();
	cr_assert_eq(frames[1].anchor, 0, "a thread of libc's");
	stack.count = 0;
	capture();
	anchor();
	cr_assert_eq(frames[1].anchor, 0);
}

Test(rubycapture, so_do_those_of_a_fiber_without_a_run)
{
	begin(3, 3);
	push(0, 0, MAGIC_C, FAKE_HEAP);
	capture();
	push_c_stack();
	stack.pcs[5] = FAKE_TEXT + 0x100;
	anchor();
	cr_assert_eq(walk.count, 1);
	cr_assert_eq(frames[0].anchor, stack.sps[4]);
}
