#include "symbolize/dwarf_die.h"

#include <dwarf.h>

#include "base/error.h"
#include "symbolize/ranges.h"

uint32_t die_number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, attribute, &attr) || dwarf_formudata(&attr, &value) ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

const char *die_string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, attribute, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* Code that the linker threw away keeps its ranges, from address 0. */
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
