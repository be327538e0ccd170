#include "symbolize/dwarf_die.h"

#include <dwarf.h>

#include "base/error.h"
#include "symbolize/ranges.h"

static bool forward(struct die_walk *w, const Dwarf_Die *die)
{
	if ((const char *)die->addr <= (const char *)w->last)
		return false;
	w->last = die->addr;
	return true;
}

bool die_child(struct die_walk *w, Dwarf_Die *parent, Dwarf_Die *child)
{
	return dwarf_child(parent, child) == 0 && forward(w, child);
}

bool die_sibling(struct die_walk *w, Dwarf_Die *die)
{
	return dwarf_siblingof(die, die) == 0 && forward(w, die);
}

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
