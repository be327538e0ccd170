/*
 * Steps without CFI, through made-up code: the callers that each method finds, and above all wrong
 * ones that no method may find.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"
#include "tests/fuzz/codeelf.h"

enum { BIAS = 0x400000, CODE = 0x1000, SIZE = 0x1000, STACK = 0x7000 };

static uint8_t code[SIZE];
static uint64_t words[64];
static struct modmap *maps;
static struct unwinder *unwinder;
static struct stack stack;
static struct regs regs;
static struct memory_bytes memory;

static struct image *make_image(void)
{
	static uint8_t bytes[CODE + SIZE];
	struct image *image;

	make_code_elf(bytes, CODE, code, SIZE);
	cr_assert_eq(image_open_bytes(bytes, sizeof(bytes), "/made/here", &image, NULL), 0);
	return image;
}

/* Puts code at an offset. Returns its address in the process. */
static uint64_t put(size_t at, const char *bytes, size_t len)
{
	memcpy(code + at, bytes, len);
	return BIAS + CODE + at;
}

#define PUT(at, bytes) put(at, bytes, sizeof(bytes) - 1)

static void set_up(void)
{
	memset(code, 0xcc, sizeof(code));
	memory_bytes_init(&memory, words, STACK, sizeof(words));
	stack = (struct stack){ 0 };
	regs.r[DWARF_RSP] = STACK;
}

static void tear_down(void)
{
	stack_release(&stack);
	unwinder_free(unwinder);
	modmap_free(maps);
}

static void walk_from(uint64_t pc, size_t frames, enum stack_end end)
{
	struct mapping range = { .start = BIAS, .end = BIAS + CODE + SIZE, .bias = BIAS };

	if (!maps) {
		range.image = make_image();
		cr_assert_eq(modmap_new(&maps, NULL), 0);
		cr_assert_eq(modmap_add(maps, &range), 0);
		cr_assert_eq(unwinder_new(&unwinder), 0);
	}
	regs.r[DWARF_RIP] = pc;
	cr_assert_eq(unwinder_walk(unwinder, maps,
				   &(struct walk_from){ .regs = &regs, .memory = &memory.memory },
				   &stack),
		     0);
	cr_assert_eq(stack.count, frames, "%zu frames, end: %s", stack.count,
		     stack_end_name(stack.end));
	cr_assert_eq(stack.end, end, "%s", stack_end_name(stack.end));
}

static void expect(size_t i, uint64_t pc, enum frame_source source)
{
	cr_assert_eq(stack.frames[i].addr + BIAS, pc, "frame %zu is %lx", i,
		     stack.frames[i].addr + BIAS);
	cr_assert_eq(stack.frames[i].source, source, "frame %zu: %d", i, stack.frames[i].source);
}

/* Puts a thread's first function: call *%r9; xor edi,edi; mov $60,%eax; syscall. Returns the
 * address after its call. */
static uint64_t put_bottom(void)
{
	return PUT(0x800, "\x41\xff\xd1\x31\xff\xb8\x3c\0\0\0\x0f\x05") + 3;
}

TestSuite(guess, .init = set_up, .fini = tear_down);

Test(guess, a_leaf_at_each_instruction)
{
	/* push rbx; sub $16,rsp; mov $1,ebx; add $16,rsp; pop rbx; ret */
	uint64_t leaf = PUT(0, "\x53\x48\x83\xec\x10\xbb\1\0\0\0\x48\x83\xc4\x10\x5b\xc3");
	static const struct {
		size_t at, words;
	} steps[] = {
		{ 0, 0 }, { 1, 1 }, { 5, 3 }, { 10, 3 }, { 14, 1 }, { 15, 0 },
	};
	uint64_t bottom = put_bottom();

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		memset(words, 0, sizeof(words));
		words[steps[i].words] = bottom;
		walk_from(leaf + steps[i].at, 2, STACK_OUTERMOST);
		expect(1, bottom, FRAME_BY_CODE);
	}
}

