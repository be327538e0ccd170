/*
 * Steps in a V8 that is made up in this process's own memory: two builtins, two code objects laid out
 * as those of Node 22, and a stack.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/v8/heap/codes.h"
#include "runtimes/v8/names.h"
#include "runtimes/v8/step.h"
#include "runtimes/v8/heap/runtime.h"
#include "unwind/code/codebytes.h"
#include "unwind/codemap.h"
#include "unwind/step.h"
#include "unwind/table/regs.h"

enum {
	TEXT = 0, /* parts of the memory, by offset */
	CODE = 0x1000,
	HEAP = 0x3000,
	COPY = 0x6000,
	STACK = 0x8000,
	BYTES = 0xc000,

	ENTRY_BUILTIN = TEXT + 0x100,	 /* sets up a frame, calls, leaves */
	LEAF_BUILTIN = TEXT + 0x200,	 /* has no frame */
	ENTRY_CALL = ENTRY_BUILTIN + 11, /* behind its call */
	LEAF_RET = LEAF_BUILTIN + 4,

	STREAM = CODE + 0x20, /* of the code object */
	INSTRUCTIONS = STREAM + 32,
	CODE_SIZE = 64,
	CODE_CALL = INSTRUCTIONS + 6, /* behind its call */

	SP = STACK + 0x1000,

	CODE_TYPE = 206,
	STREAM_TYPE = 210,
	KIND_BASELINE = 10,
	KIND_TURBOFAN = 12,
};

static _Alignas(4096) uint8_t bytes[BYTES];
static struct v8_runtime rt;
static struct v8_builtin builtins[] = {
	{ .start = ENTRY_BUILTIN, .size = 32, .hidden = true },
	{ .start = LEAF_BUILTIN, .size = 16 },
};
static struct memory_live live;
static struct process process;
static struct modmap *maps;
static struct codemap map;
static struct codebytes code;
static struct walk w;
static struct managed_frame frame;
static enum frame_kind kind;

static uint64_t at(uint64_t offset)
{
	return (uint64_t)(uintptr_t)bytes + offset;
}

static uint64_t tagged(uint64_t offset)
{
	return at(offset) + 1;
}

static void put(uint64_t offset, uint64_t value)
{
	memcpy(bytes + offset, &value, sizeof(value));
}

static void put_half(uint64_t offset, uint32_t value)
{
	memcpy(bytes + offset, &value, sizeof(value));
}

static void put_code(uint64_t offset, const char *text, size_t len)
{
	memcpy(bytes + offset, text, len);
}

static void put_map(uint64_t offset, uint16_t type)
{
	put(offset, tagged(offset));
	memcpy(bytes + offset + 12, &type, sizeof(type));
}

/* A code object of a kind whose frame is set up by its own push. */
static void put_object(uint32_t object_kind)
{
	uint64_t object = HEAP + 0x200;

	put_map(HEAP, STREAM_TYPE);
	put_map(HEAP + 0x100, CODE_TYPE);
	put(STREAM, tagged(HEAP));
	put(STREAM + 8, tagged(object));
	put(object, tagged(HEAP + 0x100));
	put(object + 32, tagged(STREAM));
	put(object + 40, at(INSTRUCTIONS));
	put_half(object + 48, object_kind);
	put_half(object + 52, CODE_SIZE);
	/* push rbp; mov rbp, rsp; call rax; leave; ret */
	put_code(INSTRUCTIONS, "\x55\x48\x89\xe5\xff\xd0\xc9\xc3", 8);
}

static void add_range(const char *path, uint64_t from, uint64_t to)
{
	struct mapping range = {
		.start = at(from), .end = at(to), .bias = at(0), .image = image_open_none(path)
	};

	cr_assert_eq(modmap_add(maps, &range), 0);
	if (!from)
		rt.place = (struct v8_place){ range.image, range.bias, &live.memory };
}

