/* Steps from frames of HotSpot's in made-up code: what they lead to, and where they end in doubt. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "unwind/managed.h"
#include "tests/unit/runtimes/hotspot/made_up_vm.h"

#ifdef __x86_64__

enum {
	SP = VM_STACK + 0x1000,
	CALLER_FRAME = 6, /* words */
	CALLER_PC = 0x20, /* a return address in the caller, which has a PcDesc */
	FRAME = 4,
	ENTRY = 0x10, /* of the call stub, to which Java returns */
};

static struct hotspot vm;
static uint64_t caller, callee, interpreter, stubs;
static struct walk w;
static enum frame_kind kind;
static struct managed_frame frame;
static struct error why;

static const char *const codelets[] = { "method entry point (kind = zerolocals)",
					"return entry points",
					"deoptimization entry points",
					"ireturn",
					"return_register_finalizer",
					NULL };

static uint64_t codelet(unsigned n)
{
	return vm_code_of(interpreter) + n * VM_CODELET + 16;
}

/* push rbp; sub rsp, 16; nop; ...; add rsp, 16; pop rbp; ret */
static const char method[] = "\x55\x48\x83\xec\x10\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
			     "\x48\x83\xc4\x10\x5d\xc3";
enum { COMPLETE = 5, BODY = 8, REMOVES = 16, POPS = 20, RETURNS = 21 };

static void setup(void)
{
	static const int32_t caller_pcs[] = { CALLER_PC }, callee_pcs[] = { BODY };

	vm_make();
	vm_method();
	stubs = vm_blob("StubRoutines (1)", 0, 0x80);
	vm_variable("StubRoutines", "_call_stub_return_address", vm_code_of(stubs) + ENTRY);
	interpreter = vm_interpreter(codelets);
	caller = vm_nmethod(1, CALLER_FRAME, 0x100, caller_pcs, 1);
	callee = vm_nmethod(2, FRAME, 0x100, callee_pcs, 1);
	vm_put(callee + BLOB_COMPLETE, COMPLETE, 4);
	vm_code(vm_code_of(callee), method, sizeof(method) - 1);
	cr_assert_eq(vm_start(&vm, &why), 0, "%s", why.text);
	memset(&w, 0, sizeof(w));
	memset(&frame, 0, sizeof(frame));
	w.memory = &vm_bytes.memory;
	w.valid = REGS_ALL;
	w.regs.r[DWARF_RSP] = SP;
	w.regs.r[DWARF_RBP] = 0xb0b;
	kind = FRAME_PC;
}

static void stop(void)
{
	vm_stop(&vm);
}

TestSuite(step, .init = setup, .fini = stop);

static int step_from(uint64_t pc)
{
	w.regs.r[DWARF_RIP] = pc;
	return hotspot_step(&vm, &w, &kind, &frame);
}

static void expect_caller(uint64_t pc, uint64_t sp, uint64_t rbp)
{
	cr_expect_eq(w.regs.r[DWARF_RIP], pc, "%lx", w.regs.r[DWARF_RIP]);
	cr_expect_eq(w.regs.r[DWARF_RSP], sp, "%lx", w.regs.r[DWARF_RSP]);
	cr_expect_eq(w.regs.r[DWARF_RBP], rbp, "%lx", w.regs.r[DWARF_RBP]);
	cr_expect_eq(w.valid & ~(1u << DWARF_R15),
		     1u << DWARF_RIP | 1u << DWARF_RSP | 1u << DWARF_RBP);
	cr_expect_eq(kind, FRAME_RETURN);
}

static uint64_t return_address(void)
{
	return vm_code_of(caller) + CALLER_PC;
}

Test(step, code_of_others_is_passed)
{
	cr_assert_eq(step_from(0x1234), MANAGED_PASS);
	cr_assert_eq(step_from(VM_HEAP_END), MANAGED_PASS);
}

