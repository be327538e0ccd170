/*
 * The step of nearly every frame: by a short rule, from a stack that is at hand, with
 * all callee-saved registers known. Inline, because it costs less than a call, and
 * without a branch that depends on which registers were saved.
 */
#ifndef UNWIND_STEP_FAST_H
#define UNWIND_STEP_FAST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "target/memory.h"
#include "unwind/rule.h"
#include "unwind/shortrule.h"
#include "unwind/step.h"

static inline uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* False when it is not such a frame; then nothing has changed. */
static inline bool step_fast(struct walk *w, const struct code *code)
{
	static const uint8_t columns[SHORT_SLOTS] = SHORT_RULE_COLUMNS;
	const struct short_rule *rule = &code->rule;
	const struct memory *m = w->memory;
	uint64_t *r = w->regs.r;
	uint64_t cfa, top;

	if (code->kind != CODE_BY_SHORT_RULE || !(w->valid >> rule->cfa_reg & 1) ||
	    (w->valid & CALLEE_SAVED) != CALLEE_SAVED)
		return false;
	cfa = r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	top = cfa - m->start;
	if (top > m->len || top < (uint64_t)SHORT_WORD * rule->deepest)
		return false;
	for (unsigned i = 0; i < SHORT_SLOTS; i++) {
		const uint8_t *saved = m->bytes + top - SHORT_WORD * rule->slots[i];
		const uint8_t *kept = (const uint8_t *)&r[columns[i]];

		r[columns[i]] = word_at(rule->slots[i] ? saved : kept);
	}
	r[DWARF_PC] = word_at(m->bytes + top - SHORT_WORD);
	r[DWARF_SP] = cfa;
	w->valid = CALLEE_SAVED | 1u << DWARF_SP | 1u << DWARF_PC;
	return true;
}

#endif
