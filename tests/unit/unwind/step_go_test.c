/*
 * Walks from one of a Go thread's stacks to another, in made-up memory and a made-up module: its
 * functions have the runtime's names, and frames of 16 bytes and the return address.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/gostacks.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"
#include "tests/unit/base/process/goimage.h"

enum {
	BIAS = 0x10000000,
	STACKS = 0x7000,
	STACK_BYTES = 0x1000,
	G_STACK = 1,
	G0 = 2,
	SIGNAL = 3,
	DEPTH = 16,
	FRAME = DEPTH + 8,
};

enum {
	GOEXIT,
	WORK,
	SYSTEMSTACK,
	MCALL,
	MORESTACK,
	SCHEDULE,
	MSTART,
	ASMCGOCALL,
	CGOCALLBACK,
	SIGTRAMP,
	SIGRETURN,
	SIGPANIC,
	NANOTIME,
	UNSAFE,
	CROSSCALL,
	GOGO
};

#define BYTES(text) .code = text, .code_len = sizeof(text) - 1

static const struct made_function functions[] = {
	[GOEXIT] = { .name = "runtime.goexit", .flags = GO_TOP_FRAME },
	[WORK] = { .name = "main.work", .depth = DEPTH },
	[SYSTEMSTACK] = { .name = "runtime.systemstack", .depth = DEPTH, .flags = GO_SP_WRITE },
	[MCALL] = { .name = "runtime.mcall", .depth = DEPTH, .flags = GO_SP_WRITE },
	[MORESTACK] = { .name = "runtime.morestack", .flags = GO_SP_WRITE },
	[SCHEDULE] = { .name = "runtime.schedule", .depth = DEPTH },
	[MSTART] = { .name = "runtime.mstart", .flags = GO_TOP_FRAME },
	[ASMCGOCALL] = { .name = "runtime.asmcgocall.abi0",
			 .depth = DEPTH,
			 .flags = GO_SP_WRITE,
			 BYTES("\x48\x89\x7c\x24\x30") }, /* mov %rdi,0x30(%rsp) */
	[CGOCALLBACK] = { .name = "runtime.cgocallback", .depth = DEPTH, .flags = GO_SP_WRITE },
	[SIGTRAMP] = { .name = "runtime.sigtramp", .depth = DEPTH, .flags = GO_TOP_FRAME },
	[SIGRETURN] = { .name = "runtime.sigreturn__sigaction" },
	[SIGPANIC] = { .name = "runtime.sigpanic", .depth = DEPTH },
	[NANOTIME] = { .name = "runtime.nanotime1",
		       .depth = DEPTH,
		       .flags = GO_SP_WRITE,
		       BYTES("\x90\x90\x90\x90\x90\x90\x90\x90\x49\x89\xe4") }, /* mov %rsp,%r12 */
	[UNSAFE] = { .name = "other.assembly", .depth = DEPTH, .flags = GO_SP_WRITE },
	[CROSSCALL] = { .name = "crosscall2", .depth = DEPTH },
	[GOGO] = { .name = "gogo<>", .flags = GO_SP_WRITE },
};

enum { COUNT = sizeof(functions) / sizeof(*functions) };

static struct modmap *maps;
static struct unwinder *unwinder;
static struct stack stack;
static uint64_t words[4 * STACK_BYTES / 8];
static struct memory_bytes memory;
static struct go_stacks stacks;

static uint64_t address(unsigned which, unsigned byte)
{
	return STACKS + which * STACK_BYTES + byte;
}

static uint64_t *at(uint64_t addr)
{
	return &words[(addr - STACKS) / 8];
}

static uint64_t code(unsigned function, unsigned byte)
{
	return BIAS + MADE_TEXT + function * MADE_FUNCTION + byte;
}

