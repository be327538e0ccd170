#include "symbolize/dwarf/die.h"

#include <dwarf.h>

#include "base/error.h"
#include "base/ranges.h"

enum { ORIGINS_MAX = 16 }; /* as in libdw; three are usual: concrete, abstract, declared */

/* The DIE that the attribute refers to. libdw (0.188) looks for DW_FORM_ref_sup4, which leads to
 * the supplementary file, in the file itself. It reads DW_FORM_GNU_ref_alt correctly, which has the
 * same meaning and the same bytes in 32-bit DWARF. */
static bool follow(Dwarf_Die *die, unsigned attribute, Dwarf_Die *to)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, attribute, &attr))
		return false;
	if (attr.form == DW_FORM_ref_sup8)
		return false;
	if (attr.form == DW_FORM_ref_sup4)
		attr.form = DW_FORM_GNU_ref_alt;
	return dwarf_formref_die(&attr, to) != NULL;
}

/* Like dwarf_attr_integrate(), which for a unit's DIE would also open the file of its split DWARF,
 * by whatever path the DIE gives. */
static bool find(const Dwarf_Die *from, unsigned attribute, Dwarf_Attribute *attr)
{
	Dwarf_Die die = *from, next;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		if (dwarf_attr(&die, attribute, attr))
			return true;
		if (!follow(&die, DW_AT_abstract_origin, &next) &&
		    !follow(&die, DW_AT_specification, &next))
			return false;
		die = next;
	}
	return false;
}

uint32_t die_number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!find(die, attribute, &attr) || dwarf_formudata(&attr, &value) || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

const char *die_string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;

	return find(die, attribute, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* Code that the linker removed keeps its ranges, from address 0. They are skipped. */
int die_add_ranges(Dwarf_Die *die, struct ranges *r, uint32_t of, size_t *budget)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (*budget && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		--*budget;
		if (start && ranges_add(r, start, end, of))
			return ERR_NOMEM;
	}
	return 0;
}
