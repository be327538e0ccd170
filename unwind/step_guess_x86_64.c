/*
 * A step where no CFI covers the code: assembly, a libc without CFI, or the output of a JIT
 * compiler.
 *
 * Three ways are tried, the most certain first, and the frame is marked with the way that found it:
 *
 * - The code is read forward to its return (forward_x86_64.c).
 * - The stack is searched for the return address of a call of a function that comes to the current
 *   pc with the current rsp; for that, the function is read from its entry. This proves it.
 * - The frame pointer. In code that no file backs it comes first, except for the innermost frame:
 *   JIT compilers keep a frame pointer, their functions may be large, and reading code of a process
 *   costs a system call. LLVM keeps none and makes no CFI for what cannot throw, so that code is
 *   read last, and far: between a call and the return are all that an unrolled loop calls.
 * - The stack is searched for a return address from which two steps by CFI succeed, or at which a
 *   stack begins. After a word that may be right but cannot be proved, none is accepted.
 *   Nor is one behind a call of another function that has CFI: a buffer in the caller's frame has
 *   kept it of an earlier call, as a rule.
 *
 * A trap behind a call does not tell that the frame is outermost: compilers and linkers put one
 * behind a call that does not return (lld pads with int3, so rustc does). A stack that code has
 * made ends there if its frame pointer is zero, and so is the word where a return address would be,
 * and no return address follows.
 *
 * Of a thread that was not stopped the frame pointer may be unknown, and with it there may be a
 * better way than a scan. So a scan accepts only what needs no other register then: what is proven,
 * and as the first address behind a call the one where the stack begins, which is its last.
 *
 * Each way must lead to an address behind a call instruction, and upward. The one exception is a
 * chain of frame pointers within code that no file backs: Java's interpreter pushes return
 * addresses without a call.
 *
 * Rejected: the frame pointer alone. perf uses it, and gdb does as a last resort. It loses the
 * caller of a function that has no frame yet or never makes one, and nothing shows the loss.
 */
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/forward.h"
#include "unwind/codemap.h"
#include "unwind/prove.h"
#include "unwind/step.h"
#include "unwind/table/rule.h"

enum {
	READ_INSNS = 600, /* instructions read forward */
	FIRST_INSNS =
		200, /* the same in code that no file backs, before its frame pointer is tried */
	CHAIN_LOOKS = 16, /* frame pointers checked ahead */
	CHAIN_SPAN = 8 << 20,
	SCAN_WORDS = 512,    /* looked at where nothing is proven */
	PROOF_WORDS = 16384, /* a caller's frame may hold a buffer of 64 KiB */
	SCAN_STEPS = 2,	     /* steps that must succeed from what a scan has found */
	SCAN_ENTRIES = 16,
};

static bool backed_by_file(const struct modmap *maps, uint64_t addr)
{
	const struct mapping *range = modmap_find(maps, addr);

	return range && image_elf(range->image);
}

/* pop is 58 to 5f, or 41 before that; ret is c3 or c2, f3 or f2 may stand before it. */
bool code_is_leaving(struct codebytes *code, uint64_t pc)
{
	uint8_t bytes[24];
	size_t len = codebytes_read(code, pc, bytes, sizeof(bytes)), at = 0;

	while (at < len && ((bytes[at] & 0xf8) == 0x58 ||
			    (bytes[at] == 0x41 && at + 1 < len && (bytes[at + 1] & 0xf8) == 0x58)))
		at += bytes[at] == 0x41 ? 2 : 1;
	if (at < len && (bytes[at] == 0xf3 || bytes[at] == 0xf2))
		at++;
	return at < len && (bytes[at] == 0xc3 || bytes[at] == 0xc2);
}

