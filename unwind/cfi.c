/*
 * The interpreter of call frame instructions (DWARF 5, section 6.4.2), with the
 * GNU extensions that gcc emits and the augmentations of .eh_frame (Linux
 * Standard Base Core, 10.6.1).
 *
 * An entry that breaks a rule is left out as a whole, never half: a wrong row
 * is worse than none.
 */
#include "unwind/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "base/cursor.h"
#include "unwind/rule.h"

enum { REMEMBER_MAX = 32 };

struct cie {
	uint64_t offset; /* in the section: what an FDE names */
	Dwarf_CIE entry;
	uint8_t pointer_encoding; /* of an FDE's addresses */
	bool has_sized_augmentation, signal_frame, usable;
	struct cfi_rule initial;
};

struct machine {
	const struct cfi_section *section;
	const struct cie *cie;
	struct cfi_sink *sink; /* NULL while a CIE's own instructions run */
	uint64_t pc, end;
	struct cfi_rule rule;
	struct cfi_rule remembered[REMEMBER_MAX];
	unsigned depth;
	bool pending; /* rule not yet given to the sink */
};

static void set_column(struct machine *m, struct cursor *c, uint64_t reg, enum column_kind kind,
		       int64_t value)
{
	if (value != (int32_t)value) {
		cursor_fail(c, "offset out of range");
		return;
	}
	m->pending = true;
	if (reg >= DWARF_COUNT)
		return; /* vector and other registers that no walk needs */
	m->rule.columns[reg] = (struct column){ kind, (int32_t)value };
	if (kind == COLUMN_DEFAULT)
		m->rule.said &= ~(1u << reg);
	else
		m->rule.said |= 1u << reg;
}

static void set_cfa(struct machine *m, struct cursor *c, uint64_t reg, int64_t value)
{
	if (reg >= DWARF_RIP || value != (int32_t)value)
		cursor_fail(c, "CFA out of range");
	m->rule.cfa_reg = (uint8_t)reg;
	m->rule.cfa_value = (int32_t)value;
	m->pending = true;
}

/* The place of an expression: where its length stands. */
static int64_t take_expression(struct machine *m, struct cursor *c)
{
	int64_t place = c->pos - m->section->data;

	cursor_bytes(c, cursor_uleb(c));
	return place;
}

static void restore(struct machine *m, struct cursor *c, uint64_t reg)
{
	if (reg < DWARF_COUNT)
		set_column(m, c, reg, m->cie->initial.columns[reg].kind,
			   m->cie->initial.columns[reg].value);
}

/* Gives the row that ends here to the sink and moves on. */
static void advance(struct machine *m, struct cursor *c, uint64_t to)
{
	if (!m->sink || to < m->pc) {
		cursor_fail(c, "address goes backward");
		return;
	}
	if (to > m->pc && m->pending) {
		if (m->pc < m->end && m->sink->row(m->sink, m->pc, &m->rule))
			cursor_fail(c, "row refused");
		m->pending = false;
	}
	m->pc = to;
}

static void advance_by(struct machine *m, struct cursor *c, uint64_t delta)
{
	uint64_t step;

	if (__builtin_mul_overflow(delta, (uint64_t)m->cie->entry.code_alignment_factor, &step) ||
	    __builtin_add_overflow(m->pc, step, &step)) {
		cursor_fail(c, "address out of range");
		return;
	}
	advance(m, c, step);
}

static int64_t factored(const struct machine *m, struct cursor *c, int64_t n)
{
	int64_t value;

	if (__builtin_mul_overflow(n, (int64_t)m->cie->entry.data_alignment_factor, &value))
		cursor_fail(c, "offset out of range");
	return value;
}

static int64_t factored_uleb(const struct machine *m, struct cursor *c)
{
	uint64_t n = cursor_uleb(c);

	if (n > INT64_MAX)
		cursor_fail(c, "offset out of range");
	return factored(m, c, (int64_t)n);
}

static uint64_t take_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding);

/* Rules for the CFA. */
static bool run_cfa(struct machine *m, struct cursor *c, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = cursor_uleb(c);
		set_cfa(m, c, reg, (int64_t)cursor_uleb(c));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(c);
		set_cfa(m, c, reg, factored(m, c, cursor_sleb(c)));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(m, c, cursor_uleb(c), m->rule.cfa_value);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(m, c, m->rule.cfa_reg, (int64_t)cursor_uleb(c));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(m, c, m->rule.cfa_reg, factored(m, c, cursor_sleb(c)));
		return true;
	case DW_CFA_def_cfa_expression:
		m->rule.cfa_value = (int32_t)take_expression(m, c);
		m->rule.cfa_reg = CFA_EXPRESSION;
		m->pending = true;
		return true;
	}
	return false;
}

