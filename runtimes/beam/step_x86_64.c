/*
 * From a frame of Erlang's to its caller's.
 *
 * While Erlang runs, rsp is the stack pointer of the process (BeamAsm's native stack): return
 * addresses among its live variables, no frame sizes. The BEAM itself walks it so: a word with the
 * low bits 00 is no term, but a return address (is_CP). That is true at each call that can run
 * other Erlang code, collect garbage or raise: all variables of the callers are terms then. So it
 * is true for each frame but the innermost.
 *
 * The innermost frame may just have made room for variables without writing them yet. An old return
 * address may lie there. So its code is read forward to its return (depth.h). One case needs no
 * reading: where the code has stored the stack pointer so that C can look at the stack, all
 * variables of the innermost frame are terms, too.
 *
 * C runs on the scheduler's stack, right below the scheduler's registers. The code behind the call
 * says where the process's stack pointer is meanwhile: in a register that C preserves, or in
 * struct process.
 *
 * The outermost function returns to code that ends the process. There the walk goes on with what
 * called process_main, on the scheduler's stack: process_main's code has made the registers there,
 * at one of four places below its return address, which must be behind a call of process_main.
 */

#include "base/process/image.h"
#include "runtimes/beam/depth.h"
#include "runtimes/beam/functions.h"
#include "runtimes/beam/runtime.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/emulator.h"
#include "unwind/table/regs.h"

enum {
	FRAME_MAX = 1 << 20, /* bytes */
	BACK_MOST = 256,     /* instructions behind a call of C, until rsp is the process's again */
	SCAN_MOST = 1 << 16, /* words of a stack that are searched for a return address */
	ARGUMENTS = 64,	     /* bytes of arguments that C takes from its stack, at most */
	ALIGNMENT = 64,	     /* of the scheduler's registers */
	CP_MASK = 3,
};

#define BIT(reg) (1u << (reg))

static const uint32_t KEPT = BIT(DWARF_RBX) | BIT(DWARF_R13);

struct beam_step_place {
	struct beam_runtime *rt;
	struct walk *w;
	uint64_t pc;
	bool exact;    /* pc is the next instruction, not a return address */
	bool on_c;     /* rsp is on the scheduler's stack */
	bool function; /* the code is a function's */
};

static uint64_t registers(const struct beam_step_place *p)
{
	return p->w->regs.r[DWARF_RBX] - p->rt->at.registers;
}

static bool beam_step_is_shared(const struct beam_runtime *rt, uint64_t pc)
{
	return pc >= rt->at.shared && pc < rt->at.shared_end;
}

static void beam_step_hide(struct managed_frame *frame)
{
	frame->kind = BEAM_HIDDEN;
	frame->code = 1;
}

/* Is it a jump behind a module's last function, by which others go to shared code? */
static bool is_way_out(const struct beam_step_place *p, uint64_t addr)
{
	uint8_t bytes[INSN_LENGTH_MAX];
	struct insn i;

	return p->exact && beam_is_last(p->rt, addr) &&
	       !insn_decode(bytes, codebytes_read(p->w->code, addr, bytes, sizeof(bytes)), &i) &&
	       insn_is(&i, 0xe9) && beam_step_is_shared(p->rt, insn_target(&i, addr + i.len));
}

/* What is at the pc? False: it is not the BEAM's. */
static bool beam_step_find_place(struct beam_step_place *p, struct managed_frame *frame)
{
	const struct code *at = p->w->at;
	uint64_t addr = p->pc - !p->exact;

	if (at && !image_is_memory(at->image))
		return false;
	p->function = beam_function_at(p->rt, addr, frame) && !is_way_out(p, addr);
	if (p->function)
		return true;
	beam_step_hide(frame);
	return beam_range_find(p->rt, addr) || beam_step_is_shared(p->rt, p->pc);
}

/* Can a process continue at that address? Aligned addresses need not stand behind a call, since the
 * BEAM makes some itself. Unaligned ones, which shared code may have, always do. */
static bool beam_step_is_return_address(struct beam_step_place *p, uint64_t pc)
{
	uint64_t target;

	return (beam_range_find(p->rt, pc) || beam_step_is_shared(p->rt, pc)) &&
	       (!(pc & CP_MASK) || codebytes_behind_call(p->w->code, pc, &target));
}

/* Why a walk ends at a read that failed. Of the stack on which it began, more can be copied next
 * time. Of the other stack a copy has all that it will ever have. */
static int end_of_read(const struct beam_step_place *p, int rc)
{
	return (int)(p->rt->crossed ? STACK_MEMORY_UNREADABLE : step_end_of_read(rc));
}

/* Finds the first word from sp on that is a return address and has none of the bits of `mask`: with
 * CP_MASK, by the BEAM's own rule. */