/* In musl: mov $15,%rax; syscall, or the same in 32 bits (rt_sigreturn is 15). */
bool code_is_restorer(struct codebytes *code, uint64_t pc)
{
	static const uint8_t mov[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t mov32[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	uint8_t bytes[sizeof(mov)];
	size_t len = codebytes_read(code, pc, bytes, sizeof(bytes));

	return (len >= sizeof(mov) && !memcmp(bytes, mov, sizeof(mov))) ||
	       (len >= sizeof(mov32) && !memcmp(bytes, mov32, sizeof(mov32)));
}

/* Reads what the kernel leaves on the stack for the restorer: struct rt_sigframe without its first
 * word, that is struct ucontext, with the registers at 40 bytes in the order of struct
 * sigcontext_64 (arch/x86/include/uapi/asm/sigcontext.h). */
int step_from_restorer(struct walk *w)
{
	static const uint8_t order[DWARF_COUNT] = {
		DWARF_R8,  DWARF_R9,  DWARF_R10, DWARF_R11, DWARF_R12, DWARF_R13,
		DWARF_R14, DWARF_R15, DWARF_RDI, DWARF_RSI, DWARF_RBP, DWARF_RBX,
		DWARF_RDX, DWARF_RAX, DWARF_RCX, DWARF_RSP, DWARF_RIP,
	};
	uint64_t values[DWARF_COUNT];
	int rc = w->memory->read(w->memory, w->regs.r[DWARF_RSP] + 40, values, sizeof(values));

	if (rc)
		return step_end_of_read(rc);
	for (size_t i = 0; i < DWARF_COUNT; i++)
		w->regs.r[order[i]] = values[i];
	w->valid = REGS_ALL;
	w->source = FRAME_BY_CODE;
	return STEP_ON;
}

/* Which addresses can be return addresses. */

static bool step_guess_is_return_address(void *ctx, uint64_t addr)
{
	struct walk *w = ctx;
	uint64_t target;

	return modmap_find(w->maps, addr - 1) &&
	       (codebytes_behind_call(w->code, addr, &target) || prove_signal_returns_to(w, addr));
}

/* Did no call lead here? Then code that makes stacks has put the address there, for the outermost
 * function to return to. (Java's interpreter pushes addresses of code that no file backs.) */
static bool is_put_there(const struct walk *w)
{
	uint64_t target;

	return w->kind == FRAME_RETURN && backed_by_file(w->maps, w->regs.r[DWARF_RIP]) &&
	       !codebytes_behind_call(w->code, w->regs.r[DWARF_RIP], &target);
}

/* The code. */

static int step_by_code(struct walk *w, unsigned most, bool *traps)
{
	struct regs regs = w->regs;
	uint32_t valid = w->valid;

	enum forward_end how = forward_to_return(w->code, w->memory, &regs, &valid, most,
						 step_guess_is_return_address, w);

	switch (how) {
	case FORWARD_FOUND:
		w->regs = regs;
		w->valid = valid;
		w->source = FRAME_BY_CODE;
		return STEP_ON;
	case FORWARD_EXITS:
		return STACK_OUTERMOST;
	case FORWARD_TRAPS:
	case FORWARD_CALLS_LAST:
		w->made = is_put_there(w);
		if (w->made)
			return STACK_OUTERMOST;
		*traps |= how == FORWARD_TRAPS;
		break;
	case FORWARD_UNREADABLE:
		return STACK_MEMORY_UNREADABLE;
	case FORWARD_EXHAUSTED:
		return STACK_COPY_EXHAUSTED;
	case FORWARD_UNKNOWN:
		break;
	}
	return STACK_NO_UNWIND_INFO;
}

int step_by_reading(struct walk *w)
{
	bool traps = false;
	int end = step_by_code(w, image_elf(w->at->image) ? READ_INSNS : FIRST_INSNS, &traps);

	return end == STEP_ON ? STEP_ON : STACK_NO_UNWIND_INFO;
}

/* The frame pointer. */

struct step_guess_link {
	uint64_t rbp, pc; /* the caller's */
};

/* Reads what a frame pointer points to: the caller's frame pointer and the return address. */
static int read_link(const struct walk *w, uint64_t rbp, uint64_t above,
		     struct step_guess_link *link)
{
	int rc;

	if (rbp % 8 || rbp < above || rbp - above > CHAIN_SPAN)
		return STACK_NO_UNWIND_INFO;
	rc = memory_read_u64(w->memory, rbp, &link->rbp);
	if (!rc)
		rc = memory_read_u64(w->memory, rbp + 8, &link->pc);
	if (rc)
		return step_end_of_read(rc) == STACK_COPY_EXHAUSTED ? STACK_COPY_EXHAUSTED :
								      STACK_NO_UNWIND_INFO;
	return modmap_find(w->maps, link->pc) ? STEP_ON : STACK_NO_UNWIND_INFO;
}

/* Checks a chain of frame pointers that starts at a return address without a call before it. The
 * chain must hold for CHAIN_LOOKS links, or up to its end or a return address behind a call. */
static int step_guess_check_chain(struct walk *w, const struct step_guess_link *first,
				  uint64_t above)
{
	struct step_guess_link link = *first;

	for (int i = 0; i < CHAIN_LOOKS; i++) {
		uint64_t rbp = link.rbp;
		int end;

		if (backed_by_file(w->maps, link.pc))
			return STACK_NO_UNWIND_INFO;
		if (!rbp) /* end of the chain */
			return STEP_ON;
		end = read_link(w, rbp, above + 16, &link);
		if (end != STEP_ON)
			return end;
		if (step_guess_is_return_address(w, link.pc))
			return STEP_ON;
		above = rbp;
	}
	return STEP_ON;
}

static int step_by_frame_pointer(struct walk *w)
{
	uint64_t rbp = w->regs.r[DWARF_RBP];
	struct step_guess_link link;
	int end;

	if (!(w->valid >> DWARF_RBP & 1))
		return STACK_NO_UNWIND_INFO;
	/* A chain ends with zero (System V ABI, AMD64, 3.4.1). */
	if (!rbp && w->source == FRAME_BY_FRAME_POINTER)
		return STACK_OUTERMOST;
	end = read_link(w, rbp, w->regs.r[DWARF_RSP], &link);
	if (end == STEP_ON && !step_guess_is_return_address(w, link.pc))
		end = step_guess_check_chain(w, &link, rbp);
	if (end != STEP_ON)
		return end;
	w->regs.r[DWARF_RBP] = link.rbp;
	w->regs.r[DWARF_RIP] = link.pc;
	w->regs.r[DWARF_RSP] = rbp + 16;
	w->valid = 1u << DWARF_RBP | 1u << DWARF_RIP | 1u << DWARF_RSP;
	w->source = FRAME_BY_FRAME_POINTER;
	return STEP_ON;
}

/* The scan. */

/* True when steps by CFI from a return address, with the stack above it, lead to further return
 * addresses. */
static bool step_guess_leads_on(struct walk *w, uint64_t pc, uint64_t sp)
{
	struct walk from = *w;

	from.regs.r[DWARF_RIP] = pc;
	from.regs.r[DWARF_RSP] = sp;
	from.valid = 1u << DWARF_RSP | 1u << DWARF_RIP;
	for (int i = 0; i < SCAN_STEPS; i++) {
		int end;

		sp = from.regs.r[DWARF_RSP];
		from.at = codemap_find(w->map, w->maps, from.regs.r[DWARF_RIP] - 1);
		if (from.at && from.at->kind == CODE_ENTRY)
			return i > 0;
		if (!from.at || !code_has_cfi(from.at) || from.at->kind == CODE_BY_SIGNAL_RULE)
			return false;
		end = step_by_cfi(&from);
		if (end == STACK_OUTERMOST)
			return i > 0;
		if (end != STEP_ON || from.regs.r[DWARF_RSP] <= sp ||
		    !step_guess_is_return_address(w, from.regs.r[DWARF_RIP]))
			return false;
	}
	return true;
}

/* Without CFI only the first frame of a stack can be recognized: it is entry code, or code that
 * ends the thread after its one call. */
static bool begins_a_stack(struct walk *w, uint64_t pc, uint64_t sp)
{
	struct regs regs = { .r = { [DWARF_RIP] = pc, [DWARF_RSP] = sp } };
	const struct code *at = codemap_find(w->map, w->maps, pc - 1);
	uint32_t valid = 1u << DWARF_RSP;

	return (at && at->kind == CODE_ENTRY) ||
	       forward_to_return(w->code, w->memory, &regs, &valid, FIRST_INSNS,
				 step_guess_is_return_address, w) == FORWARD_EXITS;
}

static bool has_cfi(const struct walk *w, uint64_t pc)
{
	const struct code *at = codemap_find(w->map, w->maps, pc);

	return at && code_has_cfi(at);
}

struct step_guess_scan {
	uint64_t slot, pc;
	unsigned entries; /* functions that may still be read from their entry on */
	bool doubtful;	  /* a word was skipped that may be right */
	bool proves;	  /* only what is proven is accepted */
	bool met;	  /* a word behind a call */
};

/* The call names its target: does the code there come to the current pc? */
static bool comes_here(struct walk *w, struct step_guess_scan *s, uint64_t target)
{
	struct regs regs = w->regs;
	uint32_t valid = w->valid;

	if (!target || !s->entries || has_cfi(w, target) ||
	    modmap_find(w->maps, target) != modmap_find(w->maps, w->regs.r[DWARF_RIP]))
		return false;
	s->entries--;
	if (!forward_from_entry(w->code, w->memory, target, s->slot, &regs, &valid, READ_INSNS))
		return false;
	w->regs = regs;
	w->valid = valid;
	w->source = FRAME_BY_CODE;
	return true;
}

/* A function that has CFI would have been walked by it, unless it has jumped here, as LuaJIT's
 * interpreter does to what was compiled. */
static bool calls_another(const struct walk *w, uint64_t target)
{
	return target && image_elf(w->at->image) && has_cfi(w, target);
}

/* True when the word at s->slot is the return address. */
static bool consider(struct walk *w, struct step_guess_scan *s)
{
	uint64_t target;
	bool good;

	if (!modmap_find(w->maps, s->pc) || !codebytes_behind_call(w->code, s->pc, &target))
		return false;
	s->met = true;
	if (s->proves)
		return comes_here(w, s, target);
	if (s->doubtful)
		return false;
	if (has_cfi(w, s->pc - 1)) {
		bool another = calls_another(w, target);

		good = !another && !w->partial && step_guess_leads_on(w, s->pc, s->slot + 8);
		s->doubtful = another || w->partial;
	} else {
		good = begins_a_stack(w, s->pc, s->slot + 8);
		s->doubtful = !good;
	}
	if (!good)
		return false;
	w->regs.r[DWARF_RIP] = s->pc;
	w->regs.r[DWARF_RSP] = s->slot + 8;
	w->valid = 1u << DWARF_RSP | 1u << DWARF_RIP;
	w->source = FRAME_BY_SCAN;
	return true;
}

static int step_guess_scan(struct walk *w, struct step_guess_scan *s)
{
	s->slot = w->regs.r[DWARF_RSP];
	s->entries = SCAN_ENTRIES;
	for (int i = 0; i < (s->proves ? PROOF_WORDS : SCAN_WORDS); i++, s->slot += 8) {
		int rc = memory_read_u64(w->memory, s->slot, &s->pc);

		if (rc)
			return step_end_of_read(rc) == STACK_COPY_EXHAUSTED ? STACK_COPY_EXHAUSTED :
									      STACK_NO_UNWIND_INFO;
		if (consider(w, s))
			return STEP_ON;
	}
	return STACK_NO_UNWIND_INFO;
}

/* Did code that makes stacks put nothing where a frame pointer and a return address would be? */
static bool begins_with_nothing(const struct walk *w)
{
	uint64_t word;

	return w->valid >> DWARF_RBP & 1 && !w->regs.r[DWARF_RBP] &&
	       !memory_read_u64(w->memory, w->regs.r[DWARF_RSP], &word) && !word;
}

static int step_by_scan(struct walk *w, bool traps)
{
	struct step_guess_scan s = { .proves = false };
	bool nothing = traps && begins_with_nothing(w);
	int end = step_guess_scan(w, &s);

	return nothing && !s.met && end == STACK_NO_UNWIND_INFO ? STACK_OUTERMOST : end;
}

static int step_by_entry(struct walk *w)
{
	struct step_guess_scan s = { .proves = true };

	return step_guess_scan(w, &s);
}

/* True for an end that no other way could improve. */
static bool is_final(int end)
{
	return end != STACK_NO_UNWIND_INFO;
}

/* Does the call before the address that was found lead to where the frame is? A call that does not
 * return may be a function's last instruction; then the code behind it is another function's. Of an
 * indirect call it is not known: what is proven is better, if there is any. */
static bool is_called_so(const struct walk *frame, const struct walk *found)
{
	struct walk from = *frame;
	struct step_guess_scan s = { .slot = found->regs.r[DWARF_RSP] - 8, .entries = 1 };
	uint64_t target = 0;

	codebytes_behind_call(found->code, found->regs.r[DWARF_RIP], &target);
	return comes_here(&from, &s, target);
}

/* Code that ends its thread is outermost, unless it was called to do so: exit functions are. What
 * the code's return leads to is doubted where no call of this frame is proven and no CFI leads on
 * from there. (libc calls main() indirectly; a pointer to main() on the stack may look like the
 * return address of a call that ends the function before it.) */
static int step_by_code_or_entry(struct walk *w, bool innermost, bool *traps, bool *beyond)
{
	struct walk frame = *w, found;
	int end = step_by_code(w, READ_INSNS, traps), proven = STACK_NO_UNWIND_INFO;

	if (end == STEP_ON && !innermost && !is_called_so(&frame, w) &&
	    !step_guess_leads_on(w, w->regs.r[DWARF_RIP], w->regs.r[DWARF_RSP])) {
		found = *w;
		*w = frame;
		if (step_by_entry(w) != STEP_ON)
			*w = found;
		return STEP_ON;
	}
	if (!is_final(end) || (end == STACK_OUTERMOST && innermost))
		proven = step_by_entry(w);
	*beyond = proven == STACK_COPY_EXHAUSTED && !w->partial;
	return proven == STEP_ON ? proven : end;
}

static int step_in_live_code(struct walk *w, bool innermost, bool *traps)
{
	int end = innermost ? step_by_code(w, FIRST_INSNS, traps) : STACK_NO_UNWIND_INFO;

	if (!is_final(end))
		end = step_by_frame_pointer(w);
	if (!is_final(end))
		end = step_by_code(w, READ_INSNS, traps);
	return is_final(end) || w->partial ? end : step_by_entry(w);
}

int step_by_guess(struct walk *w)
{
	bool file = image_elf(w->at->image), innermost = w->kind != FRAME_RETURN, traps = false;
	bool beyond = false; /* a proof may lie beyond what was copied */
	int end;

	if (file)
		end = step_by_code_or_entry(w, innermost, &traps, &beyond);
	else
		end = step_in_live_code(w, innermost, &traps);
	if (file && !is_final(end))
		end = step_by_frame_pointer(w);
	if (is_final(end) || (w->partial && !file))
		return end;
	end = step_by_scan(w, traps);
	if (beyond && end == STACK_NO_UNWIND_INFO)
		end = STACK_COPY_EXHAUSTED;
	/* Registers would lead further than a longer copy. */
	return w->partial && end == STACK_COPY_EXHAUSTED ? STACK_NO_UNWIND_INFO : end;
}
