/* Functions as V8 compiles them, instruction by instruction. */
#include <criterion/criterion.h>
#include <string.h>

#include "runtimes/v8/shapes.h"
#include "unwind/code/insn_x86_64.h"

struct code {
	uint8_t bytes[256];
	size_t len;
};

static size_t add(struct code *c, const char *bytes, size_t len)
{
	size_t at = c->len;

	memcpy(c->bytes + at, bytes, len);
	c->len += len;
	return at;
}

/* Appends an instruction; returns its offset. */
#define INSN(c, bytes) add(c, bytes, sizeof(bytes) - 1)

#define PUSH_RBP "\x55"
#define MOV_RBP_RSP "\x48\x89\xe5"
#define MOV_RSP_RBP "\x48\x89\xec"
#define POP_RBP "\x5d"
#define PUSH_MARKER "\x6a\x22"
#define PUSH_RDI "\x57"
#define SUB_RSP_8 "\x48\x83\xec\x08"
#define ADD_RSP_8 "\x48\x83\xc4\x08"
#define LEAVE "\xc9"
#define RET "\xc3"
#define CALL "\xe8\x00\x10\x00\x00"
#define CALL_RAX "\xff\xd0"
#define JMP_RCX "\xff\xe1"
#define POP_RCX "\x59"
#define PUSH_RCX "\x51"
#define POP_R15 "\x41\x5f"
#define PUSH_R15 "\x41\x57"
#define INT3 "\xcc"

static struct v8_shapes shapes;

static void make(const struct code *c, enum v8_entry entry)
{
	v8_shapes_release(&shapes);
	cr_assert_eq(v8_shapes_make(&shapes, c->bytes, c->len, entry), 0);
}

static void expect(size_t offset, enum v8_shape_kind kind, int reg_or_offset)
{
	struct v8_shape s;

	cr_assert(v8_shape_at(&shapes, offset, false, &s), "nothing leads to %zu", offset);
	cr_assert_eq(s.kind, kind, "at %zu: %d", offset, s.kind);
	if (kind == V8_SHAPE_RSP)
		cr_expect_eq(s.offset, reg_or_offset, "at %zu: %d", offset, s.offset);
	if (kind == V8_SHAPE_REGISTER || kind == V8_SHAPE_POINTER)
		cr_expect_eq(s.reg, reg_or_offset, "at %zu: %d", offset, s.reg);
}

static void release(void)
{
	v8_shapes_release(&shapes);
}

TestSuite(shapes, .fini = release);

Test(shapes, frame_is_set_up_and_left)
{
	struct code c = { .len = 0 };
	size_t push = INSN(&c, PUSH_RBP), mov = INSN(&c, MOV_RBP_RSP),
	       marker = INSN(&c, PUSH_MARKER), sub = INSN(&c, SUB_RSP_8), call = INSN(&c, CALL),
	       up = INSN(&c, MOV_RSP_RBP), pop = INSN(&c, POP_RBP), ret = INSN(&c, RET);
	struct v8_shape s;

	make(&c, V8_ENTRY_CALLED);
	expect(push, V8_SHAPE_RSP, 0);
	expect(mov, V8_SHAPE_RSP, 8);
	expect(marker, V8_SHAPE_RBP, 0);
	expect(sub, V8_SHAPE_RBP, 0);
	expect(up, V8_SHAPE_RBP, 0);
	expect(pop, V8_SHAPE_RBP, 0);
	expect(ret, V8_SHAPE_RSP, 0);
	cr_expect(v8_shape_at(&shapes, up, true, &s), "the call ends there");
	cr_expect_eq(s.kind, V8_SHAPE_RBP);
	cr_expect_not(v8_shape_at(&shapes, call, true, &s), "no call ends there");
	cr_expect_not(v8_shape_at(&shapes, marker + 1, false, &s), "inside an instruction");
	cr_expect_not(v8_shape_at(&shapes, c.len + 1000, false, &s), "beyond the end");
}