static void set_tables(void)
{
	rt.t = (struct v8_tables){
		.release = V8_NODE_22,
		.code_type = CODE_TYPE,
		.stream_type = STREAM_TYPE,
		.shared_type = 274,
		.bytecode_type = 205,
		.first_function_type = 2066,
		.last_function_type = 2082,
		.instance_type = 12,
		.shared = 32,
		.bytecodes = 64,
		.stream_code = 8,
		.instructions = 32,
		.code_stream = 32,
		.code_start = 40,
		.code_size = 52,
		.code_flags = 48,
		.code_bytes = 64,
		.fp_marker = -8,
		.fp_function = -16,
		.fp_bytecode = -32,
		.fp_offset = -40,
		.frames = { 1, 2, 4, 12, 17, 22, 23, 28, 29 },
		.kind_regexp = 3,
		.kind_baseline = KIND_BASELINE,
	};
}

static void setup(void)
{
	memset(bytes, 0xcc, STACK);
	memset(bytes + STACK, 0, sizeof(bytes) - STACK);
	/* push rbp; mov rbp, rsp; push 2; call; leave; ret */
	put_code(ENTRY_BUILTIN, "\x55\x48\x89\xe5\x6a\x02\xe8\x00\x00\x00\x00\xc9\xc3", 13);
	/* xor eax, eax; nop; nop; ret */
	put_code(LEAF_BUILTIN, "\x31\xc0\x90\x90\xc3", 5);
	memory_live_init(&live, getpid());
	process.pid = getpid();
	cr_assert_eq(modmap_new(&maps, &process), 0);
	add_range("node", TEXT, CODE);
	add_range("[anon]", CODE, HEAP);
	set_tables();
	rt.live = rt.memory = &live.memory;
	rt.builtins = (struct v8_builtins){ .all = builtins, .count = 2 };
	cr_assert_eq(v8_codes_new(&rt.codes), 0);
	cr_assert_eq(v8_steps_new(&rt.steps), 0);
	cr_assert_eq(v8_names_new(&rt), 0);
	cr_assert_eq(codemap_init(&map), 0);
	put_object(KIND_TURBOFAN);
}

static void teardown(void)
{
	v8_names_free(rt.names);
	v8_steps_free(rt.steps);
	v8_codes_free(rt.codes);
	codemap_release(&map);
	modmap_free(maps);
}

TestSuite(step, .init = setup, .fini = teardown);

static void begin(uint64_t pc, enum frame_kind of)
{
	w = (struct walk){
		.valid = REGS_ALL, .memory = &live.memory, .maps = maps, .map = &map, .code = &code
	};
	w.regs.r[DWARF_RIP] = at(pc);
	w.regs.r[DWARF_RSP] = at(SP);
	w.regs.r[DWARF_RBP] = at(SP + 0x40);
	kind = of;
	codebytes_begin(&code, maps);
	map.generation = modmap_generation(maps);
	v8_steps_begin(rt.steps);
}

static int step(void)
{
	memset(&frame, 0, sizeof(frame));
	w.at = codemap_find(&map, maps, w.regs.r[DWARF_RIP] - (kind == FRAME_RETURN));
	return v8_step(&rt, &w, &kind, &frame);
}

static void expect(int end, uint64_t pc, uint64_t sp, uint64_t fp)
{
	cr_assert_eq(end, STEP_ON, "%d", end);
	cr_expect_eq(w.regs.r[DWARF_RIP], at(pc));
	cr_expect_eq(w.regs.r[DWARF_RSP], at(sp));
	cr_expect_eq(w.regs.r[DWARF_RBP], at(fp));
	cr_expect_eq(w.source, FRAME_BY_RUNTIME);
	cr_expect_eq(kind, FRAME_RETURN);
}

