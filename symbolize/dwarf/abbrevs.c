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

int abbrev_fixed_length(uint64_t form, unsigned version, unsigned address_size,
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

static void skip_varying(struct cursor *c, uint64_t form)
{
	switch (form) {
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index:
		cursor_uleb(c);
		break;
	case DW_FORM_string:
		cursor_bytes(c, strnlen((const char *)c->pos, cursor_left(c)) + 1);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cursor_bytes(c, cursor_uleb(c));
		break;
	case DW_FORM_block1:
		cursor_bytes(c, cursor_uint(c, 1));
		break;
	case DW_FORM_block2:
		cursor_bytes(c, cursor_uint(c, 2));
		break;
	case DW_FORM_block4:
		cursor_bytes(c, cursor_uint(c, 4));
		break;
	default:
		cursor_fail(c, "unknown form");
	}
}

void abbrev_skip(struct cursor *c, uint64_t form, unsigned version)
{
	int len;

	for (int i = 0; form == DW_FORM_indirect && i < INDIRECT_MAX; i++)
		form = cursor_uleb(c);
	len = abbrev_fixed_length(form, version, 8, 4);
	if (len < 0)
		skip_varying(c, form);
	else
		cursor_bytes(c, (uint64_t)len);
}
