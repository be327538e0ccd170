/*
 * The interpreter of call frame instructions (DWARF 5, section 6.4.2), with the GNU extensions that
 * gcc emits and the augmentations of .eh_frame (Linux Standard Base Core, 10.6.1).
 *
 * An entry that breaks a rule is left out as a whole: a wrong row is worse than none.
 */
#include "unwind/table/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "base/cursor.h"
#include "unwind/table/rule.h"

enum {
	REMEMBER_MAX = 32,
	CIE_SLOTS = 16,
	CIE_MAX = 1024,	     /* bytes; each FDE may cost running its CIE again */
	CIE_TURNS = 4,	     /* all reads of CIEs together: at most this many section lengths */
	CIE_FREE = 64 << 10, /* plus this many bytes */
};

struct cie {
	uint64_t offset; /* in the section; an FDE names its CIE by it */
	Dwarf_CIE entry;
	uint8_t pointer_encoding; /* of an FDE's addresses */
	bool has_sized_augmentation, signal_frame, usable;
	bool lands; /* its functions say where exceptions land */
	struct cfi_rule initial;
};

struct cfi_machine {
	const struct cfi_section *section;
	const struct cie *cie;
	struct cfi_sink *sink; /* NULL while a CIE's own instructions run */
	uint64_t pc, end;
	struct cfi_rule rule;
	struct cfi_rule remembered[REMEMBER_MAX];
	unsigned depth;
	bool pending; /* the current rule has not been given to the sink */
};

struct cfi_reader {
	const struct cfi_section *section;
	Elf_Data data; /* the section's bytes in libdw's form */
	struct cie cies[CIE_SLOTS];
	uint64_t cie_bytes; /* read so far: FDEs that alternate between two CIEs of one slot must
			     * not make the time quadratic */
};

static void set_column(struct cfi_machine *m, struct cursor *c, uint64_t reg, enum column_kind kind,
		       int64_t value)
{
	if (value > COLUMN_VALUE_MAX || value < -COLUMN_VALUE_MAX) {
		cursor_fail(c, "offset out of range");
		return;
	}
	m->pending = true;
	if (reg >= DWARF_COUNT)
		return; /* vector and other registers that a walk does not need */
	m->rule.columns[reg] = (struct column){ kind, (int32_t)value };
	if (kind == COLUMN_DEFAULT)
		m->rule.said &= ~(1u << reg);
	else
		m->rule.said |= 1u << reg;
}

static void set_cfa(struct cfi_machine *m, struct cursor *c, uint64_t reg, int64_t value)
{
	if (reg >= CFA_BASES || value != (int32_t)value)
		cursor_fail(c, "CFA out of range");
	m->rule.cfa_reg = (uint8_t)reg;
	m->rule.cfa_value = (int32_t)value;
	m->pending = true;
}

/* Passes over an expression; returns its offset in the section, which is that of its length. */
static int64_t take_expression(struct cfi_machine *m, struct cursor *c)
{
	int64_t place = c->pos - m->section->data;

	if (place > COLUMN_VALUE_MAX)
		cursor_fail(c, "expression out of range");
	cursor_bytes(c, cursor_uleb(c));
	return place;
}

static void cfi_restore(struct cfi_machine *m, struct cursor *c, uint64_t reg)
{
	if (reg < DWARF_COUNT)
		set_column(m, c, reg, m->cie->initial.columns[reg].kind,
			   m->cie->initial.columns[reg].value);
}

/* Gives the row that ends here to the sink and moves on to address `to`. */
static void cfi_advance(struct cfi_machine *m, struct cursor *c, uint64_t to)
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

static void advance_by(struct cfi_machine *m, struct cursor *c, uint64_t delta)
{
	uint64_t step;

	if (__builtin_mul_overflow(delta, (uint64_t)m->cie->entry.code_alignment_factor, &step) ||
	    __builtin_add_overflow(m->pc, step, &step)) {
		cursor_fail(c, "address out of range");
		return;
	}
	cfi_advance(m, c, step);
}

static int64_t factored(const struct cfi_machine *m, struct cursor *c, int64_t n)
{
	int64_t value;

	if (__builtin_mul_overflow(n, (int64_t)m->cie->entry.data_alignment_factor, &value))
		cursor_fail(c, "offset out of range");
	return value;
}

static int64_t factored_uleb(const struct cfi_machine *m, struct cursor *c)
{
	uint64_t n = cursor_uleb(c);

	if (n > INT64_MAX)
		cursor_fail(c, "offset out of range");
	return factored(m, c, (int64_t)n);
}