Test(step, each_instruction_of_a_compiled_method)
{
	uint64_t code = vm_code_of(callee);
	static const struct {
		unsigned at, below; /* words between rsp and the return address */
	} places[] = { { 0, 0 },       { 1, 1 },    { COMPLETE, 3 }, { BODY, 3 },
		       { REMOVES, 3 }, { POPS, 1 }, { RETURNS, 0 } };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t slot = SP + 8 * places[i].below;

		w.valid = REGS_ALL;
		kind = FRAME_PC;
		memset(vm_memory + (VM_STACK - VM), 0, VM_STACK_END - VM_STACK);
		w.regs.r[DWARF_RSP] = SP;
		w.regs.r[DWARF_RBP] = 0xb0b;
		vm_put(slot, return_address(), 8);
		if (places[i].below)
			vm_put(slot - 8, 0xb0b, 8);
		cr_assert_eq(step_from(code + places[i].at), STEP_ON, "at %u", places[i].at);
		expect_caller(return_address(), slot + 8, 0xb0b);
		cr_expect_eq(frame.kind, HOTSPOT_COMPILED);
		cr_expect_eq(frame.code, callee);
		cr_expect_eq(frame.id, 0xffffffff00000002);
		cr_expect_eq(frame.at, HOTSPOT_AT(places[i].at, true));
	}
}

Test(step, an_address_above_is_not_taken)
{
	/* That of the caller's caller is there, too, as far above as this frame is large. */
	for (uint64_t slot = SP + 8 * FRAME; slot < SP + 8 * 4 * FRAME; slot += 8)
		vm_put(slot, return_address(), 8);
	cr_assert_eq(step_from(vm_code_of(callee) + BODY), STACK_RUNTIME_IN_DOUBT);
	cr_expect_eq(frame.code, callee);
}

Test(step, words_pushed_for_a_moment)
{
	/* push rax; (here) pop rax; jmp to the body */
	vm_code(vm_code_of(callee) + 0x40, "\x50\x58\xeb\xc4", 4);
	vm_put(SP + 8 * (FRAME - 1), vm_code_of(caller) + CALLER_PC + 1, 8);
	vm_put(SP + 8 * FRAME, return_address(), 8);
	vm_put(SP + 8 * (FRAME - 1), 0xb0b, 8);
	cr_assert_eq(step_from(vm_code_of(callee) + 0x41), STEP_ON);
	expect_caller(return_address(), SP + 8 * (FRAME + 1), 0xb0b);
}

/* What is ahead is read up to an epilogue, and no instruction further. */
Test(step, an_epilogue_tells_where_the_frame_is)
{
	/* (here) pop rax; pop rax; nop; ...; add rsp, 16; pop rbp; ret */
	enum { NOPS = 157 };
	uint64_t code = vm_code_of(callee) + 0x40, slot = SP + 8 * (FRAME + 1);
	char nops[NOPS];

	memset(nops, 0x90, sizeof(nops));
	vm_code(code, "\x58\x58", 2);
	vm_code(code + 2, nops, NOPS);
	vm_code(code + 2 + NOPS, method + REMOVES, RETURNS - REMOVES + 1);
	vm_put(slot - 8, 0xb0b, 8);
	vm_put(slot, return_address(), 8);
	vm_put(slot + 8 * (FRAME - 2), return_address(), 8);
	cr_assert_eq(step_from(code), STEP_ON);
	expect_caller(return_address(), slot + 8, 0xb0b);
}

Test(step, a_static_call_on_its_way_to_the_interpreter)
{
	/* mov rbx, ...; jmp out of the method */
	vm_code(vm_code_of(callee) + 0x40, "\x48\xbb\0\0\0\0\0\0\0\0\xe9\0\0\1\0", 15);
	vm_put(SP, vm_code_of(callee) + BODY, 8);
	cr_assert_eq(step_from(vm_code_of(callee) + 0x40), STEP_ON);
	expect_caller(vm_code_of(callee) + BODY, SP + 8, 0xb0b);
	cr_expect_eq(frame.kind, HOTSPOT_STATIC_STUB);
	w.valid = REGS_ALL;
	w.regs.r[DWARF_RSP] = SP;
	kind = FRAME_PC;
	cr_assert_eq(step_from(vm_code_of(callee) + 0x4a), STEP_ON);
	cr_expect_eq(frame.kind, HOTSPOT_STATIC_STUB);
}