Test(guess, what_it_restores_is_known_to_the_caller)
{
	/* pop rbp; ret; its caller: call; leave; ret */
	uint64_t leaf = PUT(0, "\x5d\xc3"), caller = PUT(0x100, "\xff\xd0\xc9\xc3") + 2;
	uint64_t bottom = put_bottom();

	words[0] = STACK + 8 * 20;
	words[1] = caller;
	words[21] = bottom;
	walk_from(leaf, 3, STACK_OUTERMOST);
	expect(1, caller, FRAME_BY_CODE);
	expect(2, bottom, FRAME_BY_CODE);
}

/* A PLT as lld makes it, without CFI: its head, and its first entry. */
Test(guess, a_plt_s_entry_that_is_not_yet_bound)
{
	uint64_t head = PUT(0x100, "\xff\x35\x02\x20\0\0\xff\x25\x04\x20\0\0\x0f\x1f\x40\0");
	uint64_t entry = PUT(0x110, "\xff\x25\x02\x20\0\0\x68\0\0\0\0\xe9\xe0\xff\xff\xff");
	uint64_t caller = PUT(0x200, "\xff\xd0\xc3") + 2, bottom = put_bottom();
	const struct {
		uint64_t pc;
		size_t pushed;
	} steps[] = {
		{ entry, 0 }, { entry + 6, 0 }, { entry + 11, 1 }, { head, 1 }, { head + 6, 2 },
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		memset(words, 0, sizeof(words));
		words[steps[i].pushed] = caller;
		words[steps[i].pushed + 1] = bottom;
		walk_from(steps[i].pc, 3, STACK_OUTERMOST);
		expect(1, caller, FRAME_BY_CODE);
		expect(2, bottom, FRAME_BY_CODE);
	}
}

Test(guess, a_word_behind_no_call_is_no_return_address)
{
	uint64_t leaf = PUT(0, "\x90\x90\xc3");
	uint64_t nowhere = PUT(0x100, "\x90\x90\x90\x90\x90\x90\xc3");

	words[0] = nowhere + 5;
	walk_from(leaf, 1, STACK_NO_UNWIND_INFO);
	words[0] = 0x123456789abc;
	walk_from(leaf, 1, STACK_NO_UNWIND_INFO);
}

Test(guess, both_ways_of_a_branch_are_tried)
{
	/* je +2; ud2; ret: one way ends, the other returns */
	uint64_t leaf = PUT(0, "\x74\x02\x0f\x0b\xc3"), bottom = put_bottom();

	words[0] = bottom;
	walk_from(leaf, 2, STACK_OUTERMOST);
	expect(1, bottom, FRAME_BY_CODE);
}

Test(guess, a_switch_s_cases_follow_its_jump)
{
	/* jmp *(,rax,8); add $8,rsp; ret */
	uint64_t leaf = PUT(0, "\xff\x24\xc5\0\0\0\0\x48\x83\xc4\x08\xc3"), bottom = put_bottom();

	words[1] = bottom;
	walk_from(leaf, 2, STACK_OUTERMOST);
	expect(1, bottom, FRAME_BY_CODE);
}

Test(guess, the_old_rsp_kept_in_memory)
{
	/* mov 24(rsp),rsi; mov -8(rsi),rbx; lea (rsi),rsp; ret */
	uint64_t f = PUT(0, "\x48\x8b\x74\x24\x18\x48\x8b\x5e\xf8\x48\x8d\x26\xc3");
	uint64_t bottom = put_bottom();

	words[3] = STACK + 80;
	words[10] = bottom;
	walk_from(f, 2, STACK_OUTERMOST);
	expect(1, bottom, FRAME_BY_CODE);
}

Test(guess, a_loop_without_a_way_out_has_its_caller_by_its_entry)
{
	/* call f: f: push rbx; sub $8,rsp; jmp to itself */
	uint64_t f = PUT(0x40, "\x53\x48\x83\xec\x08\xeb\xfe");
	uint64_t ra = PUT(0x20, "\xe8\x1b\0\0\0\x5d\xc3") + 5, bottom = put_bottom();

	words[0] = ra; /* stale: at the wrong place */
	words[2] = ra;
	words[3] = 0;
	words[4] = bottom;
	walk_from(f + 5, 3, STACK_OUTERMOST);
	expect(1, ra, FRAME_BY_CODE);
	expect(2, bottom, FRAME_BY_CODE);
	cr_assert_eq(stack.used, 5 * 8);
}

