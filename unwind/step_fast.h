/*
 * The step of nearly every frame: by a short rule, from a stack that was copied, with all
 * callee-saved registers known. It is inline, because a call would cost more than the step itself,
 * and no branch depends on which registers were saved.
 */
#ifndef UNWIND_STEP_FAST_H
#define UNWIND_STEP_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/process/memory.h"
#include "unwind/step.h"
#include "unwind/table/rule.h"
#include "unwind/table/shortrule.h"

static inline uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Restores a register of the caller: the word in its slot, or its current value. Reads both, so
 * that there is no branch to predict. */
static inline void restore(uint64_t *reg, const uint8_t *cfa, int slot)
{
	uint64_t saved = word_at(cfa + SLOT_BYTES * (ptrdiff_t)slot);

	*reg = slot == NOT_SAVED ? *reg : saved;
}

static inline bool fast_return(const struct walk *w, const struct short_rule *rule,
			       const uint8_t *cfa, uint64_t *ra)
{
	*ra = RA_AT_CFA != 0 ? word_at(cfa + RA_AT_CFA) : w->regs.r[DWARF_RA];
	if (!RA_AT_CFA && rule->slots[RA_SLOT] != NOT_SAVED)
		*ra = word_at(cfa + SLOT_BYTES * (ptrdiff_t)rule->slots[RA_SLOT]);
	return RA_AT_CFA != 0 || rule->slots[RA_SLOT] != NOT_SAVED || w->valid >> DWARF_RA & 1;
}

#define RESTORE(number, column) restore(&r[column], at, rule->slots[number]);

/* Bytes. Two frames that are further apart are on different stacks; a function may have large
 * arrays. */
enum { CALL_GAP_MAX = 8 << 20 };

/* False when the frame allows no such step, or the caller's frame is not above it on the same
 * stack, or there is no caller; then nothing has changed. Otherwise *pc is the return address. */
static inline bool step_fast(struct walk *w, const struct code *code, uint64_t *pc)
{
	const struct short_rule *rule = &code->rule;
	const struct memory *m = w->memory;
	uint64_t *r = w->regs.r;
	const uint8_t *at;
	uint64_t cfa, top, caller;

	if (code->kind != CODE_BY_SHORT_RULE || !(w->valid >> rule->cfa_reg & 1) ||
	    (w->valid & CALLEE_SAVED) != CALLEE_SAVED)
		return false;
	cfa = r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	top = cfa - m->start;
	if (top > m->len || top + SLOT_BYTES * (NOT_SAVED + 1) > m->len ||
	    top < (uint64_t)(-SLOT_BYTES * rule->deepest) ||
	    cfa - r[DWARF_SP] - 1 >= CALL_GAP_MAX - 1)
		return false;
	at = m->bytes + top;
	if (!fast_return(w, rule, at, &caller) || !caller)
		return false;
	ARCH_SLOTS(RESTORE)
	r[DWARF_PC] = *pc = arch_unsigned(r, caller);
	r[DWARF_SP] = cfa;
	w->valid = CALLEE_SAVED | CALLER_KNOWS;
	return true;
}

#endif