static int beam_step_scan(struct beam_step_place *p, uint64_t sp, uint64_t mask, uint64_t *slot,
			  uint64_t *pc)
{
	for (unsigned i = 0; i < SCAN_MOST; i++, sp += 8) {
		int rc = memory_read_u64(p->w->memory, sp, pc);

		if (rc)
			return end_of_read(p, rc);
		if (!(*pc & mask) && beam_step_is_return_address(p, *pc)) {
			*slot = sp;
			return STEP_ON;
		}
	}
	return STACK_RUNTIME_IN_DOUBT;
}

static int beam_step_arrive(struct beam_step_place *p, uint64_t slot, uint64_t pc,
			    enum frame_kind *kind)
{
	struct walk *w = p->w;

	w->changed_stack = p->on_c;
	w->regs.r[DWARF_RIP] = pc;
	w->regs.r[DWARF_RSP] = slot + 8;
	w->valid = (w->valid & KEPT) | BIT(DWARF_RIP) | BIT(DWARF_RSP);
	w->source = FRAME_BY_RUNTIME;
	*kind = FRAME_RETURN;
	return STEP_ON;
}

/* Steps to the caller of process_main, from code that no Erlang function has called: process_main's
 * own, or other code while the process's stack is empty or given up. */
static int beam_step_leave(struct beam_step_place *p, enum frame_kind *kind)
{
	const struct beam_layout *at = &p->rt->at;
	uint64_t low = registers(p) + at->frame, slot = 0, pc = 0, found = 0, target;
	struct walk *w = p->w;

	p->rt->crossed = true;
	for (uint64_t addr = low; addr < low + ALIGNMENT; addr += 8) {
		int rc = memory_read_u64(w->memory, addr, &pc);

		if (rc)
			return end_of_read(p, rc);
		if (addr % 16 != 8 || !codebytes_behind_call(w->code, pc, &target) ||
		    target != at->main)
			continue;
		if (slot)
			return STACK_RUNTIME_IN_DOUBT;
		slot = addr;
		found = pc;
	}
	if (!slot)
		return STACK_RUNTIME_IN_DOUBT;
	w->valid = 0;
	beam_step_arrive(p, slot, found, kind);
	w->changed_stack = true; /* what lies between is of no use, and need not be copied */
	return STEP_ON;
}

/* Finds the instruction that sets rsp to the process's stack again after C has returned. Both ways
 * of a conditional jump lead to the same end, so it is passed. */
static bool find_switch_back(const struct beam_step_place *p, struct insn *i)
{
	uint8_t bytes[INSN_LENGTH_MAX];
	uint64_t pc = p->pc;

	for (unsigned n = 0; n < BACK_MOST; n++) {
		size_t len = codebytes_read(p->w->code, pc, bytes, sizeof(bytes));

		if (insn_decode(bytes, len, i))
			return false;
		pc += i->len;
		if (beam_is_switch_back(p->rt, i))
			return true;
		if (insn_flow(i) == FLOW_JUMP)
			pc = insn_target(i, pc);
		else if (!insn_goes_on(i))
			return false;
	}
	return false;
}

/* Reads the words of struct process around the stack pointer. */
static int beam_step_read_head(const struct beam_step_place *p, uint64_t process,
			       uint64_t head[BEAM_HEAD_WORDS])
{
	const struct memory *memory = p->w->memory;
	int rc = memory->read(memory, process + p->rt->at.stop - 8, head,
			      BEAM_HEAD_WORDS * sizeof(*head));

	return rc ? end_of_read(p, rc) : STEP_ON;
}

static int saved_stack(const struct beam_step_place *p, uint64_t process, uint64_t *sp)
{
	uint64_t head[BEAM_HEAD_WORDS];
	int end = beam_step_read_head(p, process, head);

	if (end != STEP_ON)
		return end;
	*sp = head[1];
	return beam_heap_fits(head) ? STEP_ON : STACK_RUNTIME_IN_DOUBT;
}

/* Finds the process's stack pointer while C runs. *saved: the code has stored it in struct process,
 * so that C can look at the stack; all variables on it are terms then. */
static int beam_step_find_stack(struct beam_step_place *p, uint64_t *sp, bool *saved)
{
	const struct walk *w = p->w;
	struct insn i;
	unsigned from;

	p->rt->crossed = true;
	if (!find_switch_back(p, &i))
		return STACK_RUNTIME_IN_DOUBT;
	from = i.in_memory ? DWARF_R13 : emulator_dwarf(i.opcode == 0x8b ? i.rm : i.reg);
	if (!(w->valid & BIT(from)))
		return STACK_NO_UNWIND_INFO;
	*sp = w->regs.r[from];
	*saved = i.in_memory && !p->rt->at.frame_pointers;
	return i.in_memory ? saved_stack(p, *sp, sp) : STEP_ON;
}