/* Rules for the CFA. */
static bool run_cfa(struct cfi_machine *m, struct cursor *c, uint8_t op)
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
		if (m->rule.cfa_reg == CFA_EXPRESSION)
			cursor_fail(c, "CFA has no offset to keep");
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
static bool run_column(struct cfi_machine *m, struct cursor *c, uint8_t op)
{
	uint64_t reg;

	if (op < DW_CFA_offset_extended || op == DW_CFA_remember_state ||
	    op == DW_CFA_restore_state ||
	    (op > DW_CFA_val_expression && op != DW_CFA_GNU_negative_offset_extended))
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
		set_column(m, c, reg, COLUMN_SAVED, (int64_t)(0 - (uint64_t)factored_uleb(m, c)));
		return true;
	case DW_CFA_restore_extended:
		cfi_restore(m, c, reg);
		return true;
	case DW_CFA_undefined:
		set_column(m, c, reg, COLUMN_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_column(m, c, reg, COLUMN_SAME, 0);
		return true;
	case DW_CFA_register: {
		uint64_t other = cursor_uleb(c);

		if (other < DWARF_COUNT)
			set_column(m, c, reg, COLUMN_REGISTER, (int64_t)other);
		else /* kept in a register that is not tracked */
			set_column(m, c, reg, COLUMN_UNDEFINED, 0);
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

static void cfi_remember(struct cfi_machine *m, struct cursor *c)
{
	if (m->depth == REMEMBER_MAX)
		cursor_fail(c, "too many remembered states");
	else
		m->remembered[m->depth++] = m->rule;
}

static void recall(struct cfi_machine *m, struct cursor *c)
{
	if (!m->depth) {
		cursor_fail(c, "no state was remembered");
		return;
	}
	m->rule = m->remembered[--m->depth];
	m->pending = true;
}

static void run_other(struct cfi_machine *m, struct cursor *c, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_set_loc:
		cfi_advance(m, c, ehpointer_take(m->section, c, m->cie->pointer_encoding));
		break;
	case DW_CFA_advance_loc1:
		advance_by(m, c, cursor_byte(c));
		break;
	case DW_CFA_advance_loc2:
		advance_by(m, c, cursor_uint(c, 2));
		break;
	case DW_CFA_advance_loc4:
		advance_by(m, c, cursor_uint(c, 4));
		break;
	case DW_CFA_remember_state:
		cfi_remember(m, c);
		break;
	case DW_CFA_restore_state:
		recall(m, c);
		break;
	case DW_CFA_GNU_args_size:
		cursor_uleb(c);
		break;
	default:
		if (!arch_cfa_notes(op))
			cursor_fail(c, "unknown call frame instruction");
	}
}

static void cfi_run(struct cfi_machine *m, struct cursor *c)
{
	while (cursor_left(c)) {
		uint8_t op = cursor_byte(c);
		uint8_t low = op & 0x3f;

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			advance_by(m, c, low);
			break;
		case DW_CFA_offset:
			set_column(m, c, low, COLUMN_SAVED, factored_uleb(m, c));
			break;
		case DW_CFA_restore:
			cfi_restore(m, c, low);
			break;
		default:
			if (!run_cfa(m, c, op) && !run_column(m, c, op))
				run_other(m, c, op);
		}
	}
}

static void read_augmentation(struct cie *cie)
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
			cie->lands = true;
			break;
		case 'P':
			ehpointer_skip(&c, cursor_byte(&c));
			break;
		case 'R':
			cie->pointer_encoding = cursor_byte(&c);
			break;
		case 'S':
			cie->signal_frame = true;
			break;
		case 'B': /* aarch64: B, key B signs; G, tagged stack; both without data */
		case 'G':
			break;
		default:
			/* With 'z' an unknown letter's data can be skipped, but the letters after
			 * it cannot be interpreted. Without 'z' the length of its data is not
			 * known. */
			cie->usable = cie->has_sized_augmentation;
			letter += strlen(letter) - 1;
		}
	}
	if (c.failed)
		cie->usable = false;
}