/* Rules for registers. */
static bool run_column(struct machine *m, struct cursor *c, uint8_t op)
{
	uint64_t reg;

	if (op < DW_CFA_offset_extended || op == DW_CFA_remember_state ||
	    op == DW_CFA_restore_state || (op > DW_CFA_val_expression &&
					   op != DW_CFA_GNU_negative_offset_extended))
		return false;
	reg = cursor_uleb(c);
	switch (op) {
	case DW_CFA_offset_extended:
	case DW_CFA_val_offset:
		set_column(m, c, reg, op == DW_CFA_val_offset ? COLUMN_IS : COLUMN_SAVED,
			   factored_uleb(m, c));
		return true;
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset_sf:
		set_column(m, c, reg, op == DW_CFA_val_offset_sf ? COLUMN_IS : COLUMN_SAVED,
			   factored(m, c, cursor_sleb(c)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set_column(m, c, reg, COLUMN_SAVED, -factored_uleb(m, c));
		return true;
	case DW_CFA_restore_extended:
		restore(m, c, reg);
		return true;
	case DW_CFA_undefined:
		set_column(m, c, reg, COLUMN_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_column(m, c, reg, COLUMN_SAME, 0);
		return true;
	case DW_CFA_register: {
		uint64_t other = cursor_uleb(c);

		set_column(m, c, reg, COLUMN_REGISTER, other < DWARF_COUNT ? (int64_t)other : INT64_MAX);
		return true;
	}
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		set_column(m, c, reg, op == DW_CFA_expression ? COLUMN_SAVED_EXPR : COLUMN_IS_EXPR,
			   take_expression(m, c));
		return true;
	}
	cursor_fail(c, "unknown call frame instruction");
	return true;
}

static void remember(struct machine *m, struct cursor *c)
{
	if (m->depth == REMEMBER_MAX)
		cursor_fail(c, "too many remembered states");
	else
		m->remembered[m->depth++] = m->rule;
}

static void recall(struct machine *m, struct cursor *c)
{
	if (!m->depth) {
		cursor_fail(c, "no state was remembered");
		return;
	}
	m->rule = m->remembered[--m->depth];
	m->pending = true;
}

static void run_other(struct machine *m, struct cursor *c, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_set_loc:
		advance(m, c, take_pointer(m->section, c, m->cie->pointer_encoding));
		break;
	case DW_CFA_advance_loc1:
		advance_by(m, c, cursor_uint(c, 1));
		break;
	case DW_CFA_advance_loc2:
		advance_by(m, c, cursor_uint(c, 2));
		break;
	case DW_CFA_advance_loc4:
		advance_by(m, c, cursor_uint(c, 4));
		break;
	case DW_CFA_remember_state:
		remember(m, c);
		break;
	case DW_CFA_restore_state:
		recall(m, c);
		break;
	case DW_CFA_GNU_args_size:
		cursor_uleb(c);
		break;
	default:
		cursor_fail(c, "unknown call frame instruction");
	}
}

static void run(struct machine *m, struct cursor *c)
{
	while (cursor_left(c)) {
		uint8_t op = (uint8_t)cursor_uint(c, 1);
		uint8_t low = op & 0x3f;

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			advance_by(m, c, low);
			break;
		case DW_CFA_offset:
			set_column(m, c, low, COLUMN_SAVED, factored_uleb(m, c));
			break;
		case DW_CFA_restore:
			restore(m, c, low);
			break;
		default:
			if (!run_cfa(m, c, op) && !run_column(m, c, op))
				run_other(m, c, op);
		}
	}
}

/* Pointer encodings: LSB Core, 10.5 "DWARF Exception Header Encoding". */
static uint64_t take_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding)
{
	uint64_t base = 0, value;

	if (encoding == DW_EH_PE_omit || encoding & DW_EH_PE_indirect) {
		cursor_fail(c, "pointer encoding of no use here");
		return 0;
	}
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		base = s->vaddr + (uint64_t)(c->pos - s->data);
		break;
	case DW_EH_PE_datarel:
		base = s->data_base;
		if (base)
			break;
		/* fall through */
	default:
		cursor_fail(c, "pointer encoding of no use here");
	}
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = cursor_uint(c, 8);
		break;
	case DW_EH_PE_uleb128:
		value = cursor_uleb(c);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)cursor_sleb(c);
		break;
	case DW_EH_PE_udata2:
		value = cursor_uint(c, 2);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int16_t)cursor_uint(c, 2);
		break;
	case DW_EH_PE_udata4:
		value = cursor_uint(c, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int32_t)cursor_uint(c, 4);
		break;
	default:
		cursor_fail(c, "pointer encoding of no use here");
		value = 0;
	}
	return base + value;
}