Test(step, leaf_has_its_return_address_on_top)
{
	begin(LEAF_RET, FRAME_PC);
	put(SP, at(ENTRY_CALL));
	expect(step(), ENTRY_CALL, SP + 8, SP + 0x40);
	cr_expect_eq(frame.kind, V8_BUILTIN);
	cr_expect_eq(frame.code, LEAF_BUILTIN);
	cr_expect_eq(w.valid, 1u << DWARF_RIP | 1u << DWARF_RSP | 1u << DWARF_RBP);
}

Test(step, frame_is_followed_by_rbp)
{
	begin(ENTRY_CALL, FRAME_RETURN);
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(CODE_CALL));
	expect(step(), CODE_CALL, SP + 0x50, SP + 0x80);
	cr_expect_eq(frame.kind, V8_HIDDEN);
}

/* In its first instructions rbp is the caller's. */
Test(step, frame_is_not_set_up_yet)
{
	begin(ENTRY_BUILTIN, FRAME_PC);
	put(SP, at(CODE_CALL));
	expect(step(), CODE_CALL, SP + 8, SP + 0x40);
	begin(ENTRY_BUILTIN + 1, FRAME_PC);
	put(SP + 8, at(CODE_CALL));
	expect(step(), CODE_CALL, SP + 16, SP + 0x40);
}

Test(step, entry_restores_what_its_caller_needs)
{
	static const uint8_t saved[] = { DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15, DWARF_RBX };

	begin(ENTRY_CALL, FRAME_RETURN);
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(ENTRY_CALL));
	put(SP + 0x38, 1 << 1); /* EntryFrame */
	for (unsigned i = 0; i < sizeof(saved); i++)
		put(SP + 0x40 - 8 * (i + 3), 100 + i);
	expect(step(), ENTRY_CALL, SP + 0x50, SP + 0x80);
	for (unsigned i = 0; i < sizeof(saved); i++) {
		cr_expect(w.valid >> saved[i] & 1);
		cr_expect_eq(w.regs.r[saved[i]], 100 + i);
	}
}

Test(step, what_no_call_precedes_is_in_doubt)
{
	begin(ENTRY_CALL, FRAME_RETURN);
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(ENTRY_CALL - 1));
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
	begin(ENTRY_CALL, FRAME_RETURN);
	put(SP + 0x48, at(HEAP)); /* not executable */
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
}

/* Where optimised code was given up, a frame continues at the beginning of a builtin. */
Test(step, a_builtins_beginning_is_a_return_address)
{
	begin(ENTRY_CALL, FRAME_RETURN);
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(LEAF_BUILTIN));
	put(SP + 0x80, at(SP + 0xc0));
	put(SP + 0x88, at(CODE_CALL));
	expect(step(), LEAF_BUILTIN, SP + 0x50, SP + 0x80);
	expect(step(), CODE_CALL, SP + 0x90, SP + 0xc0);
}

Test(step, rbp_has_to_be_near)
{
	begin(ENTRY_CALL, FRAME_RETURN);
	w.regs.r[DWARF_RBP] = at(SP - 8);
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
	begin(ENTRY_CALL, FRAME_RETURN);
	w.regs.r[DWARF_RBP] = at(SP + 0x41);
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
	begin(ENTRY_CALL, FRAME_RETURN);
	w.regs.r[DWARF_RBP] = at(SP) + (1ull << 32);
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
	begin(ENTRY_CALL, FRAME_RETURN);
	w.valid &= ~(1u << DWARF_RBP);
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
}

Test(step, copy_of_the_stack_ends)
{
	struct memory_bytes copy;

	memory_bytes_init(&copy, bytes + SP, at(SP), 0x40);
	copy.more = 0x1000;
	begin(ENTRY_CALL, FRAME_RETURN);
	w.memory = &copy.memory;
	cr_expect_eq(step(), STACK_COPY_EXHAUSTED);
}

static uint64_t copied(uint64_t pc)
{
	return COPY + pc - ENTRY_BUILTIN;
}

