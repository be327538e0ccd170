/*
 * The instructions are decoded in order first, which finds the places where ways meet or begin:
 * struct spot. Then each spot is followed to the next one, and again whenever less is known of the
 * registers there. Knowledge only shrinks, so this ends.
 *
 * A call that does not return seems to lead to the instruction behind it. If CFI has another rule
 * there, it does not.
 */
#include "unwind/code/framestate.h"

#include <stdlib.h>

#include "base/room.h"
#include "base/sorted.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/emulator.h"
#include "unwind/table/table.h"

enum {
	FUNCTION_MAX = 256 << 10, /* bytes */
	SPOTS_MAX = 8192,
	WORK_MAX = 1 << 18,  /* instructions executed for one place */
	DEPARTURES_MAX = 16, /* different rules of CFI at departures: calls, tables of jumps */
	ALIGNMENT_MAX = 256,
	SPAN = 1 << 28, /* bytes; no frame is larger */
};

/* Stand for the CFA and for the aligned address. Neither is an address or a likely number, and no
 * sum or difference of them is near one of them. */
static const uint64_t CFA = 0x1111111100000000, ALIGNED = 0x2357bd1700000000;

struct spot {
	uint64_t addr;
	struct emulator_distances in;
	bool reached, waits; /* waits: is to be followed */
	bool by_table;	     /* no jump leads here */
};

/* What is known at all calls and tables that have the same rule. */
struct departure {
	uint8_t cfa_reg;
	int32_t cfa_value;
	struct emulator_distances out;
};

struct analysis {
	const struct framestate_place *place;
	uint8_t *bytes; /* of the function; owned */
	size_t len;
	struct spot *spots; /* by address; owned */
	size_t count, room;
	uint32_t *pending; /* spots that wait; owned */
	size_t pending_count;
	struct departure departures[DEPARTURES_MAX];
	size_t departure_count;
	size_t work;
	uint32_t alignment;
	int32_t unaligned;
	bool arrived, failed;
	struct emulator_distances found; /* at the place, if arrived */
};

/* Distances. */

static bool framestate_is_near(uint64_t value, uint64_t base)
{
	return value - base + SPAN < 2u * SPAN;
}

/* The number of a register in instructions; HW_NONE: it has none. */
static unsigned hw_of(unsigned dwarf)
{
	unsigned reg = 0;

	while (reg < HW_COUNT && emulator_dwarf(reg) != dwarf)
		reg++;
	return reg;
}

static const struct short_rule *rule_at(const struct analysis *a, uint64_t addr)
{
	return cfi_table_find(a->place->table, addr - a->place->bias);
}

static bool same_cfa(const struct short_rule *a, const struct short_rule *b)
{
	return a && b && a->cfa_reg == b->cfa_reg && a->cfa_value == b->cfa_value;
}

/* Adds what CFI says at `addr`. False: it contradicts. */
static bool framestate_add_rule(const struct analysis *a, uint64_t addr,
				struct emulator_distances *s)
{
	const struct short_rule *rule = rule_at(a, addr);
	unsigned reg = rule ? hw_of(rule->cfa_reg) : HW_NONE;
	uint64_t value;

	if (reg == HW_NONE)
		return rule;
	value = CFA - (uint64_t)(int64_t)rule->cfa_value;
	if (s->known >> reg & 1 && s->r[reg] != value)
		return false;
	s->r[reg] = value;
	s->known |= 1u << reg;
	return true;
}

/* Keeps in *to what is equal in *from. True if that is less. */
static bool framestate_meet(struct emulator_distances *to, const struct emulator_distances *from)
{
	uint32_t before = to->known;

	to->known &= from->known;
	for (unsigned i = 0; i < HW_COUNT; i++)
		if (to->r[i] != from->r[i])
			to->known &= ~(1u << i);
	return to->known != before;
}

/* The spots. */

