/* Range lists are read by a parser of our own, of both versions, from .debug_rnglists or
 * .debug_ranges and .debug_addr. */
#include "symbolize/dwarf/skeleton.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>

#include "base/ranges.h"
#include "symbolize/files/sections.h"

enum { ADDR = 8 }; /* bytes of an address */

static uint64_t skeleton_number(Dwarf_Die *die, unsigned attribute, unsigned gnu)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, attribute, &attr) && (!gnu || !dwarf_attr(die, gnu, &attr)))
		return 0;
	return dwarf_formudata(&attr, &value) ? 0 : value;
}

static const char *skeleton_string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, attribute, &attr) ? dwarf_formstring(&attr) : NULL;
}

bool skeleton_read(Dwarf_Die *die, struct skeleton *s)
{
	Dwarf_Attribute attr;
	Dwarf_Half version;
	uint8_t type;

	if (dwarf_cu_info(die->cu, &version, &type, NULL, NULL, &s->id, NULL, NULL))
		return false;
	/* In DWARF 4 only the attributes mark a skeleton. If it holds inlined calls (clang
	 * -fsplit-dwarf-inlining), libdw takes it for the split unit. */
	if (type != DW_UT_skeleton && (type != DW_UT_split_compile || version >= 5 ||
				       !dwarf_hasattr(die, DW_AT_GNU_dwo_name)))
		return false;
	s->version = version;
	if (!dwarf_attr(die, DW_AT_low_pc, &attr) || dwarf_formaddr(&attr, &s->low_pc))
		s->low_pc = 0;
	s->addr_base = skeleton_number(die, DW_AT_addr_base, DW_AT_GNU_addr_base);
	s->ranges_base = skeleton_number(die, DW_AT_GNU_ranges_base, 0);
	s->dwo_name = skeleton_string(die, DW_AT_dwo_name);
	if (!s->dwo_name)
		s->dwo_name = skeleton_string(die, DW_AT_GNU_dwo_name);
	s->comp_dir = skeleton_string(die, DW_AT_comp_dir);
	return true;
}

/* libdw has uncompressed the section already if necessary. */
void skeleton_section(const Dwarf_Die *die, const char *name, uint64_t base, struct cursor *c)
{
	section_bytes(dwarf_getelf(dwarf_cu_getdwarf(die->cu)), name, c);
	cursor_bytes(c, base);
	if (c->failed)
		cursor_init(c, NULL, 0, name);
}

/* Range lists. */

struct skeleton_reading {
	Dwarf_Die *die;
	struct skeleton s;
	struct cursor c, addrs; /* the list; the unit's part of .debug_addr */
	uint64_t base;		/* base address of offset pairs */
	struct ranges *r;
	uint32_t of;
	size_t *budget;
	bool end;
};

/* The address with this number in .debug_addr. */
static uint64_t address(struct skeleton_reading *l, uint64_t index)
{
	struct cursor c = l->addrs;

	if (index >= cursor_left(&c) / ADDR) {
		cursor_fail(&l->c, "no such address");
		return 0;
	}
	cursor_bytes(&c, index * ADDR);
	return cursor_uint(&c, ADDR);
}

/* Code that the linker removed keeps its ranges, from address 0. They are skipped. */
static int skeleton_add(struct skeleton_reading *l, uint64_t start, uint64_t end)
{
	return l->c.failed || !start ? 0 : ranges_add(l->r, start, end, l->of);
}

