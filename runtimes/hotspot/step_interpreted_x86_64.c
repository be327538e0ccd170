/*
 * The interpreter's frames (frame_x86.hpp, templateInterpreterGenerator_x86.cpp). Its words: enum
 * interpreter_slot.
 *
 * rbp is fp but at a method's beginning and end. Then it is the caller's, and if that is compiled,
 * it may be that of a frame further up. So the codelet decides first.
 *
 * The bytecode pointer is in r13 while the method executes, also in C functions that it calls
 * without storing it. It is stored, and r13 is used otherwise, when the method calls another one.
 */
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/simulate.h"
#include "runtimes/hotspot/steps.h"
#include "runtimes/hotspot/vm/methods.h"

enum {
	SLOTS = 12, /* from fp[-10] to fp[1] */
	FP = 10,
	FRAME_MAX = 1 << 20, /* bytes: 65,535 locals, and as much on the expression stack */
	FIXED = 8,	     /* slots below fp that each frame has at least */
	END_INSNS = 32,
	ENTRY_INSNS = 400,
};

/* A frame's words, indexed by FP + n. */
struct step_interpreted_slots {
	uint64_t at[SLOTS];
};

static uint64_t step_interpreted_slot(const struct step_interpreted_slots *f, int n)
{
	return f->at[FP + n];
}

/* The frame of a method that has not begun to execute. */
static void name_new(struct site *s, uint64_t addr)
{
	struct hotspot_method m;

	if (!hotspot_method_read(s->hs, addr, &m))
		*s->frame = (struct managed_frame){
			.kind = HOTSPOT_INTERPRETED, .code = addr, .id = m.id, .at = 0
		};
}

static bool knows(const struct site *s, unsigned reg)
{
	return s->w->valid >> reg & 1;
}

/* In the beginning of a method: the frame is not made yet. rbx is the Method, r13 the caller's
 * rsp. */
static int step_from_entry(struct site *s, const struct codelet *c)
{
	struct simulation all = { .most = ENTRY_INSNS, .by_r13 = true };
	uint64_t r13 = s->w->regs.r[DWARF_R13];
	bool has_sender = knows(s, DWARF_R13) && r13 - s->sp < FRAME_MAX;
	int end;

	if (s->exact && knows(s, DWARF_RBX))
		name_new(s, s->w->regs.r[DWARF_RBX]);
	if (s->pc != c->frame + 1)
		return site_simulate(s, &all);
	end = site_step_by_slot(s, s->sp + 8);
	if (end == STEP_ON && has_sender)
		s->w->regs.r[DWARF_RSP] = r13;
	return end;
}

/* True at mov r13, [rbp + n]: r13 is still that of the method that has returned here. */
static bool restores_r13(const struct site *s)
{
	uint8_t code[3];

	return s->exact && !s->hs->seen->read(s->hs->seen, s->pc, code, sizeof(code)) &&
	       code[0] == 0x4c && code[1] == 0x8b && code[2] == 0x6d;
}

static uint64_t bci_of(const struct site *s, const struct step_interpreted_slots *f,
		       const struct hotspot_method *m)
{
	uint64_t stored = step_interpreted_slot(f, SLOT_BYTECODE + !s->hs->steps->has_mirror) -
			  m->code;
	uint64_t live = s->w->regs.r[DWARF_R13] - m->code;

	if (!m->code_size)
		return 0; /* a native method */
	if (knows(s, DWARF_R13) && live < m->code_size &&
	    !step_interpreted_slot(f, SLOT_LAST_RSP) && !restores_r13(s))
		return live;
	return stored < m->code_size ? stored : HOTSPOT_NO_BCI;
}

/* Sets the key from a frame whose fixed slots are there. False: it is none. */
static bool step_interpreted_name(struct site *s, const struct step_interpreted_slots *f)
{
	uint64_t method = step_interpreted_slot(f, SLOT_METHOD),
		 cache = step_interpreted_slot(f, SLOT_CACHE + !s->hs->steps->has_mirror);
	struct hotspot_method m;

	if (hotspot_method_read(s->hs, method, &m) || (m.cache && m.cache != cache))
		return false;
	*s->frame = (struct managed_frame){
		.kind = HOTSPOT_INTERPRETED, .code = method, .id = m.id, .at = bci_of(s, f, &m)
	};
	return true;
}

/* Reads those that are not below rsp. */
static int read_slots(const struct site *s, uint64_t fp, struct step_interpreted_slots *f)
{
	uint64_t at = fp - 8 * FP, from = at < s->sp ? s->sp : at;

	memset(f, 0, sizeof(*f));
	return s->w->memory->read(s->w->memory, from, (uint8_t *)f + (from - at),
				  sizeof(*f) - (from - at));
}

static int step_interpreted_by_fp(struct site *s, const struct codelet *c)
{
	uint64_t fp = s->w->regs.r[DWARF_RBP], sender;
	struct step_interpreted_slots f;
	int rc;

	if (!knows(s, DWARF_RBP) || fp % 8 || fp < s->sp || fp - s->sp > FRAME_MAX)
		return STACK_RUNTIME_IN_DOUBT;
	rc = read_slots(s, fp, &f);
	if (rc)
		return site_unreadable(rc);
	if (fp - s->sp < 8 * FIXED && s->exact && c && c->kind == CODELET_ENTRY) {
		if (knows(s, DWARF_RBX))
			name_new(s, s->w->regs.r[DWARF_RBX]); /* the slots are being made */
	} else if (!step_interpreted_name(s, &f) && (s->exact || !c || !c->unpacks)) {
		/* While a frame is replaced, its method is missing. */
		return STACK_RUNTIME_IN_DOUBT;
	}
	sender = fp - s->sp >= 8 ? step_interpreted_slot(&f, SLOT_SENDER_RSP) :
				   s->w->regs.r[DWARF_R13];
	if (!site_accepts(s, step_interpreted_slot(&f, SLOT_RETURN)) || sender % 8 ||
	    sender < fp + 8 || sender - fp > FRAME_MAX)
		return STACK_RUNTIME_IN_DOUBT;
	return site_arrive(s, step_interpreted_slot(&f, SLOT_RETURN), sender, &f.at[FP]);
}

int step_interpreted(struct site *s)
{
	struct simulation ends = { .most = END_INSNS, .through = THROUGH_ACTIVATION };
	const struct codelet *c = codelet_find(s->hs->steps, s->pc - !s->exact);

	s->strict = true;
	if (c && c->kind == CODELET_ENTRY && (!c->frame || s->pc <= c->frame + 1))
		return step_from_entry(s, c);
	if (site_simulate(s, &ends) == STEP_ON)
		return STEP_ON;
	return step_interpreted_by_fp(s, c);
}
