/*
 * An abbreviation is translated to a few steps: "skip 11 bytes, a block, 6 bytes". Consecutive
 * forms of fixed size are one step, and most abbreviations have one or two.
 */
#include "symbolize/dwarf/skim.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "symbolize/dwarf/abbrevs.h"
#include "symbolize/files/sections.h"

enum { STEPS_MAX = UINT16_MAX, SHAPES_MAX = 1 << 20 }; /* bounds for broken files */

/* Beside those of form_kind, values that are read: n bytes, or LEB128 if n is 0. */
enum { STEP_SIBLING = FORM_UNKNOWN + 1, STEP_LOW_PC, STEP_HIGH_PC };

/* An abbreviation. */
struct shape {
	uint64_t code;
	uint32_t first_step;
	uint16_t step_count, tag;
	bool children, has_code, has_bounds;
};

struct skim_unit {
	Dwarf_CU *cu;
	Dwarf_Die die;
	const uint8_t *start, *end;
	uint8_t address_size, offset_size;
	Dwarf_Half version;
	struct shape *shapes; /* sorted by code */
	size_t shape_count, shape_room;
	struct form_length *steps;
	size_t step_count, step_room;
};

void skim_unit_free(struct skim_unit *u)
{
	if (!u)
		return;
	free(u->shapes);
	free(u->steps);
	free(u);
}

/* The section that holds the unit; in a .dwo file it has another name. */
static bool find_section(Elf *elf, const void *addr, bool *split, struct cursor *c)
{
	const uint8_t *p = addr;

	for (int i = 0; i < 2; i++) {
		*split = i == 1;
		if (section_bytes(elf, *split ? ".debug_info.dwo" : ".debug_info", c) &&
		    p >= c->start && p < c->end)
			return true;
	}
	return false;
}

/* The unit's length is at its start (DWARF 5, section 7.5.1); the section may end earlier. Moves
 * `abbrevs` to the unit's abbreviations. */
static bool find_bytes(struct skim_unit *u, struct cursor *abbrevs)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(u->cu));
	Dwarf_Die die = u->die, same;
	Dwarf_Off abbrev_offset;
	struct cursor c;
	uint64_t len;
	bool split;

	if (!find_section(elf, die.addr, &split, &c) ||
	    !section_bytes(elf, split ? ".debug_abbrev.dwo" : ".debug_abbrev", abbrevs) ||
	    !dwarf_cu_die(u->cu, &same, &u->version, &abbrev_offset, &u->address_size,
			  &u->offset_size, NULL, NULL))
		return false;
	u->start = (const uint8_t *)die.addr - dwarf_cuoffset(&die);
	if (u->start < c.start || u->start > (const uint8_t *)die.addr)
		return false;
	cursor_bytes(&c, (uint64_t)(u->start - c.start) + (u->offset_size == 8 ? 4 : 0));
	len = cursor_uint(&c, u->offset_size);
	u->end = len < cursor_left(&c) ? c.pos + len : c.end;
	cursor_bytes(abbrevs, abbrev_offset);
	return !c.failed && !abbrevs->failed;
}

/* Forms (DWARF 5, section 7.5.6, and GNU's). */

static struct form_length skim_form(const struct skim_unit *u, uint64_t form)
{
	return abbrev_form(form, u->version, u->address_size, u->offset_size);
}

static bool is_unsigned_constant(uint64_t form)
{
	return form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 ||
	       form == DW_FORM_data8 || form == DW_FORM_udata;
}