/* The remembered states are not cleared: that would cost more than running the entry. */
static void start_machine(struct cfi_machine *m, const struct cfi_section *s, const struct cie *cie,
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

/* libdw splits the entry and checks its length and its augmentation string. It adds to the offset
 * before it compares it with the section's size, so an offset near 2^64 must not reach it. When the
 * length is broken, it leaves *next unchanged. Returns like dwarf_next_cfi. */
static int next_entry(struct cfi_reader *r, uint64_t offset, Dwarf_Off *next,
		      Dwarf_CFI_Entry *entry)
{
	*next = offset;
	if (offset >= r->data.d_size)
		return 1;
	return dwarf_next_cfi(r->section->ident, &r->data, r->section->eh_frame, offset, next,
			      entry);
}

/* Reads the CIE at an offset and runs its instructions. */
static void read_cie(struct cfi_reader *r, struct cie *cie, uint64_t offset)
{
	const Dwarf_CIE *e = &cie->entry;
	struct cfi_machine m;
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	struct cursor c;

	memset(cie, 0, sizeof(*cie));
	cie->offset = offset;
	if (r->cie_bytes > CIE_TURNS * (uint64_t)r->section->len + CIE_FREE)
		return;
	if (next_entry(r, offset, &next, &entry) || entry.CIE_id != LIBDW_CIE_ID)
		return;
	r->cie_bytes += next - offset;
	if (next - offset > CIE_MAX)
		return;
	cie->entry = entry.cie;
	read_augmentation(cie);
	if (e->return_address_register != DWARF_RA)
		cie->usable = false;
	cursor_init(&c, e->initial_instructions,
		    (size_t)(e->initial_instructions_end - e->initial_instructions), "CIE");
	cie->initial.cfa_reg = CFA_EXPRESSION;
	cie->initial.cfa_value = -1; /* until an instruction defines it */
	start_machine(&m, r->section, cie, NULL);
	cfi_run(&m, &c);
	if (c.failed)
		cie->usable = false;
	cie->initial = m.rule;
	cie->initial.signal_frame = cie->signal_frame;
}

/* Linkers leave a CIE or two for each object file, and the FDEs of one function's parts alternate
 * between them. */
static const struct cie *cie_at(struct cfi_reader *r, uint64_t offset)
{
	struct cie *cie = &r->cies[(offset >> 3 ^ offset >> 7) % CIE_SLOTS];

	if (cie->offset != offset)
		read_cie(r, cie, offset);
	return cie;
}

/* Reads one FDE. False when it is broken or the sink rejects it. */
static bool read_fde(const struct cie *cie, const struct cfi_section *s, const Dwarf_FDE *fde,
		     struct cfi_sink *sink)
{
	struct cfi_machine m;
	uint64_t start;
	struct cursor c;

	start_machine(&m, s, cie, sink);
	cursor_init(&c, fde->start, (size_t)(fde->end - fde->start), "FDE");
	start = ehpointer_take(s, &c, cie->pointer_encoding);
	m.end = start + ehpointer_take(s, &c, cie->pointer_encoding & 0x0f);
	if (cie->has_sized_augmentation)
		cursor_bytes(&c, cursor_uleb(&c));
	if (c.failed || m.end < start)
		return false;
	if (m.end == start || start == 0)
		return true; /* code that the linker dropped */
	m.pc = start;
	sink->lands = cie->lands || !s->eh_frame;
	if (sink->begin(sink, start, m.end))
		return false;
	cfi_run(&m, &c);
	if (!c.failed && m.pc < m.end)
		cfi_advance(&m, &c, m.end);
	sink->end(sink, !c.failed);
	return !c.failed;
}

size_t cfi_read(const struct cfi_section *s, struct cfi_sink *sink)
{
	struct cfi_reader r = { .section = s,
				.data = { .d_buf = (void *)s->data,
					  .d_size = s->len,
					  .d_type = ELF_T_BYTE,
					  .d_version = EV_CURRENT,
					  .d_align = 1 } };
	uint64_t offset = 0;
	size_t broken = 0;

	for (size_t i = 0; i < CIE_SLOTS; i++)
		r.cies[i].offset = UINT64_MAX;
	for (;;) {
		const struct cie *cie;
		Dwarf_CFI_Entry entry;
		Dwarf_Off next;
		int rc = next_entry(&r, offset, &next, &entry);

		if (rc > 0)
			break;
		if (rc < 0)
			broken++;
		if (next <= offset)
			break;
		offset = next;
		if (rc < 0 || entry.CIE_id == LIBDW_CIE_ID)
			continue;
		cie = cie_at(&r, entry.fde.CIE_pointer);
		if (!cie->usable || !read_fde(cie, s, &entry.fde, sink))
			broken++;
	}
	return broken;
}