/* The frame is written from the marker on: a word below rbp is there only after its push. */
Test(shapes, pushes_are_counted_behind_rbp)
{
	struct code c = { .len = 0 };
	size_t marker, rdi, sub;
	struct v8_shape s;

	INSN(&c, PUSH_RBP);
	INSN(&c, MOV_RBP_RSP);
	marker = INSN(&c, PUSH_MARKER);
	rdi = INSN(&c, PUSH_RDI);
	sub = INSN(&c, SUB_RSP_8);
	INSN(&c, RET);
	make(&c, V8_ENTRY_CALLED);
	cr_assert(v8_shape_at(&shapes, marker, false, &s));
	cr_expect_eq(s.offset, 0);
	cr_expect_not(s.unsure);
	cr_assert(v8_shape_at(&shapes, rdi, false, &s));
	cr_expect_eq(s.offset, 8);
	cr_assert(v8_shape_at(&shapes, sub, false, &s));
	cr_expect_eq(s.offset, 16);
}

Test(shapes, both_ways_of_a_branch_are_followed)
{
	struct code c = { .len = 0 };
	size_t slow, fast;

	INSN(&c, "\x74\x08"); /* je, over the slow path */
	slow = INSN(&c, PUSH_RBP);
	INSN(&c, MOV_RBP_RSP);
	INSN(&c, CALL_RAX);
	INSN(&c, LEAVE);
	INSN(&c, RET);
	fast = INSN(&c, RET);
	make(&c, V8_ENTRY_CALLED);
	expect(slow, V8_SHAPE_RSP, 0);
	expect(fast, V8_SHAPE_RSP, 0);
	expect(fast - 1, V8_SHAPE_RSP, 0); /* behind leave */
}

/* Arguments are popped by the function: lea rsp, [rsp + 8 rcx]. */
Test(shapes, return_address_is_kept_in_a_register)
{
	struct code c = { .len = 0 };
	size_t pop = INSN(&c, "\x41\x5a"), lea = INSN(&c, "\x48\x8d\x24\xcc"),
	       push = INSN(&c, "\x41\x52"), ret = INSN(&c, RET);

	make(&c, V8_ENTRY_CALLED);
	expect(pop, V8_SHAPE_RSP, 0);
	expect(lea, V8_SHAPE_REGISTER, HW_R8 + 2);
	expect(push, V8_SHAPE_REGISTER, HW_R8 + 2);
	expect(ret, V8_SHAPE_RSP, 0);
}

Test(shapes, a_register_that_is_overwritten_is_lost)
{
	struct code c = { .len = 0 };
	size_t at;

	INSN(&c, POP_RCX);
	INSN(&c, "\x48\x8b\x08"); /* mov rcx, [rax] */
	at = INSN(&c, RET);
	make(&c, V8_ENTRY_CALLED);
	expect(at, V8_SHAPE_LOST, 0);
}

/* BaselineOutOfLinePrologue: it sets up the frame of the function that calls it. */
Test(shapes, the_frame_of_the_caller_is_set_up)
{
	struct code c = { .len = 0 };
	size_t before, half, built, back, ret;
	struct v8_shape s;

	INSN(&c, POP_R15);
	before = INSN(&c, PUSH_RBP);
	half = INSN(&c, MOV_RBP_RSP);
	built = INSN(&c, PUSH_RDI);
	back = INSN(&c, PUSH_R15);
	ret = INSN(&c, RET);
	make(&c, V8_ENTRY_CALLED);
	expect(before, V8_SHAPE_REGISTER, 15);
	cr_assert(v8_shape_at(&shapes, half, false, &s));
	cr_expect_eq(s.kind, V8_SHAPE_REGISTER);
	cr_expect_not(s.built);
	cr_expect_eq(s.offset, 8);
	cr_assert(v8_shape_at(&shapes, built, false, &s));
	cr_expect(s.built);
	expect(back, V8_SHAPE_REGISTER, 15);
	cr_assert(v8_shape_at(&shapes, ret, false, &s));
	cr_expect_eq(s.kind, V8_SHAPE_RSP);
	cr_expect(s.built);
}