static bool is_unit_reference(uint64_t form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

/* Abbreviations. */

static void skim_look_at(uint64_t name, uint64_t form, struct form_length *step)
{
	if (name == DW_AT_sibling && is_unit_reference(form))
		step->kind = STEP_SIBLING;
	else if (name == DW_AT_low_pc && form == DW_FORM_addr && step->n == 8)
		step->kind = STEP_LOW_PC;
	else if (name == DW_AT_high_pc && is_unsigned_constant(form))
		step->kind = STEP_HIGH_PC;
}

static int add_step(struct skim_unit *u, const struct shape *shape, struct form_length step)
{
	struct form_length *last = u->step_count > shape->first_step ?
					   &u->steps[u->step_count - 1] :
					   NULL;

	if (step.kind == FORM_BYTES && !step.n)
		return 0;
	if (last && last->kind == FORM_BYTES && step.kind == FORM_BYTES && last->n + step.n < 256) {
		last->n = (uint8_t)(last->n + step.n);
		return 0;
	}
	if (room_for((void **)&u->steps, &u->step_room, u->step_count + 1, sizeof(*u->steps)))
		return ERR_NOMEM;
	u->steps[u->step_count++] = step;
	return 0;
}

static int read_attributes(struct skim_unit *u, struct cursor *c, struct shape *shape)
{
	bool low = false, high = false, ranges = false, low_plain = false, high_plain = false;
	uint64_t name, form;

	while (name = cursor_uleb(c), form = cursor_uleb(c), name || form) {
		struct form_length step = skim_form(u, form);

		if (form == DW_FORM_implicit_const)
			cursor_sleb(c);
		if (step.kind == FORM_UNKNOWN)
			return ERR_FORMAT;
		skim_look_at(name, form, &step);
		low |= name == DW_AT_low_pc;
		high |= name == DW_AT_high_pc;
		ranges |= name == DW_AT_ranges;
		low_plain |= step.kind == STEP_LOW_PC;
		high_plain |= step.kind == STEP_HIGH_PC;
		if (add_step(u, shape, step))
			return ERR_NOMEM;
	}
	if (c->failed || u->step_count - shape->first_step > STEPS_MAX)
		return ERR_FORMAT;
	shape->step_count = (uint16_t)(u->step_count - shape->first_step);
	shape->has_code = ranges || (low && high);
	shape->has_bounds = low_plain && high_plain;
	return 0;
}

static int skim_by_code(const void *a, const void *b)
{
	const struct shape *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

/* Reads up to the code 0 (DWARF 5, section 7.5.3). A broken abbreviation ends the table, and a DIE
 * that needs it or a later one ends the walk. */
static int read_shapes(struct skim_unit *u, struct cursor *c)
{
	bool sorted = true;
	uint64_t code;
	int rc = 0;

	while (!rc && u->shape_count < SHAPES_MAX && (code = cursor_uleb(c))) {
		struct shape shape = { .code = code, .first_step = (uint32_t)u->step_count };
		uint64_t tag = cursor_uleb(c);

		shape.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag;
		shape.children = cursor_byte(c) == DW_CHILDREN_yes;
		sorted &= !u->shape_count || u->shapes[u->shape_count - 1].code < code;
		rc = read_attributes(u, c, &shape);
		if (!rc)
			rc = room_for((void **)&u->shapes, &u->shape_room, u->shape_count + 1,
				      sizeof(*u->shapes));
		if (!rc)
			u->shapes[u->shape_count++] = shape;
	}
	if (!sorted)
		qsort(u->shapes, u->shape_count, sizeof(*u->shapes), skim_by_code);
	return rc == ERR_NOMEM ? rc : 0;
}

int skim_unit_new(struct skim_unit **out, const Dwarf_Die *unit_die)
{
	struct skim_unit *u = calloc(1, sizeof(*u));
	struct cursor abbrevs;

	if (!u)
		return ERR_NOMEM;
	u->cu = unit_die->cu;
	u->die = *unit_die;
	if (!find_bytes(u, &abbrevs)) {
		u->start = u->end = NULL;
	} else if (read_shapes(u, &abbrevs)) {
		skim_unit_free(u);
		return ERR_NOMEM;
	}
	*out = u;
	return 0;
}

const void *skim_unit_bytes(const struct skim_unit *u, size_t *len)
{
	*len = (size_t)(u->end - u->start);
	return u->start;
}

Dwarf_Die skim_libdw_die(const struct skim_unit *u, const void *addr)
{
	Dwarf_Die die = { .addr = (void *)(uintptr_t)addr, .cu = u->cu };

	return die;
}

/* The walk. */

/* Compilers number abbreviations from 1 on without gaps. */
static const struct shape *skim_find_shape(const struct skim_unit *u, uint64_t code)
{
	const struct shape key = { .code = code };

	if (code <= u->shape_count && u->shapes[code - 1].code == code)
		return &u->shapes[code - 1];
	if (u->shape_count)
		return bsearch(&key, u->shapes, u->shape_count, sizeof(key), skim_by_code);
	return NULL;
}

/* Nearly all steps are of this kind, hence inline. */
static inline void pass_bytes(struct cursor *c, size_t n)
{
	if (n <= cursor_left(c))
		c->pos += n;
	else
		cursor_fail(c, "ends too early");
}

/* Behind an indirect form, another one fails: recursion would have no bound. */
static void skim_pass(struct skim *s, struct form_length step)
{
	if (step.kind == FORM_INDIRECT)
		step = skim_form(s->unit, cursor_uleb(&s->c));
	abbrev_pass(&s->c, step);
}

static uint64_t read_number(struct cursor *c, unsigned bytes)
{
	return bytes ? cursor_uint(c, bytes) : cursor_uleb(c);
}

static void skim_read_steps(struct skim *s, const struct shape *shape, struct skim_die *die)
{
	const struct form_length *step = &s->unit->steps[shape->first_step],
				 *end = step + shape->step_count;
	uint64_t sibling = 0, size = 0;

	for (; step < end; step++) {
		if (step->kind == FORM_BYTES)
			pass_bytes(&s->c, step->n);
		else if (step->kind == STEP_SIBLING)
			sibling = read_number(&s->c, step->n);
		else if (step->kind == STEP_LOW_PC)
			die->start = cursor_uint(&s->c, 8);
		else if (step->kind == STEP_HIGH_PC)
			size = read_number(&s->c, step->n);
		else
			skim_pass(s, *step);
	}
	die->end = die->start + size;
	if (sibling > (uint64_t)(s->c.pos - s->unit->start) &&
	    sibling < (uint64_t)(s->c.end - s->unit->start))
		die->behind = s->unit->start + sibling;
}

bool skim_next(struct skim *s, struct skim_die *die)
{
	const uint8_t *addr = s->c.pos;
	uint64_t code = cursor_left(&s->c) ? cursor_uleb(&s->c) : 0;
	const struct shape *shape = code ? skim_find_shape(s->unit, code) : NULL;

	if (code && !shape)
		cursor_fail(&s->c, "no such abbreviation");
	if (!shape)
		return false;
	*die = (struct skim_die){ .addr = addr,
				  .tag = shape->tag,
				  .children = shape->children,
				  .has_code = shape->has_code,
				  .has_bounds = shape->has_bounds };
	skim_read_steps(s, shape, die);
	return !s->c.failed;
}

void skim_over(struct skim *s, const struct skim_die *die)
{
	struct skim_die below;
	size_t depth = die->children;

	if (depth && die->behind) {
		s->c.pos = die->behind;
		return;
	}
	while (depth && cursor_left(&s->c)) {
		if (!skim_next(s, &below))
			depth--;
		else if (below.children && below.behind)
			s->c.pos = below.behind;
		else
			depth += below.children;
	}
}

void skim_begin(struct skim *s, const struct skim_unit *unit, const void *parent)
{
	const uint8_t *at = parent ? parent : unit->die.addr;
	struct skim_die die;

	s->unit = unit;
	cursor_init(&s->c, unit->start, (size_t)(unit->end - unit->start), "unit");
	if (!unit->start)
		return;
	/* A unit whose length ends within its header has its DIE behind its end. libdw allows
	 * it. */
	s->c.pos = at < unit->end ? at : unit->end;
	/* Without children there is nothing to walk over. */
	if (!skim_next(s, &die) || !die.children)
		s->c.pos = s->c.end;
}

int skim_path(const struct skim_unit *unit, const void *addr, const void **path, int max)
{
	int depth = 0;
	struct skim_die die;
	struct skim s;

	skim_begin(&s, unit, NULL);
	while (cursor_left(&s.c) && (const uint8_t *)s.c.pos <= (const uint8_t *)addr) {
		if (!skim_next(&s, &die)) {
			if (!depth--)
				return 0;
		} else if (die.addr == addr) {
			return depth;
		} else if (die.children && die.behind && die.behind <= (const uint8_t *)addr) {
			skim_over(&s, &die);
		} else if (die.children) {
			if (depth == max)
				return 0;
			path[depth++] = die.addr;
		}
	}
	return 0;
}