/* An entry of .debug_rnglists (DWARF 5, section 2.17.3). */
static int skeleton_read_entry(struct skeleton_reading *l)
{
	uint8_t kind = cursor_byte(&l->c);
	uint64_t start;

	switch (kind) {
	case DW_RLE_end_of_list:
		l->end = true;
		return 0;
	case DW_RLE_base_addressx:
		l->base = address(l, cursor_uleb(&l->c));
		return 0;
	case DW_RLE_base_address:
		l->base = cursor_uint(&l->c, ADDR);
		return 0;
	case DW_RLE_startx_endx:
		start = address(l, cursor_uleb(&l->c));
		return skeleton_add(l, start, address(l, cursor_uleb(&l->c)));
	case DW_RLE_startx_length:
		start = address(l, cursor_uleb(&l->c));
		return skeleton_add(l, start, start + cursor_uleb(&l->c));
	case DW_RLE_offset_pair:
		start = l->base + cursor_uleb(&l->c);
		return skeleton_add(l, start, l->base + cursor_uleb(&l->c));
	case DW_RLE_start_end:
		start = cursor_uint(&l->c, ADDR);
		return skeleton_add(l, start, cursor_uint(&l->c, ADDR));
	case DW_RLE_start_length:
		start = cursor_uint(&l->c, ADDR);
		return skeleton_add(l, start, start + cursor_uleb(&l->c));
	}
	cursor_fail(&l->c, "unknown kind of range");
	return 0;
}

/* An entry of .debug_ranges (DWARF 4, section 2.17.3). */
static int skeleton_read_pair(struct skeleton_reading *l)
{
	uint64_t start = cursor_uint(&l->c, ADDR), end = cursor_uint(&l->c, ADDR);

	if (start == UINT64_MAX) {
		l->base = end;
		return 0;
	}
	l->end = !start && !end;
	return l->end ? 0 : skeleton_add(l, l->base + start, l->base + end);
}

/* The list's offset in its section. */
static uint64_t list_offset(struct skeleton_reading *l, Dwarf_Attribute *attr)
{
	uint64_t base = skeleton_number(l->die, DW_AT_rnglists_base, 0), index;
	Dwarf_Word offset = 0;

	if (attr->form != DW_FORM_rnglistx) {
		if (dwarf_formudata(attr, &offset))
			cursor_fail(&l->c, "no offset");
		return offset;
	}
	/* The index is read from the attribute's bytes: libdw has no public function for it. */
	skeleton_section(l->die, ".debug_info", 0, &l->c);
	if (attr->valp < l->c.pos || attr->valp >= l->c.end)
		cursor_fail(&l->c, "no index");
	else
		cursor_bytes(&l->c, (uint64_t)(attr->valp - l->c.pos));
	index = cursor_uleb(&l->c);
	if (l->c.failed || index > UINT32_MAX)
		return 0;
	skeleton_section(l->die, ".debug_rnglists", base, &l->c);
	cursor_bytes(&l->c, index * 4);
	return base + cursor_uint(&l->c, 4);
}

static int add_list(struct skeleton_reading *l, Dwarf_Attribute *attr)
{
	uint64_t offset;
	int rc = 0;

	cursor_init(&l->c, NULL, 0, "ranges");
	skeleton_section(l->die, ".debug_addr", l->s.addr_base, &l->addrs);
	offset = list_offset(l, attr);
	if (l->c.failed)
		return 0;
	skeleton_section(l->die, l->s.version < 5 ? ".debug_ranges" : ".debug_rnglists", offset,
			 &l->c);
	while (!rc && !l->end && !l->c.failed && *l->budget && cursor_left(&l->c)) {
		--*l->budget;
		rc = l->s.version < 5 ? skeleton_read_pair(l) : skeleton_read_entry(l);
	}
	return rc;
}

/* The range from low_pc on. The attribute is its end or, since DWARF 4, its length. */
static int add_one(struct skeleton_reading *l, Dwarf_Attribute *attr)
{
	Dwarf_Addr end;
	Dwarf_Word length;

	if (dwarf_formaddr(attr, &end)) {
		if (dwarf_formudata(attr, &length))
			return 0;
		end = l->s.low_pc + length;
	}
	return skeleton_add(l, l->s.low_pc, end);
}

int skeleton_add_ranges(Dwarf_Die *die, struct ranges *r, uint32_t of, size_t *budget)
{
	struct skeleton_reading l = { .die = die, .r = r, .of = of, .budget = budget };
	Dwarf_Attribute attr;

	if (!*budget || !skeleton_read(die, &l.s))
		return 0;
	l.base = l.s.low_pc;
	if (dwarf_attr(die, DW_AT_high_pc, &attr))
		return add_one(&l, &attr);
	return dwarf_attr(die, DW_AT_ranges, &attr) ? add_list(&l, &attr) : 0;
}
