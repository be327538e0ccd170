/*
 * Time and memory stay in proportion to the file: walks go forward only, ranges
 * are read on a budget (dwarf_die), nesting has a limit (dwarf_unit), and libdw
 * bounds the chains of origins that it follows.
 */
#include "symbolize/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbolize/dwarf_die.h"
#include "symbolize/dwarf_unit.h"
#include "symbolize/skeleton.h"

enum { RANGES_BUDGET = 1 << 25 };

struct dwarf_index {
	Dwarf *dwarf;
	struct split *split;
	struct dwarf_unit *units;
	size_t count, room;
	struct ranges code; /* `of` indexes units */
	size_t budget;	    /* range entries that may still be read */
};

static int add_unit(struct dwarf_index *x, const Dwarf_Die *die)
{
	if (x->count == x->room) {
		size_t room = x->room ? x->room * 2 : 64;
		struct dwarf_unit *units = realloc(x->units, room * sizeof(*units));

		if (!units)
			return ERR_NOMEM;
		x->units = units;
		x->room = room;
	}
	x->units[x->count++] = (struct dwarf_unit){ .die = *die, .code = *die };
	return 0;
}

static int list_unit(struct dwarf_index *x, struct dwarf_unit *u)
{
	return dwarf_unit_list(u, x->split, &x->budget);
}

/* A unit that does not say where its code is has it said by its functions. */
static int add_unit_ranges(struct dwarf_index *x, uint32_t n, bool skeleton)
{
	struct dwarf_unit *u = &x->units[n];

	if (dwarf_hasattr(&u->die, DW_AT_ranges) || dwarf_hasattr(&u->die, DW_AT_high_pc))
		return skeleton ? skeleton_add_ranges(&u->die, &x->code, n, &x->budget) :
				  die_add_ranges(&u->die, &x->code, n, &x->budget);
	if (list_unit(x, u))
		return ERR_NOMEM;
	for (size_t i = 0; i < u->ranges.count; i++)
		if (ranges_add(&x->code, u->ranges.all[i].start, u->ranges.all[i].end, n))
			return ERR_NOMEM;
	return 0;
}

static int list_units(struct dwarf_index *x)
{
	Dwarf_CU *unit = NULL;
	struct skeleton ignored;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(x->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
		bool skeleton = skeleton_read(&die, &ignored);

		if (type != DW_UT_compile && !skeleton)
			continue;
		if (add_unit(x, &die) || add_unit_ranges(x, (uint32_t)x->count - 1, skeleton))
			return ERR_NOMEM;
	}
	ranges_inner_wins(&x->code);
	return ranges_settle(&x->code);
}

int dwarf_index_new(struct dwarf_index **out, Dwarf *dwarf, struct split *split)
{
	struct dwarf_index *x = calloc(1, sizeof(*x));

	if (!x)
		return ERR_NOMEM;
	x->dwarf = dwarf;
	x->budget = RANGES_BUDGET;
	x->split = split;
	if (list_units(x)) {
		dwarf_index_free(x);
		return ERR_NOMEM;
	}
	*out = x;
	return 0;
}

void dwarf_index_free(struct dwarf_index *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->count; i++)
		dwarf_unit_release(&x->units[i]);
	free(x->units);
	ranges_release(&x->code);
	free(x);
}

/* The line table speaks for the innermost frame. */
static void describe_line(struct dwarf_unit *u, uint64_t addr, struct dwarf_frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->die, addr);
	int n;

	if (!line)
		return;
	f->file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &n) == 0 && n > 0)
		f->line = (uint32_t)n;
	if (dwarf_linecol(line, &n) == 0 && n > 0)
		f->column = (uint32_t)n;
}

int dwarf_index_find(struct dwarf_index *x, uint64_t addr,
		     struct dwarf_frame frames[DWARF_DEPTH_MAX])
{
	const struct range *r = ranges_find(&x->code, addr);
	struct dwarf_function *f;
	struct dwarf_unit *u;
	int count = 0;

	memset(&frames[0], 0, sizeof(frames[0]));
	if (!r)
		return 0;
	u = &x->units[r->of];
	if (list_unit(x, u))
		return ERR_NOMEM;
	f = dwarf_unit_function(u, addr);
	if (f && (count = dwarf_unit_frames(u, f, addr, frames, &x->budget)) < 0)
		return ERR_NOMEM;
	describe_line(u, addr, &frames[0]);
	for (int i = 0; i < (count ? count : 1); i++)
		frames[i].dir = die_string(&u->die, DW_AT_comp_dir);
	return count;
}
