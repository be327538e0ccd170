/* A declaration is read with a cursor up to its pair of zeros (DWARF 5, section 7.5.3). The length
 * of a value follows from its form (7.5.6), except where the value itself begins with it. */
#include "symbolize/dwarf/abbrevs.h"

#include <dwarf.h>
#include <string.h>

enum { INDIRECT_MAX = 4 };

bool abbrev_attribute(struct cursor *c, struct abbrev_attribute *a)
{
	a->name = cursor_uleb(c);
	a->form = cursor_uleb(c);
	if (a->form == DW_FORM_implicit_const)
		cursor_sleb(c);
	return !c->failed && (a->name || a->form);
}

bool abbrev_next(struct cursor *c, struct abbrev *a)
{
	struct abbrev_attribute attribute;

	a->start = c->pos;
	a->code = cursor_uleb(c);
	if (!a->code || c->failed)
		return false;
	a->tag = cursor_uleb(c);
	a->children = cursor_byte(c);
	a->attributes = *c;
	while (abbrev_attribute(c, &attribute))
		;
	a->attributes.end = c->pos;
	a->len = (size_t)(c->pos - a->start);
	return !c->failed;
}

/* In bytes, of all values of the form; -1 if it varies, or for an unknown form. */
static int fixed_length(uint64_t form, unsigned version, unsigned address_size,
			unsigned offset_size)
{
	/* clang-format off */
	switch (form) {
	case DW_FORM_flag_present: case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag: case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_ref_sup4: case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return (int)address_size;
	case DW_FORM_ref_addr: /* an address in DWARF 2 */
		return (int)(version < 3 ? address_size : offset_size);
	case DW_FORM_sec_offset: case DW_FORM_strp: case DW_FORM_line_strp:
	case DW_FORM_strp_sup: case DW_FORM_GNU_strp_alt: case DW_FORM_GNU_ref_alt:
		return (int)offset_size;
	}
	/* clang-format on */
	return -1;
}

struct form_length abbrev_form(uint64_t form, unsigned version, unsigned address_size,
			       unsigned offset_size)
{
	int bytes = fixed_length(form, version, address_size, offset_size);

	if (bytes >= 0)
		return (struct form_length){ FORM_BYTES, (uint8_t)bytes };
	/* clang-format off */
	switch (form) {
	case DW_FORM_udata: case DW_FORM_sdata: case DW_FORM_ref_udata: case DW_FORM_strx:
	case DW_FORM_addrx: case DW_FORM_loclistx: case DW_FORM_rnglistx:
	case DW_FORM_GNU_str_index: case DW_FORM_GNU_addr_index:
		return (struct form_length){ FORM_LEB, 0 };
	case DW_FORM_string:
		return (struct form_length){ FORM_STRING, 0 };
	case DW_FORM_block1:
		return (struct form_length){ FORM_BLOCK, 1 };
	case DW_FORM_block2:
		return (struct form_length){ FORM_BLOCK, 2 };
	case DW_FORM_block4:
		return (struct form_length){ FORM_BLOCK, 4 };
	case DW_FORM_block: case DW_FORM_exprloc:
		return (struct form_length){ FORM_BLOCK, 0 };
	case DW_FORM_indirect:
		return (struct form_length){ FORM_INDIRECT, 0 };
	}
	/* clang-format on */
	return (struct form_length){ FORM_UNKNOWN, 0 };
}

void abbrev_pass(struct cursor *c, struct form_length length)
{
	switch (length.kind) {
	case FORM_BYTES:
		cursor_bytes(c, length.n);
		break;
	case FORM_LEB: /* signed or not */
		while (cursor_byte(c) & 0x80)
			;
		break;
	case FORM_STRING:
		cursor_bytes(c, strnlen((const char *)c->pos, cursor_left(c)) + 1);
		break;
	case FORM_BLOCK:
		cursor_bytes(c, length.n ? cursor_uint(c, length.n) : cursor_uleb(c));
		break;
	default:
		cursor_fail(c, "unknown form");
	}
}

void abbrev_skip(struct cursor *c, uint64_t form, unsigned version)
{
	for (int i = 0; form == DW_FORM_indirect && i < INDIRECT_MAX; i++)
		form = cursor_uleb(c);
	abbrev_pass(c, abbrev_form(form, version, 8, 4));
}