Test(shapes, sparkplugs_first_call_sets_up_the_frame)
{
	struct code c = { .len = 0 };
	size_t call = INSN(&c, CALL), then = INSN(&c, PUSH_RDI), again = INSN(&c, CALL_RAX),
	       end = INSN(&c, JMP_RCX);
	struct v8_shape s;

	make(&c, V8_ENTRY_SPARKPLUG);
	expect(call, V8_SHAPE_RSP, 0);
	expect(then, V8_SHAPE_RBP, 0);
	expect(again, V8_SHAPE_RBP, 0);
	expect(end, V8_SHAPE_RBP, 0);
	cr_assert(v8_shape_at(&shapes, then, true, &s));
	cr_expect_eq(s.kind, V8_SHAPE_RSP, "while it is called there is none yet");
}

Test(shapes, code_that_continues_a_frame_has_one)
{
	struct code c = { .len = 0 };
	size_t push = INSN(&c, PUSH_RDI), leave = INSN(&c, LEAVE), ret = INSN(&c, RET);

	make(&c, V8_ENTRY_SET_UP);
	expect(push, V8_SHAPE_RBP, 0);
	expect(leave, V8_SHAPE_RBP, 0);
	expect(ret, V8_SHAPE_RSP, 0);
}

/* mov rbp, [rbp]; add rsp, 24; jmp rcx: rsp is below the return address until it is added to. */
Test(shapes, rbp_is_restored_before_rsp)
{
	struct code c = { .len = 0 };
	size_t restore, add_rsp, jump;

	INSN(&c, PUSH_RBP);
	INSN(&c, MOV_RBP_RSP);
	INSN(&c, PUSH_MARKER);
	INSN(&c, SUB_RSP_8);
	restore = INSN(&c, "\x48\x8b\x6d\x00");
	add_rsp = INSN(&c, "\x48\x83\xc4\x18");
	jump = INSN(&c, JMP_RCX);
	make(&c, V8_ENTRY_CALLED);
	expect(restore, V8_SHAPE_RBP, 0);
	expect(add_rsp, V8_SHAPE_RSP, 24);
	expect(jump, V8_SHAPE_RSP, 0);
}

/* The same, with the return address moved up by 8: mov r10, [rsp+24]; mov [rsp+16], r10; add rsp, 16. */
Test(shapes, a_tail_call_moves_the_return_address)
{
	struct code c = { .len = 0 };
	size_t load, store, add_rsp, jump;

	INSN(&c, PUSH_RBP);
	INSN(&c, MOV_RBP_RSP);
	INSN(&c, PUSH_MARKER);
	INSN(&c, SUB_RSP_8);
	INSN(&c, "\x48\x8b\x6d\x00");
	load = INSN(&c, "\x4c\x8b\x54\x24\x18");
	store = INSN(&c, "\x4c\x89\x54\x24\x10");
	add_rsp = INSN(&c, "\x48\x83\xc4\x10");
	jump = INSN(&c, JMP_RCX);
	make(&c, V8_ENTRY_CALLED);
	expect(load, V8_SHAPE_RSP, 24);
	expect(store, V8_SHAPE_RSP, 24);
	expect(add_rsp, V8_SHAPE_RSP, 16);
	expect(jump, V8_SHAPE_RSP, 0);
}

/* push rdx; push [rsp+8]: an argument, and the return address again. */
Test(shapes, a_tail_call_pushes_the_return_address)
{
	struct code c = { .len = 0 };
	size_t push, jump;

	INSN(&c, "\x52");
	push = INSN(&c, "\xff\x74\x24\x08");
	jump = INSN(&c, JMP_RCX);
	make(&c, V8_ENTRY_CALLED);
	expect(push, V8_SHAPE_RSP, 8);
	expect(jump, V8_SHAPE_RSP, 0);
}

/* MacroAssembler::InvokePrologue: mov r8, rsp; sub rsp, r10; …; lea r8, [rsp + 8 r9]. */
Test(shapes, arguments_are_moved_down)
{
	struct code c = { .len = 0 };
	size_t sub, copy, lea, jump;

	INSN(&c, "\x49\x89\xe0");
	sub = INSN(&c, "\x4c\x29\xd4");
	copy = INSN(&c, "\x4f\x8b\x14\xd8");
	lea = INSN(&c, "\x4e\x8d\x04\xcc");
	jump = INSN(&c, JMP_RCX);
	make(&c, V8_ENTRY_CALLED);
	expect(sub, V8_SHAPE_RSP, 0);
	expect(copy, V8_SHAPE_POINTER, HW_R8);
	expect(lea, V8_SHAPE_POINTER, HW_R8);
	expect(jump, V8_SHAPE_RSP, 0);
}

