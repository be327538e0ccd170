/*
 * Everything that recurses over DIEs is bounded in depth, and everything that
 * loops over siblings is bounded by the file: a DIE's sibling always lies
 * behind it, or libdw says so.
 */
#include "symbolize/dwarf.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

enum { NEST_MAX = 128, DIES_MAX = 1 << 22, RANGES_MAX = 1 << 22 };

struct range {
	uint64_t start, end; /* end exclusive */
	uint32_t of;	     /* a unit, or a function of a unit */
};

struct ranges {
	struct range *all;
	uint64_t *reach; /* the highest end up to here, once sorted */
	size_t count, room;
};

struct unit {
	Dwarf_Die die;	/* the unit's own; for split DWARF the one in the .dwo */
	bool listed;
	struct ranges functions; /* `of` indexes dies */
	Dwarf_Die *dies;
	size_t die_count, die_room;
};

struct dwarf_index {
	Dwarf *dwarf;
	struct arena *arena;
	struct unit *units;
	size_t unit_count, unit_room;
	struct ranges code; /* `of` indexes units */
	size_t budget;	    /* DIEs that may still be visited */
};

/* Ranges. */

static int add_range(struct ranges *r, uint64_t start, uint64_t end, size_t of)
{
	if (end <= start || !start || r->count >= RANGES_MAX)
		return 0;
	if (r->count == r->room) {
		size_t room = r->room ? r->room * 2 : 16;
		struct range *all = realloc(r->all, room * sizeof(*all));

		if (!all)
			return ERR_NOMEM;
		r->all = all;
		r->room = room;
	}
	r->all[r->count++] = (struct range){ start, end, (uint32_t)of };
	return 0;
}

static int add_ranges_of(struct ranges *r, Dwarf_Die *die, size_t of)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t bound = RANGES_MAX;

	while (bound-- && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (add_range(r, start, end, of))
			return ERR_NOMEM;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* The shorter one later: the search meets it first. */
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->of < y->of ? -1 : x->of > y->of;
}

static int sort_ranges(struct ranges *r)
{
	uint64_t reach = 0;

	r->reach = malloc((r->count + 1) * sizeof(*r->reach));
	if (!r->reach)
		return ERR_NOMEM;
	if (r->count)
		qsort(r->all, r->count, sizeof(*r->all), by_start);
	for (size_t i = 0; i < r->count; i++) {
		reach = r->all[i].end > reach ? r->all[i].end : reach;
		r->reach[i] = reach;
	}
	return 0;
}

/* The range that starts last among those that cover the address, or NULL. */
static const struct range *find_range(const struct ranges *r, uint64_t addr)
{
	size_t lo = 0, hi = r->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->all[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo-- > 0 && r->reach[lo] > addr)
		if (r->all[lo].end > addr)
			return &r->all[lo];
	return NULL;
}

static void release_ranges(struct ranges *r)
{
	free(r->all);
	free(r->reach);
}

/* Functions of a unit. */

static int add_function(struct unit *u, Dwarf_Die *die)
{
	if (u->die_count == u->die_room) {
		size_t room = u->die_room ? u->die_room * 2 : 64;
		Dwarf_Die *dies = realloc(u->dies, room * sizeof(*dies));

		if (!dies)
			return ERR_NOMEM;
		u->dies = dies;
		u->die_room = room;
	}
	u->dies[u->die_count] = *die;
	return add_ranges_of(&u->functions, die, u->die_count++);
}

/* Where functions with code can stand. */
static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	}
	return false;
}

static int list_functions(struct dwarf_index *x, struct unit *u, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;
	int rc = dwarf_child(parent, &die);

	if (depth >= NEST_MAX)
		return 0;
	for (; rc == 0 && x->budget; rc = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		x->budget--;
		if (tag == DW_TAG_subprogram && add_function(u, &die))
			return ERR_NOMEM;
		if (may_hold_functions(tag) && dwarf_haschildren(&die) &&
		    list_functions(x, u, &die, depth + 1))
			return ERR_NOMEM;
	}
	return 0;
}

static int list_unit(struct dwarf_index *x, struct unit *u)
{
	if (u->listed)
		return 0;
	u->listed = true;
	x->budget = DIES_MAX;
	if (list_functions(x, u, &u->die, 0))
		return ERR_NOMEM;
	return sort_ranges(&u->functions);
}

/* Units. */

/* A unit that does not say where its code is has it said by its functions. */
static int add_unit_ranges(struct dwarf_index *x, size_t n, Dwarf_Die *cu)
{
	struct unit *u = &x->units[n];
	size_t before = x->code.count;

	if (add_ranges_of(&x->code, cu, n))
		return ERR_NOMEM;
	if (x->code.count != before)
		return 0;
	if (list_unit(x, u))
		return ERR_NOMEM;
	for (size_t i = 0; i < u->functions.count; i++)
		if (add_range(&x->code, u->functions.all[i].start, u->functions.all[i].end, n))
			return ERR_NOMEM;
	return 0;
}

static int add_unit(struct dwarf_index *x, Dwarf_Die *cu, Dwarf_Die *split)
{
	if (x->unit_count == x->unit_room) {
		size_t room = x->unit_room ? x->unit_room * 2 : 64;
		struct unit *units = realloc(x->units, room * sizeof(*units));

		if (!units)
			return ERR_NOMEM;
		x->units = units;
		x->unit_room = room;
	}
	memset(&x->units[x->unit_count], 0, sizeof(*x->units));
	x->units[x->unit_count].die = split->addr ? *split : *cu;
	return add_unit_ranges(x, x->unit_count++, cu);
}