/* Where code is out of reach of the builtins, V8 copies these to a mapping of their own. */
Test(step, copied_builtin_is_the_original)
{
	memcpy(bytes + COPY, bytes + ENTRY_BUILTIN, 0x200);
	add_range("[anon]", COPY, COPY + 0x1000);
	begin(copied(LEAF_RET), FRAME_PC);
	put(SP, at(copied(ENTRY_CALL)));
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(CODE_CALL));
	expect(step(), copied(ENTRY_CALL), SP + 8, SP + 0x40);
	cr_expect_eq(frame.kind, V8_BUILTIN);
	cr_expect_eq(frame.code, LEAF_BUILTIN);
	cr_expect_eq(w.original.image, rt.place.image);
	cr_expect_eq(w.original.addr, LEAF_RET);
	expect(step(), CODE_CALL, SP + 0x50, SP + 0x80);
	cr_expect_eq(frame.kind, V8_HIDDEN);
}

Test(step, what_has_other_bytes_is_no_copy)
{
	memcpy(bytes + COPY, bytes + ENTRY_BUILTIN, 0x200);
	bytes[copied(ENTRY_CALL) + 1] ^= 1;
	add_range("[anon]", COPY, COPY + 0x1000);
	begin(copied(ENTRY_CALL), FRAME_RETURN);
	cr_expect_eq(step(), MANAGED_PASS);
	cr_expect_null(w.original.image);
}

Test(step, a_copy_has_all_builtins)
{
	memcpy(bytes + COPY, bytes + ENTRY_BUILTIN, 0x200);
	add_range("[anon]", COPY, COPY + LEAF_BUILTIN - ENTRY_BUILTIN);
	begin(copied(ENTRY_CALL), FRAME_RETURN);
	cr_expect_eq(step(), MANAGED_PASS);
}

Test(step, other_code_is_not_ours)
{
	begin(TEXT + 0x800, FRAME_PC);
	cr_expect_eq(step(), MANAGED_PASS);
	begin(CODE + 0x1000, FRAME_RETURN);
	cr_expect_eq(step(), MANAGED_PASS);
}

/* Code objects. */

Test(step, code_is_found_by_its_header)
{
	begin(CODE_CALL, FRAME_RETURN);
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(ENTRY_CALL));
	expect(step(), ENTRY_CALL, SP + 0x50, SP + 0x80);
	cr_expect_eq(frame.kind, V8_UNKNOWN, "it has no function");
	cr_expect(frame.code != 0);
}

Test(step, code_is_entered_and_left)
{
	begin(INSTRUCTIONS, FRAME_PC);
	put(SP, at(ENTRY_CALL));
	expect(step(), ENTRY_CALL, SP + 8, SP + 0x40);
	begin(INSTRUCTIONS + 7, FRAME_PC); /* behind leave */
	expect(step(), ENTRY_CALL, SP + 8, SP + 0x40);
}

/* While the call is made that sets up its frame, it has none. */
Test(step, sparkplug_is_entered)
{
	put_object(KIND_BASELINE);
	put_code(INSTRUCTIONS, "\xbb\x10\x00\x00\x00\xff\xd0\x57", 8); /* mov ebx, 16; call rax */
	begin(LEAF_RET, FRAME_PC);
	put(SP, at(INSTRUCTIONS + 7));
	put(SP + 8, at(ENTRY_CALL));
	expect(step(), INSTRUCTIONS + 7, SP + 8, SP + 0x40);
	expect(step(), ENTRY_CALL, SP + 16, SP + 0x40);
}

static bool finds(uint64_t pc)
{
	struct v8_code c;

	return v8_code_find(&rt, at(pc), &c) && c.start == at(INSTRUCTIONS) && c.size == CODE_SIZE;
}