static void read_augmentation(struct cie *cie, const struct cfi_section *s)
{
	const Dwarf_CIE *e = &cie->entry;
	const char *letter = e->augmentation;
	struct cursor c;

	cie->pointer_encoding = DW_EH_PE_absptr;
	cie->usable = true;
	cursor_init(&c, e->augmentation_data, e->augmentation_data_size, "augmentation");
	if (*letter == 'z') {
		cie->has_sized_augmentation = true;
		letter++;
	}
	for (; *letter && cie->usable; letter++) {
		switch (*letter) {
		case 'L':
			cursor_uint(&c, 1);
			break;
		case 'P': {
			/* Only its length matters, and pc-relative needs no base for that. */
			uint8_t encoding = (uint8_t)cursor_uint(&c, 1);

			take_pointer(s, &c, encoding & 0x0f);
			break;
		}
		case 'R':
			cie->pointer_encoding = (uint8_t)cursor_uint(&c, 1);
			break;
		case 'S':
			cie->signal_frame = true;
			break;
		default:
			/* With 'z' the unknown can be passed over, though what follows
			 * it cannot be told; without, nothing can. */
			cie->usable = cie->has_sized_augmentation;
			letter += strlen(letter) - 1;
		}
	}
	if (c.failed)
		cie->usable = false;
}

/* The remembered states stay as they are: clearing them would cost more than
 * running the entry. */
static void start_machine(struct machine *m, const struct cfi_section *s, const struct cie *cie,
			  struct cfi_sink *sink)
{
	m->section = s;
	m->cie = cie;
	m->sink = sink;
	m->pc = m->end = 0;
	m->rule = cie->initial;
	m->depth = 0;
	m->pending = true;
}

/* Reads the CIE at an offset and runs its instructions. */
static void read_cie(struct cie *cie, const struct cfi_section *s, Elf_Data *data, uint64_t offset)
{
	struct machine m;
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	struct cursor c;

	memset(cie, 0, sizeof(*cie));
	cie->offset = offset;
	if (dwarf_next_cfi(s->ident, data, s->eh_frame, offset, &next, &entry) != 0 ||
	    entry.CIE_id != LIBDW_CIE_ID)
		return;
	cie->entry = entry.cie;
	read_augmentation(cie, s);
	if (entry.cie.return_address_register != DWARF_RIP)
		cie->usable = false;
	cursor_init(&c, entry.cie.initial_instructions,
		    (size_t)(entry.cie.initial_instructions_end - entry.cie.initial_instructions),
		    "CIE");
	memset(&cie->initial, 0, sizeof(cie->initial));
	cie->initial.cfa_reg = CFA_EXPRESSION;
	cie->initial.cfa_value = -1; /* until it is defined */
	start_machine(&m, s, cie, NULL);
	run(&m, &c);
	if (c.failed)
		cie->usable = false;
	cie->initial = m.rule;
	cie->initial.signal_frame = cie->signal_frame;
}

/* One FDE. False when it is broken. */
static bool read_fde(const struct cie *cie, const struct cfi_section *s, const Dwarf_FDE *fde,
		     struct cfi_sink *sink)
{
	struct machine m;
	uint64_t start;
	struct cursor c;

	start_machine(&m, s, cie, sink);
	cursor_init(&c, fde->start, (size_t)(fde->end - fde->start), "FDE");
	start = take_pointer(s, &c, cie->pointer_encoding);
	m.end = start + take_pointer(s, &c, cie->pointer_encoding & 0x0f);
	if (cie->has_sized_augmentation)
		cursor_bytes(&c, cursor_uleb(&c));
	else
		cursor_bytes(&c, cie->entry.fde_augmentation_data_size);
	if (c.failed || m.end < start)
		return false;
	if (m.end == start || start == 0)
		return true; /* code that the linker dropped */
	m.pc = start;
	if (sink->begin(sink, start, m.end))
		return false;
	run(&m, &c);
	if (!c.failed && m.pc < m.end)
		advance(&m, &c, m.end);
	sink->end(sink, !c.failed);
	return !c.failed;
}

size_t cfi_read(const struct cfi_section *s, struct cfi_sink *sink)
{
	Elf_Data data = { .d_buf = (void *)s->data, .d_type = ELF_T_BYTE, .d_version = EV_CURRENT,
			  .d_size = s->len, .d_align = 1 };
	struct cie cie = { .offset = UINT64_MAX };
	Dwarf_Off offset = 0, next;
	size_t broken = 0;

	while (offset < s->len) {
		Dwarf_CFI_Entry entry;
		int rc = dwarf_next_cfi(s->ident, &data, s->eh_frame, offset, &next, &entry);

		if (rc > 0)
			break;
		if (rc < 0)
			broken++;
		if (next <= offset || next == (Dwarf_Off)-1)
			break;
		offset = next;
		if (rc < 0 || entry.CIE_id == LIBDW_CIE_ID)
			continue;
		if (entry.fde.CIE_pointer != cie.offset)
			read_cie(&cie, s, &data, entry.fde.CIE_pointer);
		if (!cie.usable || !read_fde(&cie, s, &entry.fde, sink))
			broken++;
	}
	return broken;
}