Test(step, a_return_address_must_be_in_the_tables)
{
	vm_put(SP + 8 * (FRAME - 1), return_address() + 1, 8);
	cr_assert_eq(step_from(vm_code_of(callee) + BODY), STACK_RUNTIME_IN_DOUBT);
	w.valid = REGS_ALL;
	vm_put(SP + 8 * (FRAME - 1), codelet(1), 8);
	cr_assert_eq(step_from(vm_code_of(callee) + BODY), STEP_ON);
}

Test(step, deoptimised)
{
	uint64_t handler = vm_code_of(callee) + 0x80;

	vm_stop(&vm);
	vm_put(callee + NM_DEOPT, handler, 8);
	vm_put(callee + NM_ORIG, 8, 4);
	cr_assert_eq(vm_start(&vm, &why), 0);
	vm_put(SP + 8, vm_code_of(callee) + BODY, 8);
	vm_put(SP + 8 * (FRAME - 1), return_address(), 8);
	kind = FRAME_RETURN;
	cr_assert_eq(step_from(handler), STEP_ON);
	cr_expect_eq(frame.at, HOTSPOT_AT(BODY, false));
}

Test(step, another_method_at_the_address)
{
	vm_put(SP + 8 * (FRAME - 1), return_address(), 8);
	cr_assert_eq(step_from(vm_code_of(callee) + BODY), STEP_ON);
	vm_put(callee + NM_ID, 3, 4);
	kind = FRAME_PC;
	w.valid = REGS_ALL;
	w.regs.r[DWARF_RSP] = SP;
	cr_assert_eq(step_from(vm_code_of(callee) + BODY), STEP_ON);
	cr_expect_eq(frame.id, 0xffffffff00000003);
}

Test(step, a_freed_block)
{
	vm_put(callee - 16 + 8, 0, 1);
	cr_assert_eq(step_from(vm_code_of(callee) + BODY), STACK_RUNTIME_IN_DOUBT);
	cr_expect_eq(frame.code, 0);
}

Test(step, the_rest_of_the_stack_was_not_copied)
{
	struct memory_bytes copy;

	memory_bytes_init(&copy, vm_memory + (SP - VM), SP, 16);
	copy.more = 1 << 12;
	w.memory = &copy.memory;
	cr_assert_eq(step_from(vm_code_of(callee) + BODY), STACK_COPY_EXHAUSTED);
}

Test(step, only_a_return_address_beyond_the_copy_exhausts_it)
{
	struct memory_bytes copy;

	/* pop rbp; mov rax, [rbx]; ret */
	vm_code(vm_code_of(stubs) + 0x20, "\x5d\x48\x8b\x03\xc3", 5);
	vm_put(SP, 0xb0b, 8);
	vm_put(SP + 8, return_address(), 8);
	memory_bytes_init(&copy, vm_memory + (SP - VM), SP, 16);
	copy.more = 1 << 12;
	w.memory = &copy.memory;
	w.regs.r[DWARF_RBX] = SP + 0x200;
	cr_assert_eq(step_from(vm_code_of(stubs) + 0x20), STEP_ON);
	w.valid = REGS_ALL;
	w.regs.r[DWARF_RSP] = SP + 8;
	kind = FRAME_PC;
	cr_assert_eq(step_from(vm_code_of(stubs) + 0x20), STACK_COPY_EXHAUSTED);
}

/* The interpreter. */

enum { FP = SP + 0x100 };

static void make_interpreted(uint64_t ra, uint64_t sender, uint64_t bcp)
{
	w.regs.r[DWARF_RBP] = FP;
	vm_put(FP + 8, ra, 8);
	vm_put(FP, 0xb0b, 8);
	vm_put(FP - 8, sender, 8);
	vm_put(FP - 24, VM_METHOD, 8);
	vm_put(FP - 48, VM_CACHE, 8);
	vm_put(FP - 64, bcp, 8);
}

Test(step, an_interpreted_frame)
{
	make_interpreted(return_address(), FP + 0x40, VM_BYTECODES + 3);
	cr_assert_eq(step_from(codelet(3)), STEP_ON);
	expect_caller(return_address(), FP + 0x40, 0xb0b);
	cr_expect(frame.kind == HOTSPOT_INTERPRETED && frame.code == VM_METHOD && frame.id);
	cr_expect_eq(frame.at, 3);
}