Test(step, known_code_is_proven_again)
{
	cr_expect(finds(INSTRUCTIONS));
	cr_expect(finds(INSTRUCTIONS + CODE_SIZE - 1));
	cr_expect_not(finds(INSTRUCTIONS + CODE_SIZE));
	cr_expect_not(finds(STREAM));
	put(HEAP + 0x200 + 40, at(INSTRUCTIONS + 64)); /* Code says that it begins elsewhere */
	cr_expect_not(finds(INSTRUCTIONS));
	put(HEAP + 0x200 + 40, at(INSTRUCTIONS));
	cr_expect(finds(INSTRUCTIONS));
	put_half(HEAP + 0x200 + 52, 4);
	cr_expect_not(finds(INSTRUCTIONS + 8));
	put(STREAM + 8, tagged(HEAP)); /* no Code */
	cr_expect_not(finds(INSTRUCTIONS));
}

/* The collector has moved it: its first word is where to, and Code may name either place. */
Test(step, code_is_moved)
{
	enum { MOVED = CODE + 0x820 };

	memcpy(bytes + MOVED, bytes + STREAM, 32 + CODE_SIZE);
	put(STREAM, at(MOVED));
	cr_expect(finds(INSTRUCTIONS + 4), "Code is as it was");
	put(HEAP + 0x200 + 32, tagged(MOVED));
	put(HEAP + 0x200 + 40, at(MOVED + 32));
	cr_expect(finds(INSTRUCTIONS + 4), "Code has the new place");
	put(STREAM, tagged(HEAP));
	cr_expect(finds(INSTRUCTIONS + 4), "what is there is an old copy");
	put(MOVED, 0);
	cr_expect_not(finds(INSTRUCTIONS + 4), "of what is no code object any more");
}

/* An exit behind optimized code is a call, with no call before it. */
Test(step, exit_is_a_return_address)
{
	put_code(INSTRUCTIONS + 16, "\xcc\xff\xd0\xff\xd0", 5);
	begin(ENTRY_CALL, FRAME_RETURN);
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(INSTRUCTIONS + 17));
	expect(step(), INSTRUCTIONS + 17, SP + 0x50, SP + 0x80);
	put_object(KIND_BASELINE); /* which has no exits */
	begin(ENTRY_CALL, FRAME_RETURN);
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
}

/* Where optimised code was given up in a constructor, its caller continues in the middle of a builtin. */
Test(step, a_constructors_call_is_made_up)
{
	begin(ENTRY_CALL, FRAME_RETURN);
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(ENTRY_BUILTIN + 4));
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
	put(SP + 0x78, 23 << 1); /* ConstructFrame */
	begin(ENTRY_CALL, FRAME_RETURN);
	expect(step(), ENTRY_BUILTIN + 4, SP + 0x50, SP + 0x80);
	put(SP + 0x48, at(ENTRY_BUILTIN + 5)); /* inside an instruction */
	begin(ENTRY_CALL, FRAME_RETURN);
	cr_expect_eq(step(), STACK_RUNTIME_IN_DOUBT);
}

/* WebAssembly. */

Test(step, wasm_is_known_by_its_marker)
{
	begin(CODE + 0x800, FRAME_RETURN);
	put(SP + 0x40, at(SP + 0x80));
	put(SP + 0x48, at(ENTRY_CALL));
	cr_expect_eq(step(), MANAGED_PASS);
	put(SP + 0x38, 4 << 1);
	begin(CODE + 0x800, FRAME_RETURN);
	expect(step(), ENTRY_CALL, SP + 0x50, SP + 0x80);
	cr_expect_eq(frame.kind, V8_WASM);
}

Test(step, wasm_is_entered)
{
	put_code(CODE + 0x800, "\x55\x48\x89\xe5\x6a\x08", 6);
	begin(CODE + 0x800, FRAME_PC);
	put(SP, at(ENTRY_CALL));
	expect(step(), ENTRY_CALL, SP + 8, SP + 0x40);
	begin(CODE + 0x801, FRAME_PC);
	put(SP + 8, at(ENTRY_CALL));
	expect(step(), ENTRY_CALL, SP + 16, SP + 0x40);
}