Test(guess, by_frame_pointer_where_code_leads_nowhere)
{
	/* jmp to itself; called through a register */
	uint64_t f = PUT(0, "\xeb\xfe"), caller = PUT(0x100, "\xff\xd0\xeb\xfe") + 2;
	uint64_t bottom = put_bottom();

	regs.r[DWARF_RBP] = STACK + 16;
	words[2] = STACK + 48;
	words[3] = caller;
	words[6] = 0;
	words[7] = bottom;
	walk_from(f, 3, STACK_OUTERMOST);
	expect(1, caller, FRAME_BY_FRAME_POINTER);
	expect(2, bottom, FRAME_BY_FRAME_POINTER);
}

Test(guess, a_frame_pointer_must_lead_upward)
{
	uint64_t f = PUT(0, "\xeb\xfe"), caller = PUT(0x100, "\xff\xd0\xeb\xfe") + 2;

	regs.r[DWARF_RBP] = STACK + 16;
	words[2] = STACK + 8; /* downward */
	words[3] = caller;
	walk_from(f, 2, STACK_NO_UNWIND_INFO);
	expect(1, caller, FRAME_BY_FRAME_POINTER);
	regs.r[DWARF_RBP] = STACK + 17; /* not aligned */
	walk_from(f, 1, STACK_NO_UNWIND_INFO);
	regs.r[DWARF_RBP] = STACK - 16; /* below sp */
	walk_from(f, 1, STACK_NO_UNWIND_INFO);
}

Test(guess, before_and_between_the_two_instructions_that_make_a_frame)
{
	/* push rbp; mov rsp,rbp; jmp to itself */
	uint64_t f = PUT(0, "\x55\x48\x89\xe5\xeb\xfe"), bottom = put_bottom();

	regs.r[DWARF_RBP] = STACK + 80;
	words[0] = bottom;
	walk_from(f, 2, STACK_OUTERMOST);
	expect(1, bottom, FRAME_BY_CODE);
	words[0] = STACK + 80;
	words[1] = bottom;
	walk_from(f + 1, 2, STACK_OUTERMOST);
	expect(1, bottom, FRAME_BY_CODE);
}

Test(guess, a_scan_does_not_pass_by_what_may_be_right)
{
	/* Two words are addresses after calls, so that either may be the return address. The first
	 * is in code that leads nowhere, the second is in a thread's first function. */
	uint64_t f = PUT(0, "\xeb\xfe"), doubtful = PUT(0x100, "\xff\xd0\xeb\xfe") + 2;
	uint64_t bottom = put_bottom();

	words[2] = doubtful;
	words[5] = bottom;
	walk_from(f, 1, STACK_NO_UNWIND_INFO);
	words[2] = 0;
	walk_from(f, 2, STACK_OUTERMOST);
	expect(1, bottom, FRAME_BY_SCAN);
}

/* hlt, ud2, int3 behind a call that does not return: by frame pointer, */
Test(guess, a_trap_behind_a_call_is_no_end)
{
	static const char *traps[] = { "\xf4", "\x0f\x0b", "\xcc" };
	uint64_t f = PUT(0, "\xeb\xfe"), caller = PUT(0x100, "\xff\xd0") + 2, bottom = put_bottom();

	for (size_t i = 0; i < 3; i++) {
		put(0x102, traps[i], strlen(traps[i]));
		regs.r[DWARF_RBP] = STACK + 16;
		words[2] = STACK + 48;
		words[3] = caller;
		words[7] = bottom;
		walk_from(f, 3, STACK_OUTERMOST);
		expect(1, caller, FRAME_BY_FRAME_POINTER);
		expect(2, bottom, FRAME_BY_FRAME_POINTER);
	}
}