static struct spot *find_spot(struct analysis *a, uint64_t addr)
{
	return (struct spot *)sorted_find(a->spots, a->count, sizeof(*a->spots), addr);
}

static bool framestate_holds(const struct analysis *a, uint64_t addr)
{
	return addr - a->place->start < a->len;
}

static void add_spot(struct analysis *a, uint64_t addr)
{
	if (!framestate_holds(a, addr))
		return;
	if (a->count == SPOTS_MAX ||
	    room_for((void **)&a->spots, &a->room, a->count + 1, sizeof(*a->spots))) {
		a->failed = true;
		return;
	}
	a->spots[a->count++] = (struct spot){ .addr = addr };
}

static bool framestate_decode(const struct analysis *a, uint64_t addr, struct insn *insn)
{
	size_t at = addr - a->place->start;

	return at < a->len && insn_decode(a->bytes + at, a->len - at, insn) == 0;
}

static bool framestate_is_padding(const struct insn *insn)
{
	return insn_is(insn, 0x90) || insn_is(insn, 0xcc) ||
	       (insn->map == MAP_0F && insn->opcode == 0x1f);
}

/* True if execution does not go on behind the instruction, as far as that can be seen. */
static bool ends_way(const struct analysis *a, const struct insn *insn, uint64_t addr)
{
	return !insn_goes_on(insn) || (insn_flow(insn) == FLOW_CALL &&
				       !same_cfa(rule_at(a, addr), rule_at(a, addr + insn->len)));
}

static void merge_equal_spots(struct analysis *a)
{
	size_t kept = 0;

	qsort(a->spots, a->count, sizeof(*a->spots), sorted_order);
	for (size_t i = 0; i < a->count; i++)
		if (!kept || a->spots[kept - 1].addr != a->spots[i].addr)
			a->spots[kept++] = a->spots[i];
	a->count = kept;
}

static void find_spots(struct analysis *a)
{
	uint64_t addr = a->place->start, end = addr + a->len;
	bool begins = true;
	struct insn insn;

	for (; addr < end && !a->failed; addr += insn.len) {
		if (!framestate_decode(a, addr, &insn)) {
			a->failed = true;
			return;
		}
		if (begins && !framestate_is_padding(&insn)) {
			add_spot(a, addr);
			begins = false;
		}
		if (insn_flow(&insn) == FLOW_BRANCH || insn_flow(&insn) == FLOW_JUMP)
			add_spot(a, insn_target(&insn, addr + insn.len));
		begins |= ends_way(a, &insn, addr);
	}
	merge_equal_spots(a);
}

static void follow_later(struct analysis *a, struct spot *s)
{
	if (!s->waits)
		a->pending[a->pending_count++] = (uint32_t)(s - a->spots);
	s->waits = true;
}

/* Execution comes to `addr` with these registers. */
static void framestate_arrive(struct analysis *a, uint64_t addr,
			      const struct emulator_distances *with)
{
	struct spot *s = framestate_holds(a, addr) ? find_spot(a, addr) : NULL;
	struct emulator_distances in = *with;

	if (!s)
		return;
	if (!framestate_add_rule(a, addr, &in)) {
		a->failed = true;
		return;
	}
	if (s->reached && !framestate_meet(&s->in, &in))
		return;
	if (!s->reached)
		s->in = in;
	s->reached = true;
	follow_later(a, s);
}

static struct departure *departure_of(struct analysis *a, const struct short_rule *rule)
{
	for (size_t i = 0; rule && i < a->departure_count; i++)
		if (a->departures[i].cfa_reg == rule->cfa_reg &&
		    a->departures[i].cfa_value == rule->cfa_value)
			return &a->departures[i];
	return NULL;
}