static void enter(void)
{
	uint8_t *file = made_file(GO_1_20, functions, COUNT);
	struct mapping range = { .start = BIAS + MADE_TEXT,
				 .end = BIAS + MADE_PCLNTAB,
				 .offset = MADE_TEXT,
				 .bias = BIAS };

	cr_assert_eq(image_open_bytes(file, MADE_END, "/made/here", &range.image, NULL), 0);
	free(file);
	cr_assert_eq(modmap_new(&maps, NULL), 0);
	cr_assert_eq(modmap_add(maps, &range), 0);
	cr_assert_eq(unwinder_new(&unwinder), 0);
	memory_bytes_init(&memory, words, STACKS, sizeof(words));
	memset(&stacks, 0, sizeof(stacks));
	stacks.known = true;
	stacks.goroutine = (struct go_stack){ .g = 0xc001,
					      .low = address(G_STACK, 0),
					      .high = address(G_STACK, STACK_BYTES) };
	stacks.g0 = (struct go_stack){ .g = 0xc002,
				       .low = address(G0, 0),
				       .high = address(G0, STACK_BYTES) };
	stacks.gsignal = (struct go_stack){ .g = 0xc003,
					    .low = address(SIGNAL, 0),
					    .high = address(SIGNAL, STACK_BYTES) };
}

static void leave(void)
{
	stack_release(&stack);
	unwinder_free(unwinder);
	modmap_free(maps);
}

TestSuite(step_go, .init = enter, .fini = leave);

static void walk_with(const struct regs *regs, const struct go_stacks *known)
{
	cr_assert_eq(unwinder_walk(unwinder, maps,
				   &(struct walk_from){ regs, &memory.memory, known, NULL },
				   &stack),
		     0);
}

static void walk(unsigned function, unsigned byte, uint64_t sp)
{
	struct regs regs = { .r = { [DWARF_RIP] = code(function, byte), [DWARF_RSP] = sp } };

	walk_with(&regs, &stacks);
}

/* Compares how the walk ended, and the functions that it went through, innermost first. */
static void expect(enum stack_end end, size_t count, const unsigned *path)
{
	cr_assert_eq(stack.end, end, "%s after %zu frames", stack_end_name(stack.end), stack.count);
	cr_assert_eq(stack.count, count, "%zu frames", stack.count);
	for (size_t i = 0; i < count; i++) {
		const struct frame *f = &stack.frames[i];

		cr_assert_eq((frame_code_address(f->addr, f->kind) - MADE_TEXT) / MADE_FUNCTION,
			     path[i], "frame %zu is at %#lx", i, f->addr);
	}
}