Test(step, the_bytecode_pointer_is_in_a_register_unless_a_method_was_called)
{
	make_interpreted(return_address(), FP + 0x40, VM_BYTECODES + 3);
	w.regs.r[DWARF_R13] = VM_BYTECODES + 9;
	cr_assert_eq(step_from(codelet(3)), STEP_ON);
	cr_expect_eq(frame.at, 9);
	make_interpreted(return_address(), FP + 0x40, VM_BYTECODES + 3);
	vm_put(FP - 16, SP, 8);
	w.valid = REGS_ALL;
	w.regs.r[DWARF_RSP] = SP;
	cr_assert_eq(step_from(codelet(3)), STEP_ON);
	cr_expect_eq(frame.at, 3);
}

Test(step, what_is_no_method_ends_the_walk)
{
	make_interpreted(return_address(), FP + 0x40, VM_BYTECODES);
	vm_put(FP - 24, VM_METHOD + 8, 8);
	cr_assert_eq(step_from(codelet(3)), STACK_RUNTIME_IN_DOUBT);
	make_interpreted(return_address(), FP + 0x40, VM_BYTECODES);
	vm_put(FP - 48, VM_CACHE + 8, 8);
	cr_assert_eq(step_from(codelet(3)), STACK_RUNTIME_IN_DOUBT);
	make_interpreted(return_address(), FP - 0x40, VM_BYTECODES);
	cr_assert_eq(step_from(codelet(3)), STACK_RUNTIME_IN_DOUBT);
}

Test(step, the_end_of_an_activation)
{
	/* leave; pop rdi; mov rsp, rbx; jmp rdi */
	vm_code(codelet(3), "\xc9\x5f\x48\x8b\xe3\xff\xe7", 7);
	make_interpreted(codelet(1), FP + 0x40, VM_BYTECODES);
	w.regs.r[DWARF_RBX] = FP + 0x40;
	w.regs.r[DWARF_RSP] = FP + 8;
	w.regs.r[DWARF_RBP] = FP + 0x200; /* the caller's already */
	cr_assert_eq(step_from(codelet(3) + 1), STEP_ON);
	expect_caller(codelet(1), FP + 0x40, FP + 0x200);
	cr_expect_eq(frame.kind, HOTSPOT_CODELET);
}

Test(step, the_call_stub)
{
	static const uint8_t saved[] = { DWARF_RBX, DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15 };
	/* Of another stub, as C++ is not here. */
	uint64_t ra = vm_code_of(stubs) + 0x40;

	vm_code(ra - 5, "\xe8\0\0\0\0", 5);
	w.regs.r[DWARF_RBP] = FP;
	vm_put(FP, 0xb0b, 8);
	vm_put(FP + 8, ra, 8);
	for (unsigned i = 0; i < 5; i++)
		vm_put(FP - 8 * (7 + i), 0x100 + i, 8);
	kind = FRAME_RETURN;
	w.valid = 1u << DWARF_RIP | 1u << DWARF_RSP | 1u << DWARF_RBP;
	cr_assert_eq(step_from(vm_code_of(stubs) + ENTRY), STEP_ON);
	cr_expect_eq(frame.kind, HOTSPOT_ENTRY);
	cr_expect_eq(w.regs.r[DWARF_RSP], FP + 16);
	cr_expect_eq(w.valid & CALLEE_SAVED, CALLEE_SAVED);
	for (unsigned i = 0; i < 5; i++)
		cr_expect_eq(w.regs.r[saved[i]], 0x100 + i);
}

Test(step, loops_in_a_stub_end)
{
	vm_code(vm_code_of(stubs) + 0x20, "\xeb\xfe", 2);
	cr_assert_eq(step_from(vm_code_of(stubs) + 0x20), STACK_RUNTIME_IN_DOUBT);
	vm_code(vm_code_of(stubs) + 0x20, "\x74\x00\xeb\xfc", 4);
	cr_assert_eq(step_from(vm_code_of(stubs) + 0x20), STACK_RUNTIME_IN_DOUBT);
}

#endif