/* A call or a jump through a table, from which execution may come to a spot that no jump names. */
static void depart(struct analysis *a, uint64_t addr, const struct emulator_distances *with)
{
	const struct short_rule *rule = rule_at(a, addr);
	struct departure *d = departure_of(a, rule);

	if (d) {
		framestate_meet(&d->out, with);
		return;
	}
	if (!rule || a->departure_count == DEPARTURES_MAX) {
		a->failed = true;
		return;
	}
	a->departures[a->departure_count++] = (struct departure){ rule->cfa_reg, rule->cfa_value,
								  *with };
}

/* The instructions. */

/* rsp is aligned to -imm. */
static void align(struct analysis *a, struct emulator_distances *s, int64_t imm)
{
	uint64_t bytes = -(uint64_t)imm;
	int32_t from = (int32_t)(s->r[HW_RSP] - CFA);
	bool good = s->known >> HW_RSP & 1 && framestate_is_near(s->r[HW_RSP], CFA) && bytes &&
		    !(bytes & (bytes - 1)) && bytes <= ALIGNMENT_MAX &&
		    (!a->alignment || (a->alignment == bytes && a->unaligned == from));

	s->known &= ~HW_BIT(HW_RSP);
	if (!good)
		return;
	a->alignment = (uint32_t)bytes;
	a->unaligned = from;
	s->r[HW_RSP] = ALIGNED;
	s->known |= HW_BIT(HW_RSP);
}

/* The register that is compared with rsp; HW_NONE: none is. */
static unsigned compared_with_rsp(const struct insn *insn)
{
	if (!(insn_is(insn, 0x39) || insn_is(insn, 0x3b)) || !insn->wide || insn->in_memory)
		return HW_NONE;
	return insn->rm == HW_RSP ? insn->reg : insn->reg == HW_RSP ? insn->rm : HW_NONE;
}

/* Is it jne (if `unequal`) or je? */
static bool branches_if(const struct insn *insn, bool unequal)
{
	unsigned base = insn->map == MAP_ONE ? 0x70 : 0x80;

	return insn->opcode == base + 4 + unequal;
}

/* Both ways of a conditional jump. A loop that touches each page of a large frame ends when rsp has
 * come to the address in another register. */
static void framestate_branch(struct analysis *a, struct emulator_distances *s,
			      const struct insn *insn, uint64_t end, unsigned compared)
{
	struct emulator_distances equal = *s;

	if (compared != HW_NONE && s->known >> compared & 1) {
		equal.r[HW_RSP] = s->r[compared];
		equal.known |= 1u << HW_RSP;
	}
	framestate_arrive(a, insn_target(insn, end), branches_if(insn, false) ? &equal : s);
	if (branches_if(insn, true))
		*s = equal;
}

static void note_place(struct analysis *a, const struct emulator_distances *s,
		       const struct insn *insn, uint64_t addr)
{
	uint64_t pc = a->place->pc;

	if (a->place->behind_call ? pc != addr + insn->len || insn_flow(insn) != FLOW_CALL :
				    pc != addr)
		return;
	a->arrived = true;
	a->found = *s;
}

/* A landing has the registers that a call preserves. To a jump through a table, each spot may be
 * the target, also one that another jump names: so without rsp nothing can be said of any. */
static void note_departure(struct analysis *a, const struct emulator_distances *s,
			   const struct insn *insn, uint64_t addr)
{
	enum flow flow = insn_flow(insn);
	struct emulator_distances out = *s;

	if (flow == FLOW_CALL && a->place->lands) {
		out.known &= HW_PRESERVED;
		depart(a, addr, &out);
	} else if (flow == FLOW_TABLE || flow == FLOW_AWAY) {
		a->failed |= !(s->known >> HW_RSP & 1);
		depart(a, addr, &out);
	}
}