static int list_units(struct dwarf_index *x)
{
	Dwarf_Die cu, split;
	Dwarf_CU *unit = NULL;
	uint8_t type;

	memset(&split, 0, sizeof(split));
	while (dwarf_get_units(x->dwarf, unit, &unit, NULL, &type, &cu, &split) == 0) {
		if ((type == DW_UT_compile || type == DW_UT_skeleton || type == DW_UT_partial) &&
		    add_unit(x, &cu, &split))
			return ERR_NOMEM;
		memset(&split, 0, sizeof(split));
	}
	return sort_ranges(&x->code);
}

int dwarf_index_new(struct dwarf_index **out, Dwarf *dwarf, struct arena *arena)
{
	struct dwarf_index *x = calloc(1, sizeof(*x));

	if (!x)
		return ERR_NOMEM;
	x->dwarf = dwarf;
	x->arena = arena;
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
	for (size_t i = 0; i < x->unit_count; i++) {
		release_ranges(&x->units[i].functions);
		free(x->units[i].dies);
	}
	free(x->units);
	release_ranges(&x->code);
	free(x);
}

/* One address. */

static uint32_t number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value) ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static const char *string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static void describe(Dwarf_Die *die, struct dwarf_frame *f)
{
	f->name = string(die, DW_AT_name);
	f->linkage_name = string(die, DW_AT_linkage_name);
	if (!f->linkage_name)
		f->linkage_name = string(die, DW_AT_MIPS_linkage_name);
	f->start_line = number(die, DW_AT_decl_line);
}

/* The inlined call right below `parent` that covers the address. Lexical blocks
 * that cover it are walked through; one without ranges covers what it holds. */
static bool find_inlined(Dwarf_Die *parent, uint64_t addr, unsigned depth, size_t *budget,
			 Dwarf_Die *found)
{
	Dwarf_Die die;
	int rc = depth < NEST_MAX ? dwarf_child(parent, &die) : 1;

	for (; rc == 0 && *budget; rc = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		--*budget;
		if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, addr) > 0) {
			*found = die;
			return true;
		}
		if (tag == DW_TAG_lexical_block && dwarf_haspc(&die, addr) != 0 &&
		    find_inlined(&die, addr, depth + 1, budget, found))
			return true;
		if (tag == DW_TAG_lexical_block && !dwarf_hasattr(&die, DW_AT_ranges) &&
		    !dwarf_hasattr(&die, DW_AT_low_pc) &&
		    find_inlined(&die, addr, depth + 1, budget, found))
			return true;
	}
	return false;
}

/* Where the call that was inlined stands in its caller. */
static void describe_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct dwarf_frame *caller)
{
	uint32_t file = number(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t count;

	caller->line = number(inlined, DW_AT_call_line);
	caller->column = number(inlined, DW_AT_call_column);
	if (dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count)
		caller->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void describe_line(Dwarf_Die *unit, uint64_t addr, struct dwarf_frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
	int n;

	if (!line)
		return;
	f->file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &n) == 0 && n > 0)
		f->line = (uint32_t)n;
	if (dwarf_linecol(line, &n) == 0 && n > 0)
		f->column = (uint32_t)n;
}

/* "src/a.c" of a unit compiled in /build is /build/src/a.c. */
static const char *absolute(const struct dwarf_index *x, Dwarf_Die *unit, const char *file)
{
	const char *dir = string(unit, DW_AT_comp_dir);
	size_t dir_len = dir ? strlen(dir) : 0, len;
	char *path;

	if (!file || *file == '/' || !dir_len || *dir != '/')
		return file;
	len = strlen(file);
	path = arena_alloc(x->arena, dir_len + len + 2);
	if (!path)
		return file;
	memcpy(path, dir, dir_len);
	path[dir_len] = '/';
	memcpy(path + dir_len + 1, file, len + 1);
	return path;
}

static void reverse(struct dwarf_frame *frames, int count)
{
	for (int i = 0, j = count - 1; i < j; i++, j--) {
		struct dwarf_frame f = frames[i];

		frames[i] = frames[j];
		frames[j] = f;
	}
}

/* From the function inward: each inlined call says where in its caller it
 * stands; the line table speaks for the innermost. */
static int find_frames(struct dwarf_index *x, struct unit *u, Dwarf_Die *function, uint64_t addr,
		       struct dwarf_frame frames[DWARF_DEPTH_MAX])
{
	Dwarf_Die at = *function, inlined;
	size_t budget = DIES_MAX;
	int count = 1;

	describe(&at, &frames[0]);
	while (count < DWARF_DEPTH_MAX && find_inlined(&at, addr, 0, &budget, &inlined)) {
		describe_call(&u->die, &inlined, &frames[count - 1]);
		memset(&frames[count], 0, sizeof(frames[count]));
		describe(&inlined, &frames[count++]);
		at = inlined;
	}
	describe_line(&u->die, addr, &frames[count - 1]);
	for (int i = 0; i < count; i++)
		frames[i].file = absolute(x, &u->die, frames[i].file);
	reverse(frames, count);
	return count;
}

int dwarf_index_find(struct dwarf_index *x, uint64_t addr,
		     struct dwarf_frame frames[DWARF_DEPTH_MAX])
{
	const struct range *in_unit = find_range(&x->code, addr), *in_function;
	struct unit *u;

	memset(&frames[0], 0, sizeof(frames[0]));
	if (!in_unit)
		return 0;
	u = &x->units[in_unit->of];
	if (list_unit(x, u))
		return ERR_NOMEM;
	in_function = find_range(&u->functions, addr);
	if (in_function)
		return find_frames(x, u, &u->dies[in_function->of], addr, frames);
	describe_line(&u->die, addr, &frames[0]);
	frames[0].file = absolute(x, &u->die, frames[0].file);
	return 0;
}
