/*
 * The program of a line table (DWARF 5, section 6.2.5) is a state machine that emits rows by
 * address. A row is valid from its address up to the next row's.
 *
 * A sequence is a piece of code whose addresses rise. If an address is lower than the one before
 * it, which no compiler writes, the sequence is cut there: what the row before the cut covers is
 * not known. A sequence that begins at address 0 is code that the linker removed.
 *
 * Where sequences overlap (copies of one function under two units' names), the inner one is used,
 * and of equal ones the first, as in llvm-symbolizer.
 */
#include "symbolize/dwarf/linetable_run.h"

#include <dwarf.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

struct linetable_run_machine {
	struct linetable *t;
	uint64_t address, op_index, file, line, column;
	bool open; /* a sequence is open; its rows begin at the last start */
};

static int begin_sequence(struct linetable_run_machine *m)
{
	struct linetable *t = m->t;

	if (room_for((void **)&t->starts, &t->start_room, t->start_count + 1, sizeof(*t->starts)))
		return ERR_NOMEM;
	t->starts[t->start_count++] = (struct line_sequence){ m->address, t->row_count };
	m->open = true;
	return 0;
}

/* Ends the open sequence; its last row is valid up to `end`. */
static int end_sequence(struct linetable_run_machine *m, uint64_t end)
{
	struct linetable *t = m->t;
	const struct line_sequence *s = &t->starts[t->start_count - 1];

	if (!m->open)
		return 0;
	m->open = false;
	if (s->start && end > s->start)
		return ranges_add(&t->ranges, s->start, end, (uint32_t)t->start_count - 1);
	t->row_count = s->first_row;
	t->start_count--;
	return 0;
}

static uint32_t narrow(uint64_t v)
{
	return v > UINT32_MAX ? 0 : (uint32_t)v;
}

/* The last row of the open sequence, NULL before the first. */
static struct line_row *last_row(const struct linetable_run_machine *m)
{
	const struct linetable *t = m->t;

	if (m->open && t->row_count > t->starts[t->start_count - 1].first_row)
		return &t->rows[t->row_count - 1];
	return NULL;
}

static int linetable_run_emit(struct linetable_run_machine *m)
{
	struct line_row row = { 0, narrow(m->file), narrow(m->line), narrow(m->column) };
	struct linetable *t = m->t;
	struct line_row *last = last_row(m);
	uint64_t start = m->open ? t->starts[t->start_count - 1].start : 0;

	if (last && (m->address < start + last->offset || m->address - start > UINT32_MAX)) {
		if (end_sequence(m, start + last->offset))
			return ERR_NOMEM;
		last = NULL;
	}
	if (!m->open && begin_sequence(m))
		return ERR_NOMEM;
	row.offset = (uint32_t)(m->address - t->starts[t->start_count - 1].start);
	if (last && last->file == row.file && last->line == row.line && last->column == row.column)
		return 0;
	if (last && last->offset == row.offset) { /* for one address the last row counts */
		*last = row;
		return 0;
	}
	if (room_for((void **)&t->rows, &t->row_room, t->row_count + 1, sizeof(*t->rows)))
		return ERR_NOMEM;
	t->rows[t->row_count++] = row;
	return 0;
}

static void restart(struct linetable_run_machine *m)
{
	m->address = m->op_index = m->column = 0;
	m->file = m->line = 1;
	m->open = false;
}

static void linetable_run_advance(struct linetable_run_machine *m, uint64_t operations)
{
	const struct linetable *t = m->t;

	if (t->max_ops == 1) {
		m->address += operations * t->min_length;
		return;
	}
	operations += m->op_index;
	m->address += operations / t->max_ops * t->min_length;
	m->op_index = operations % t->max_ops;
}

static int run_special(struct linetable_run_machine *m, uint8_t opcode)
{
	unsigned adjusted = opcode - m->t->opcode_base;

	linetable_run_advance(m, adjusted / m->t->line_range);
	m->line = (uint32_t)(m->line +
			     (uint64_t)(m->t->line_base + (int)(adjusted % m->t->line_range)));
	return linetable_run_emit(m);
}

static int run_extended(struct linetable_run_machine *m, struct cursor *c)
{
	uint64_t len = cursor_uleb(c);
	const uint8_t *bytes = cursor_bytes(c, len);
	struct cursor op;
	const char *name;
	int rc = 0;

	if (!bytes || !len)
		return 0;
	cursor_init(&op, bytes, len, "line table");
	switch (cursor_byte(&op)) {
	case DW_LNE_end_sequence:
		rc = end_sequence(m, m->address);
		restart(m);
		break;
	case DW_LNE_set_address:
		if (len - 1 > 8)
			break;
		m->address = cursor_uint(&op, (unsigned)len - 1);
		m->op_index = 0;
		break;
	case DW_LNE_define_file: /* not in DWARF 5 */
		name = (const char *)op.pos;
		cursor_bytes(&op, strnlen(name, cursor_left(&op)) + 1);
		if (!op.failed)
			rc = linetable_add_file(m->t, name, cursor_uleb(&op));
	}
	return rc;
}

static int run_standard(struct linetable_run_machine *m, struct cursor *c, uint8_t opcode)
{
	const struct linetable *t = m->t;

	switch (opcode) {
	case DW_LNS_copy:
		return linetable_run_emit(m);
	case DW_LNS_advance_pc:
		linetable_run_advance(m, cursor_uleb(c));
		break;
	case DW_LNS_advance_line:
		m->line = (uint32_t)(m->line + (uint64_t)cursor_sleb(c));
		break;
	case DW_LNS_set_file:
		m->file = cursor_uleb(c);
		break;
	case DW_LNS_set_column:
		m->column = cursor_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		linetable_run_advance(m, (255u - t->opcode_base) / t->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += cursor_uint(c, 2);
		m->op_index = 0;
		break;
	default: /* does not affect the place, or is from a later standard */
		for (unsigned i = 0; i < t->lengths[opcode]; i++)
			cursor_uleb(c);
	}
	return 0;
}

int linetable_run(struct linetable *t, struct cursor *c)
{
	struct linetable_run_machine m = { .t = t };
	int rc = 0;

	restart(&m);
	while (!rc && cursor_left(c)) {
		uint8_t opcode = cursor_byte(c);

		if (opcode >= t->opcode_base)
			rc = run_special(&m, opcode);
		else if (opcode)
			rc = run_standard(&m, c, opcode);
		else
			rc = run_extended(&m, c);
	}
	if (!rc && m.open && last_row(&m))
		rc = end_sequence(&m, t->starts[t->start_count - 1].start + last_row(&m)->offset);
	if (rc)
		return rc;
	ranges_inner_wins(&t->ranges);
	return ranges_settle(&t->ranges);
}

const struct line_row *linetable_find(const struct linetable *t, uint64_t addr)
{
	const struct range *r = ranges_find(&t->ranges, addr);
	size_t lo, hi;

	if (!r)
		return NULL;
	lo = t->starts[r->of].first_row;
	hi = r->of + 1 < t->start_count ? t->starts[r->of + 1].first_row : t->row_count;
	addr -= t->starts[r->of].start;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->rows[mid].offset <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return hi > lo ? &t->rows[lo] : NULL;
}
