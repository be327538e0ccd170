/*
 * Recursion follows the nesting of DIEs and stops at NEST_MAX; what lies deeper
 * belongs to its ancestor. Everything else is linear in the unit (die_walk).
 *
 * An inlined call is looked for among all of its function's, not from the
 * outside inward: compilers leave lexical blocks without ranges, and parents
 * whose ranges lack a piece that a child has. llvm-symbolizer does the same.
 */
#include "symbolize/dwarf_unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbolize/dwarf.h"
#include "symbolize/dwarf_die.h"

enum { NEST_MAX = 256, INLINE_MAX = DWARF_DEPTH_MAX - 1 };

#define NO_PARENT UINT32_MAX

struct inlined {
	Dwarf_Die die;
	uint32_t parent; /* index, or NO_PARENT below the function itself */
};

struct dwarf_inlines {
	struct ranges ranges; /* `of` indexes all */
	struct inlined *all;
	size_t count, room;
};

static void free_inlines(struct dwarf_inlines *in)
{
	if (!in)
		return;
	ranges_release(&in->ranges);
	free(in->all);
	free(in);
}

void dwarf_unit_release(struct dwarf_unit *u)
{
	for (size_t i = 0; i < u->count; i++)
		free_inlines(u->functions[i].inlines);
	free(u->functions);
	ranges_release(&u->ranges);
	split_unit_release(&u->split);
}

/* Functions. */

static int add_function(struct dwarf_unit *u, Dwarf_Die *die, size_t *budget)
{
	size_t before = u->ranges.count;

	if (u->count == u->room) {
		size_t room = u->room ? u->room * 2 : 16;
		struct dwarf_function *functions = realloc(u->functions, room * sizeof(*functions));

		if (!functions)
			return ERR_NOMEM;
		u->functions = functions;
		u->room = room;
	}
	if (die_add_ranges(die, &u->ranges, (uint32_t)u->count, budget))
		return ERR_NOMEM;
	if (u->ranges.count != before)
		u->functions[u->count++] = (struct dwarf_function){ .die = *die };
	return 0;
}

/* Where functions with code can stand: in each other too, as Ada's and GNU C's
 * nested functions and the methods of C++'s local classes do. */
static bool may_hold_functions(int tag)
{
	switch (tag) {
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

static int list_functions(struct dwarf_unit *u, struct die_walk *w, Dwarf_Die *parent,
			  unsigned depth, size_t *budget)
{
	Dwarf_Die die;

	if (depth == NEST_MAX || !die_child(w, parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && add_function(u, &die, budget))
			return ERR_NOMEM;
		if (may_hold_functions(tag) && dwarf_haschildren(&die) > 0 &&
		    list_functions(u, w, &die, depth + 1, budget))
			return ERR_NOMEM;
	} while (die_sibling(w, &die));
	return 0;
}

int dwarf_unit_list(struct dwarf_unit *u, struct split *split, size_t *budget)
{
	struct die_walk w = { NULL };

	if (u->listed)
		return 0;
	u->listed = true;
	if (split && split_find(split, &u->die, &u->split, &u->code))
		return ERR_NOMEM;
	if (list_functions(u, &w, &u->code, 0, budget))
		return ERR_NOMEM;
	ranges_inner_wins(&u->ranges);
	return ranges_settle(&u->ranges);
}

struct dwarf_function *dwarf_unit_function(struct dwarf_unit *u, uint64_t addr)
{
	const struct range *r = ranges_find(&u->ranges, addr);

	return r ? &u->functions[r->of] : NULL;
}

/* Inlined calls. */

static int add_inlined(struct dwarf_inlines *in, Dwarf_Die *die, uint32_t parent, size_t *budget)
{
	if (in->count == in->room) {
		size_t room = in->room ? in->room * 2 : 8;
		struct inlined *all = realloc(in->all, room * sizeof(*all));

		if (!all)
			return ERR_NOMEM;
		in->all = all;
		in->room = room;
	}
	in->all[in->count] = (struct inlined){ *die, parent };
	return die_add_ranges(die, &in->ranges, (uint32_t)in->count++, budget);
}

static bool may_hold_inlined(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

struct place { /* in the tree of a function */
	uint32_t parent;
	unsigned depth, inlined;
};

static int list_inlined(struct dwarf_inlines *in, struct die_walk *w, Dwarf_Die *parent,
			struct place at, size_t *budget)
{
	Dwarf_Die die;

	if (at.depth == NEST_MAX || !die_child(w, parent, &die))
		return 0;
	do {
		struct place below = { at.parent, at.depth + 1, at.inlined };
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine && at.inlined < INLINE_MAX) {
			below.parent = (uint32_t)in->count;
			below.inlined++;
			if (add_inlined(in, &die, at.parent, budget))
				return ERR_NOMEM;
		}
		if (may_hold_inlined(tag) && dwarf_haschildren(&die) > 0 &&
		    list_inlined(in, w, &die, below, budget))
			return ERR_NOMEM;
	} while (die_sibling(w, &die));
	return 0;
}

static int open_inlines(struct dwarf_function *f, size_t *budget)
{
	struct die_walk w = { NULL };
	struct place top = { NO_PARENT, 0, 0 };

	if (f->inlines)
		return 0;
	f->inlines = calloc(1, sizeof(*f->inlines));
	if (!f->inlines || list_inlined(f->inlines, &w, &f->die, top, budget))
		return ERR_NOMEM;
	return ranges_settle(&f->inlines->ranges);
}

/* Frames. */

static void describe(Dwarf_Die *die, struct dwarf_frame *f)
{
	f->name = die_string(die, DW_AT_name);
	f->linkage_name = die_string(die, DW_AT_linkage_name);
	if (!f->linkage_name)
		f->linkage_name = die_string(die, DW_AT_MIPS_linkage_name);
	f->start_line = die_number(die, DW_AT_decl_line);
}

/* Where the call that was inlined stands in its caller. */
static void describe_call(struct dwarf_unit *u, Dwarf_Die *inlined, struct dwarf_frame *caller)
{
	uint32_t file = die_number(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t count;

	caller->line = die_number(inlined, DW_AT_call_line);
	caller->column = die_number(inlined, DW_AT_call_column);
	if (dwarf_hasattr(inlined, DW_AT_call_file) &&
	    dwarf_getsrcfiles(&u->die, &files, &count) == 0 && file < count)
		caller->file = dwarf_filesrc(files, file, NULL, NULL);
}

int dwarf_unit_frames(struct dwarf_unit *u, struct dwarf_function *f, uint64_t addr,
		      struct dwarf_frame *frames, size_t *budget)
{
	const struct range *r;
	uint32_t at;
	int count = 0;

	if (open_inlines(f, budget))
		return ERR_NOMEM;
	r = ranges_find(&f->inlines->ranges, addr);
	memset(&frames[0], 0, sizeof(frames[0]));
	for (at = r ? r->of : NO_PARENT; at != NO_PARENT; at = f->inlines->all[at].parent) {
		describe(&f->inlines->all[at].die, &frames[count++]);
		memset(&frames[count], 0, sizeof(frames[count]));
		describe_call(u, &f->inlines->all[at].die, &frames[count]);
	}
	describe(&f->die, &frames[count]);
	return count + 1;
}