/* and by what its caller has called, though its own frame pointer, which is none, leads further. */
Test(guess, what_is_proven_goes_before_a_frame_pointer)
{
	uint64_t f = PUT(0x40, "\x50\xeb\xfe");		       /* push rax; jmp to itself */
	uint64_t ra = PUT(0x20, "\x50\xe8\x1a\0\0\0\xcc") + 6; /* push rax; call f; int3 */
	uint64_t outer = PUT(0x80, "\x50\xe8\x9a\xff\xff\xff\x58\xc3") +
			 6; /* it is called; pop; ret */
	uint64_t bottom = put_bottom();

	regs.r[DWARF_RBP] = STACK + 8 * 20;
	words[1] = ra;
	words[3] = outer;
	words[5] = bottom;
	words[21] = bottom; /* what a chain of frame pointers would find */
	walk_from(f + 1, 4, STACK_OUTERMOST);
	expect(1, ra, FRAME_BY_CODE);
	expect(2, outer, FRAME_BY_CODE);
	expect(3, bottom, FRAME_BY_CODE);
}

/* As code that makes stacks for fibers leaves them: call *rax; ud2. */
Test(guess, a_trap_ends_a_stack_on_which_nothing_follows)
{
	uint64_t f = PUT(0, "\xc3"), entry = PUT(0x100, "\xff\xd0\x0f\x0b") + 2,
		 bottom = put_bottom();

	words[0] = entry;
	walk_from(f, 2, STACK_OUTERMOST);
	words[9] = bottom;
	walk_from(f, 3, STACK_OUTERMOST);
	expect(2, bottom, FRAME_BY_SCAN);
	words[9] = entry;
	walk_from(f, 2, STACK_NO_UNWIND_INFO);
	words[9] = 0;
	regs.r[DWARF_RBP] = 1;
	walk_from(f, 2, STACK_NO_UNWIND_INFO);
	regs.r[DWARF_RBP] = 0;
	words[1] = 1;
	walk_from(f, 2, STACK_NO_UNWIND_INFO);
}

Test(guess, a_function_that_ends_the_thread_has_a_caller)
{
	/* mov $60,eax; syscall, called: by a function that returns */
	uint64_t ends = PUT(0x40, "\xb8\x3c\0\0\0\x0f\x05");
	uint64_t ra = PUT(0x20, "\xe8\x1b\0\0\0\xc3") + 5, bottom = put_bottom();

	words[0] = ra;
	words[1] = bottom;
	walk_from(ends, 3, STACK_OUTERMOST);
	expect(1, ra, FRAME_BY_CODE);
	words[0] = 0;
	walk_from(ends, 1, STACK_OUTERMOST);
}

Test(guess, musl_s_signal_frame)
{
	/* nop; mov $15,rax; syscall */
	uint64_t restorer = PUT(0x200, "\x90\x48\xc7\xc0\x0f\0\0\0\x0f\x05") + 1;
	uint64_t handler = PUT(0, "\xc3"), leaf = PUT(0x300, "\x5b\xc3"), bottom = put_bottom();

	words[0] = restorer;
	words[1 + 5 + 15] = STACK + 8 * 40; /* the interrupted rsp and rip */
	words[1 + 5 + 16] = leaf;
	words[41] = bottom;
	walk_from(handler, 4, STACK_OUTERMOST);
	expect(1, restorer, FRAME_BY_CODE);
	cr_assert_eq(stack.frames[1].kind, FRAME_SIGNAL);
	expect(2, leaf, FRAME_BY_CODE);
	cr_assert_eq(stack.frames[2].kind, FRAME_SIGNAL);
	expect(3, bottom, FRAME_BY_CODE);
}

Test(guess, says_when_the_copy_ends_or_a_register_lacks)
{
	uint64_t leaf = PUT(0, "\x48\x81\xc4\0\2\0\0\xc3"), framed = PUT(0x100, "\xc9\xc3");

	memory.more = 4096;
	walk_from(leaf, 1, STACK_COPY_EXHAUSTED); /* add $512,rsp */
	regs.unknown = ~(1u << DWARF_RIP | 1u << DWARF_RSP);
	walk_from(framed, 1, STACK_NO_UNWIND_INFO);
	cr_assert(stack.lacked);
}