/* How far above the process's stack pointer an address on its stack is. */
static int64_t above(uint64_t addr, uint64_t sp)
{
	return addr % 8 == 0 && addr - sp < FRAME_MAX ? (int64_t)(addr - sp) : BEAM_NOT_KNOWN;
}

/* Finds where the code leaves its frame. *slot: the address of the return address. */
static enum beam_exit beam_step_find_exit(struct beam_step_place *p, uint64_t sp, uint64_t *slot)
{
	const struct walk *w = p->w;
	struct beam_from from = {
		.pc = p->pc, .on_c = p->on_c, .rbp = BEAM_NOT_KNOWN, .saved_rbp = BEAM_NOT_KNOWN
	};
	enum beam_exit exit;
	uint64_t saved;
	int64_t depth = 0;

	if (w->valid & BIT(DWARF_RBP))
		from.rbp = above(w->regs.r[DWARF_RBP], sp);
	if (p->rt->at.frame_pointers && p->on_c && w->valid & BIT(DWARF_R13) &&
	    !memory_read_u64(w->memory, w->regs.r[DWARF_R13] + p->rt->at.stop + 8, &saved))
		from.saved_rbp = above(saved, sp);
	exit = beam_depth(p->rt, w->code, &from, &depth);
	*slot = sp + (uint64_t)depth;
	return exit;
}

/* Is the process's stack empty? Only shared code may run then. */
static int beam_step_is_empty(const struct beam_step_place *p, uint64_t sp, bool *empty)
{
	const struct walk *w = p->w;
	uint64_t head[BEAM_HEAD_WORDS];
	uint32_t heap;
	int end;

	*empty = false;
	if (p->function)
		return STEP_ON;
	if (!(w->valid & BIT(DWARF_R13)))
		return STACK_NO_UNWIND_INFO;
	end = beam_step_read_head(p, w->regs.r[DWARF_R13], head);
	if (end != STEP_ON)
		return end;
	heap = beam_find_heap(head);
	*empty = heap && sp == head[heap + 1];
	return heap && sp >= head[heap] && sp <= head[heap + 1] ? STEP_ON : STACK_RUNTIME_IN_DOUBT;
}

/* The innermost frame of the process. */
static int step_innermost(struct beam_step_place *p, enum frame_kind *kind)
{
	uint64_t sp = p->w->regs.r[DWARF_RSP], slot = 0, pc = 0;
	bool terms = false, empty;
	enum beam_exit exit;
	int end = p->on_c ? beam_step_find_stack(p, &sp, &terms) : STEP_ON;

	if (end != STEP_ON)
		return end;
	exit = beam_step_find_exit(p, sp, &slot);
	if (exit == BEAM_EXIT_RETURN) {
		int rc = memory_read_u64(p->w->memory, slot, &pc);

		if (rc)
			return end_of_read(p, rc);
		return beam_step_is_return_address(p, pc) ? beam_step_arrive(p, slot, pc, kind) :
							    STACK_RUNTIME_IN_DOUBT;
	}
	if (exit != BEAM_EXIT_PAUSE && !terms)
		return STACK_RUNTIME_IN_DOUBT;
	end = beam_step_is_empty(p, sp, &empty);
	if (end == STEP_ON && empty)
		return beam_step_leave(p, kind);
	if (end == STEP_ON)
		end = beam_step_scan(p, sp, p->function ? CP_MASK : 0, &slot, &pc);
	return end == STEP_ON ? beam_step_arrive(p, slot, pc, kind) : end;
}

static bool is_main(const struct beam_step_place *p)
{
	return p->pc >= p->rt->at.jit_main && p->pc < p->rt->at.jit_main_end;
}

/* Is it the code that ends a process, whose stack is empty or given up? */
static bool beam_step_is_end(const struct beam_step_place *p)
{
	const struct beam_range *ends = p->rt->at.ends;

	for (unsigned i = 0; i < BEAM_ENDS; i++)
		if (p->pc >= ends[i].start && p->pc < ends[i].end)
			return true;
	return false;
}

int beam_step(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame)
{
	struct beam_step_place p = {
		.rt = rt, .w = w, .pc = w->regs.r[DWARF_RIP], .exact = *kind != FRAME_RETURN
	};
	uint64_t slot, pc;
	int end;

	if (!beam_step_find_place(&p, frame))
		return MANAGED_PASS;
	if (!(w->valid & BIT(DWARF_RBX)))
		return STACK_NO_UNWIND_INFO;
	p.on_c = registers(&p) - w->regs.r[DWARF_RSP] <= ARGUMENTS;
	if ((is_main(&p) && p.on_c) || beam_step_is_end(&p))
		return beam_step_leave(&p, kind);
	if (p.exact || p.on_c)
		return step_innermost(&p, kind);
	end = beam_step_scan(&p, w->regs.r[DWARF_RSP], CP_MASK, &slot, &pc);
	return end == STEP_ON ? beam_step_arrive(&p, slot, pc, kind) : end;
}