/* Executes the instruction at addr. False: the way ends there. */
static bool framestate_pass(struct analysis *a, struct emulator_distances *s,
			    const struct insn *insn, uint64_t addr, unsigned compared)
{
	uint64_t end = addr + insn->len;
	enum flow flow = insn_flow(insn);

	note_place(a, s, insn, addr);
	note_departure(a, s, insn, addr);
	if (flow == FLOW_JUMP)
		framestate_arrive(a, insn_target(insn, end), s);
	if (ends_way(a, insn, addr))
		return false;
	if (flow == FLOW_BRANCH)
		framestate_branch(a, s, insn, end, compared);
	else if (insn_is_of_rsp(insn, INSN_AND))
		align(a, s, insn->imm);
	else
		emulator_execute_distances(s, insn, end);
	return true;
}

/* Follows a spot to the next one. */
static void framestate_follow(struct analysis *a, size_t number)
{
	struct emulator_distances s = a->spots[number].in;
	uint64_t addr = a->spots[number].addr;
	unsigned compared = HW_NONE;
	struct insn insn;

	while (!a->failed && framestate_decode(a, addr, &insn)) {
		a->failed |= ++a->work > WORK_MAX;
		if (!framestate_pass(a, &s, &insn, addr, compared))
			return;
		compared = compared_with_rsp(&insn);
		addr += insn.len;
		if (number + 1 < a->count && addr >= a->spots[number + 1].addr) {
			/* A jump into an instruction: this is no code of a compiler. */
			a->failed |= addr > a->spots[number + 1].addr;
			framestate_arrive(a, addr, &s);
			return;
		}
	}
}

static void follow_all(struct analysis *a)
{
	while (a->pending_count && !a->failed) {
		size_t number = a->pending[--a->pending_count];

		a->spots[number].waits = false;
		framestate_follow(a, number);
	}
}

/* Enters the spots that no jump names. True if that is news of one of them. */
static bool enter_by_tables(struct analysis *a)
{
	for (size_t i = 0; i < a->count; i++) {
		struct spot *s = &a->spots[i];
		const struct departure *d = departure_of(a, rule_at(a, s->addr));
		struct emulator_distances none = { .known = 0 };

		if (!s->reached)
			s->by_table = true;
		if (s->by_table)
			framestate_arrive(a, s->addr, d ? &d->out : &none);
	}
	return a->pending_count;
}

static void analyse(struct analysis *a)
{
	struct emulator_distances none = { .known = 0 };

	find_spots(a);
	if (a->failed || !a->count)
		return;
	a->pending = calloc(a->count, sizeof(*a->pending));
	a->failed = !a->pending;
	if (a->failed)
		return;
	framestate_arrive(a, a->place->start, &none);
	do
		follow_all(a);
	while (!a->failed && enter_by_tables(a));
}

static void framestate_report(const struct analysis *a, struct framestate *state)
{
	*state = (struct framestate){ .alignment = a->alignment, .unaligned = a->unaligned };
	for (unsigned i = 0; i < HW_COUNT; i++) {
		unsigned n = emulator_dwarf(i);
		bool from_cfa = framestate_is_near(a->found.r[i], CFA);

		if (!(a->found.known >> i & 1) ||
		    !(from_cfa || framestate_is_near(a->found.r[i], ALIGNED)))
			continue;
		*(from_cfa ? &state->from_cfa : &state->from_aligned) |= 1u << n;
		state->distance[n] = (int32_t)(a->found.r[i] - (from_cfa ? CFA : ALIGNED));
	}
}

bool framestate_find(struct codebytes *code, const struct framestate_place *place,
		     struct framestate *state)
{
	struct analysis a = { .place = place, .len = place->end - place->start };
	bool known;

	if (a.len > FUNCTION_MAX)
		return false;
	a.bytes = malloc(a.len);
	if (!a.bytes || codebytes_read(code, place->start, a.bytes, a.len) < a.len)
		a.failed = true;
	else
		analyse(&a);
	known = a.arrived && !a.failed;
	if (known)
		framestate_report(&a, state);
	free(a.bytes);
	free(a.spots);
	free(a.pending);
	return known;
}