#define EXPECT(end, ...) \
	expect(end, sizeof((unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned), \
	       (unsigned[]){ __VA_ARGS__ })

/* Makes a goroutine: work, called by work, which returns to goexit, the outermost. Returns its
 * stack pointer. */
static uint64_t make_goroutine(void)
{
	uint64_t sp = address(G_STACK, 0x800);

	*at(sp + DEPTH) = code(WORK, 100);
	*at(sp + FRAME + DEPTH) = code(GOEXIT, 1);
	stacks.goroutine.sp = sp;
	stacks.goroutine.pc = code(WORK, 200);
	return sp;
}

Test(step_go, a_goroutine_ends_at_goexit)
{
	walk(WORK, 50, make_goroutine());
	EXPECT(STACK_OUTERMOST, WORK, WORK, GOEXIT);
	cr_assert_eq(stack.frames[1].source, FRAME_BY_PCLNTAB);
	cr_assert(!stack.switched);
	cr_assert_eq(stack.used, 2 * FRAME);
}

Test(step_go, systemstack_leads_back_to_the_goroutine)
{
	uint64_t sp = address(G0, 0x100);

	make_goroutine();
	stacks.goroutine.sp -= FRAME; /* the frame of systemstack itself */
	*at(stacks.goroutine.sp + DEPTH) = code(WORK, 60);
	stacks.g0.sp = sp + FRAME;
	*at(sp + DEPTH) = code(SYSTEMSTACK, 80);
	walk(WORK, 50, sp);
	EXPECT(STACK_OUTERMOST, WORK, SYSTEMSTACK, WORK, WORK, GOEXIT);
	cr_assert(stack.switched);
	cr_assert_eq(stack.used, FRAME);
}

/* Called on g0, systemstack does not change stacks but jumps to its argument. So it is met only at
 * its first instructions. */
Test(step_go, systemstack_on_g0_has_its_caller_there)
{
	uint64_t sp = address(G0, 0x100);

	make_goroutine();
	stacks.g0.sp = address(G0, 0x800);
	*at(sp) = code(WORK, 60);
	*at(sp + 8 + DEPTH) = code(MSTART, 8);
	walk(SYSTEMSTACK, 0, sp);
	EXPECT(STACK_OUTERMOST, SYSTEMSTACK, WORK, MSTART);
}

Test(step_go, mcall_and_morestack_lead_to_where_the_goroutine_was_left)
{
	uint64_t sp = address(G0, 0x100);

	make_goroutine();
	stacks.g0.sp = sp + FRAME;
	*at(sp + DEPTH) = code(MCALL, 80);
	walk(WORK, 50, sp);
	EXPECT(STACK_OUTERMOST, WORK, MCALL, WORK, WORK, GOEXIT);
	*at(sp + DEPTH) = code(MORESTACK, 80);
	walk(WORK, 50, sp);
	EXPECT(STACK_OUTERMOST, WORK, MORESTACK, WORK, WORK, GOEXIT);
}

Test(step_go, the_scheduler_has_left_its_goroutine)
{
	uint64_t sp = address(G0, 0x100);

	make_goroutine();
	stacks.g0.sp = sp + 2 * FRAME;
	*at(sp + DEPTH) = code(SCHEDULE, 80);
	*at(sp + FRAME + DEPTH) = code(MCALL, 80);
	walk(WORK, 50, sp);
	EXPECT(STACK_OUTERMOST, WORK, SCHEDULE, MCALL);
	*at(sp + DEPTH) = code(WORK, 80);
	memset(&stacks.goroutine, 0, sizeof(stacks.goroutine));
	walk(WORK, 50, sp);
	EXPECT(STACK_OUTERMOST, WORK, WORK, MCALL);
}

Test(step_go, without_the_stacks_the_walk_ends_where_they_change)
{
	uint64_t sp = address(G0, 0x100);
	struct regs regs = { .r = { [DWARF_RIP] = code(WORK, 50), [DWARF_RSP] = sp } };

	*at(sp + DEPTH) = code(SYSTEMSTACK, 80);
	walk_with(&regs, NULL);
	EXPECT(STACK_NO_UNWIND_INFO, WORK, SYSTEMSTACK);
	cr_assert(!stack.lacked);
	regs.unknown = ~(1u << DWARF_RIP | 1u << DWARF_RSP);
	walk_with(&regs, NULL);
	cr_assert(stack.lacked);
}

/* Makes what asmcgocall leaves on g0 at `from`, and its caller on the goroutine. C's frames, of
 * which there are none here, would come before asmcgocall. */
static uint64_t make_c_call(uint64_t from, uint64_t goroutine_sp)
{
	*at(from + 0x30) = stacks.goroutine.g;
	*at(from + 0x28) = stacks.goroutine.high - goroutine_sp;
	*at(goroutine_sp + DEPTH) = code(WORK, 60);
	return from;
}

Test(step_go, asmcgocall_leads_back_to_its_goroutine)
{
	uint64_t sp = make_goroutine(), g0 = address(G0, 0x400);

	make_c_call(g0, sp - FRAME);
	*at(g0 - FRAME + DEPTH) = code(ASMCGOCALL, 80);
	walk(WORK, 50, g0 - FRAME);
	EXPECT(STACK_OUTERMOST, WORK, ASMCGOCALL, WORK, WORK, GOEXIT);
	/* Not if the g is another one, or the depth is larger than its stack. */
	*at(g0 + 0x30) = 0xc009;
	walk(WORK, 50, g0 - FRAME);
	EXPECT(STACK_NO_UNWIND_INFO, WORK, ASMCGOCALL);
	*at(g0 + 0x30) = stacks.goroutine.g;
	*at(g0 + 0x28) = STACK_BYTES + 8;
	walk(WORK, 50, g0 - FRAME);
	EXPECT(STACK_NO_UNWIND_INFO, WORK, ASMCGOCALL);
}

/* On a system stack asmcgocall leaves the old stack pointer, and no g. */
Test(step_go, asmcgocall_on_g0_stays_there)
{
	uint64_t g0 = address(G0, 0x400), old = g0 + 0x48;

	*at(g0 + 0x30) = 0;
	*at(g0 + 0x28) = old;
	*at(old + DEPTH) = code(MSTART, 9);
	*at(g0 - FRAME + DEPTH) = code(ASMCGOCALL, 80);
	walk(WORK, 50, g0 - FRAME);
	EXPECT(STACK_OUTERMOST, WORK, ASMCGOCALL, MSTART);
}

/* Go -> C -> Go -> C -> Go: each time the walk goes from the goroutine to C's frames on g0, and
 * from there to the goroutine. */
Test(step_go, callbacks_show_c_between_go)
{
	uint64_t sp = make_goroutine(), outer = address(G0, 0x800), inner = address(G0, 0x400);

	sp -= 4 * FRAME; /* work, cgocallback, asmcgocall's caller, ... */
	/* Innermost: work on the goroutine, called by the inner cgocallback. */
	*at(sp + DEPTH) = code(CGOCALLBACK, 80);
	stacks.g0.sp = inner;
	stacks.in_callback = true;
	*at(inner) = outer; /* what g0's stack pointer was before */
	*at(inner + DEPTH) = code(CROSSCALL, 80);
	*at(inner + FRAME + DEPTH) = code(ASMCGOCALL, 80);
	make_c_call(inner + 2 * FRAME, sp + 2 * FRAME);
	/* asmcgocall's caller on the goroutine is the outer cgocallback. */
	*at(sp + 2 * FRAME + DEPTH) = code(CGOCALLBACK, 80);
	*at(outer) = address(G0, 0xf00);
	*at(outer + DEPTH) = code(CROSSCALL, 80);
	*at(outer + FRAME + DEPTH) = code(ASMCGOCALL, 80);
	make_c_call(outer + 2 * FRAME, sp + 3 * FRAME + 8);
	*at(sp + 3 * FRAME + 8 + DEPTH) = code(GOEXIT, 1);
	walk(WORK, 50, sp);
	EXPECT(STACK_OUTERMOST, WORK, CGOCALLBACK, CROSSCALL, ASMCGOCALL, CGOCALLBACK, CROSSCALL,
	       ASMCGOCALL, GOEXIT);
	/* A loop: g0's previous stack pointer is the present one. */
	*at(inner) = inner;
	walk(WORK, 50, sp);
	cr_assert(stack.count < 20);
}

Test(step_go, a_signal_handler_leads_to_what_it_interrupted)
{
	uint64_t sp = address(SIGNAL, 0x100), context = sp + FRAME, interrupted = make_goroutine();

	*at(sp + DEPTH) = code(SIGRETURN, 0);
	*at(context + 160) = interrupted;
	*at(context + 168) = code(WORK, 2);
	*at(interrupted) = code(WORK, 90); /* at its second byte it has not made its frame */
	*at(interrupted + 8 + DEPTH) = code(GOEXIT, 1);
	walk(SIGTRAMP, 50, sp);
	EXPECT(STACK_OUTERMOST, SIGTRAMP, SIGRETURN, WORK, WORK, GOEXIT);
	cr_assert_eq(stack.frames[1].kind, FRAME_SIGNAL);
	cr_assert_eq(stack.frames[2].kind, FRAME_SIGNAL);
	cr_assert_eq(stack.frames[3].kind, FRAME_RETURN);
	/* The handler has pushed the pc, as a call would, and has not yet set the new one. */
	*at(context + 160) = interrupted - 8;
	*at(interrupted - 8) = code(WORK, 2);
	walk(SIGTRAMP, 50, sp);
	EXPECT(STACK_OUTERMOST, SIGTRAMP, SIGRETURN, WORK, WORK, GOEXIT);
}

Test(step_go, the_caller_of_sigpanic_did_not_call)
{
	uint64_t sp = make_goroutine();

	*at(sp + DEPTH) = code(WORK, 0); /* the first instruction: before it is another function */
	*at(sp + FRAME) = code(WORK, 90);
	*at(sp + FRAME + 8 + DEPTH) = code(GOEXIT, 1);
	walk(SIGPANIC, 50, sp);
	EXPECT(STACK_OUTERMOST, SIGPANIC, WORK, WORK, GOEXIT);
	cr_assert_eq(stack.frames[1].kind, FRAME_SIGNAL);
	/* A call that returned here, in a frame eight bytes higher, has left its return address. */
	*at(sp + DEPTH) = code(WORK, 50);
	*at(sp + FRAME) = code(WORK, 50);
	*at(sp + FRAME + DEPTH) = code(GOEXIT, 1);
	*at(sp + FRAME + 8 + DEPTH) = 0;
	walk(SIGPANIC, 50, sp);
	EXPECT(STACK_OUTERMOST, SIGPANIC, WORK, GOEXIT);
}

static void walk_from_vdso(uint64_t r12, bool r12_known)
{
	struct regs regs = { .r = { [DWARF_RIP] = code(NANOTIME, 80),
				    [DWARF_R12] = r12,
				    [DWARF_RSP] = address(G0, 0x100) },
			     .unknown = r12_known ? 0 : ~(1u << DWARF_RIP | 1u << DWARF_RSP) };

	walk_with(&regs, &stacks);
}

Test(step_go, a_clock_read_on_g0_leads_back_by_r12_or_the_runtimes_word)
{
	uint64_t sp = make_goroutine();

	walk_from_vdso(sp, true);
	EXPECT(STACK_OUTERMOST, NANOTIME, WORK, GOEXIT);
	stacks.vdso_sp = sp + FRAME;
	stacks.vdso_pc = code(WORK, 100);
	walk_from_vdso(0, false);
	EXPECT(STACK_OUTERMOST, NANOTIME, WORK, GOEXIT);
	/* Before the stack pointer is saved in r12, that may have any value. */
	*at(sp + DEPTH) = code(WORK, 100);
	walk(NANOTIME, 8, sp);
	EXPECT(STACK_OUTERMOST, NANOTIME, WORK, GOEXIT);
}

Test(step_go, gogo_goes_on_where_the_goroutine_was)
{
	uint64_t sp = make_goroutine();

	walk(GOGO, 50, sp);
	EXPECT(STACK_OUTERMOST, GOGO, WORK, WORK, GOEXIT);
	*at(address(G0, 0x100)) = code(MSTART, 9);
	walk(GOGO, 50, address(G0, 0x100));
	EXPECT(STACK_OUTERMOST, GOGO, MSTART);
}

Test(step_go, unknown_ways_with_the_stack_pointer_end_the_walk)
{
	uint64_t sp = make_goroutine();

	*at(sp + DEPTH) = code(UNSAFE, 80);
	walk(WORK, 50, sp);
	EXPECT(STACK_NO_UNWIND_INFO, WORK, UNSAFE);
	*at(address(G0, 0x100) + DEPTH) = code(WORK, 80);
	walk(UNSAFE, 50, address(G0, 0x100));
	EXPECT(STACK_NO_UNWIND_INFO, UNSAFE);
}

Test(step_go, a_stack_that_was_not_copied_is_said_to_be_so)
{
	uint64_t sp = make_goroutine();

	memory.memory.len = sp + FRAME - STACKS;
	memory.more = 100000;
	walk(WORK, 50, sp);
	EXPECT(STACK_COPY_EXHAUSTED, WORK, WORK);
}