/* CEntry: mov rcx, [rbp+8]; mov rbp, [rbp]; lea rsp, [r15+8]; push rcx; ret. */
Test(shapes, an_exit_frame_is_left)
{
	struct code c = { .len = 0 };
	size_t load, restore, lea, push, ret;

	INSN(&c, PUSH_RBP);
	INSN(&c, MOV_RBP_RSP);
	load = INSN(&c, "\x48\x8b\x4d\x08");
	restore = INSN(&c, "\x48\x8b\x6d\x00");
	lea = INSN(&c, "\x49\x8d\x67\x08");
	push = INSN(&c, PUSH_RCX);
	ret = INSN(&c, RET);
	make(&c, V8_ENTRY_CALLED);
	expect(load, V8_SHAPE_RBP, 0);
	expect(restore, V8_SHAPE_RBP, 0);
	expect(lea, V8_SHAPE_REGISTER, HW_RCX);
	expect(push, V8_SHAPE_REGISTER, HW_RCX);
	expect(ret, V8_SHAPE_RSP, 0);
}

/* CEntry: mov rsp, [r13+0x10]; mov rbp, [r13+0x20]; test rsi, rsi; je; mov rdi, [r13+0x30]; jmp rdi. */
Test(shapes, an_exception_is_thrown)
{
	struct code c = { .len = 0 };
	size_t load, test, slot, jump;
	struct v8_shape s;

	INSN(&c, PUSH_RBP);
	INSN(&c, MOV_RBP_RSP);
	INSN(&c, "\x49\x8b\x65\x10");
	load = INSN(&c, "\x49\x8b\x6d\x20");
	test = INSN(&c, "\x48\x85\xf6");
	INSN(&c, "\x74\x04");
	slot = INSN(&c, "\x48\x89\x75\xf8");
	INSN(&c, "\x49\x8b\x7d\x30");
	jump = INSN(&c, "\xff\xe7");
	make(&c, V8_ENTRY_CALLED);
	expect(load, V8_SHAPE_RBP, 0);
	expect(slot, V8_SHAPE_THROWN, 0);
	expect(jump, V8_SHAPE_THROWN, 0);
	cr_assert(v8_shape_at(&shapes, test, false, &s));
	cr_expect_eq(s.kind, V8_SHAPE_THROWN);
	cr_expect_eq(s.pushed, 0x20);
	cr_expect_eq(s.offset, 0x30);
}

/* push [rsp+16]; pop [rsp+24]; mov [rsp+16], r10: two words change places, one is the return address. */
Test(shapes, the_return_address_is_in_a_register_for_a_moment)
{
	struct code c = { .len = 0 };
	size_t push, store, add_rsp;

	INSN(&c, PUSH_RBP);
	INSN(&c, MOV_RBP_RSP);
	INSN(&c, PUSH_MARKER);
	INSN(&c, SUB_RSP_8);
	INSN(&c, "\x48\x8b\x6d\x00");
	INSN(&c, "\x4c\x8b\x54\x24\x18");
	push = INSN(&c, "\xff\x74\x24\x10");
	INSN(&c, "\x8f\x44\x24\x18");
	store = INSN(&c, "\x4c\x89\x54\x24\x10");
	add_rsp = INSN(&c, "\x48\x83\xc4\x10");
	INSN(&c, JMP_RCX);
	make(&c, V8_ENTRY_CALLED);
	expect(push, V8_SHAPE_RSP, 24);
	expect(store, V8_SHAPE_REGISTER, HW_R8 + 2);
	expect(add_rsp, V8_SHAPE_RSP, 16);
}

Test(shapes, any_bytes_end)
{
	struct code c = { .len = sizeof(c.bytes) };
	uint32_t state = 1;

	for (int round = 0; round < 20000; round++) {
		struct v8_shape s;

		for (size_t i = 0; i < c.len; i++)
			c.bytes[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
		make(&c, (enum v8_entry)(round % 3));
		for (size_t i = 0; i <= c.len; i++)
			v8_shape_at(&shapes, i, i & 1, &s);
	}
}
