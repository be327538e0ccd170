/*
 * Recursion follows the nesting of DIEs and stops at NEST_MAX; code that lies deeper is attributed
 * to its ancestor. Everything else is linear in the unit's length (skim.h).
 *
 * An inlined call is looked for among all inlined calls of its function, not from the outside
 * inward: compilers leave lexical blocks without ranges, and a parent's ranges may lack a piece
 * that a child has. llvm-symbolizer does the same.
 */
#include "symbolize/dwarf/unit.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/ranges.h"
#include "base/room.h"
#include "symbolize/dwarf/die.h"
#include "symbolize/dwarf/dwarf.h"
#include "symbolize/dwarf/linetable.h"
#include "symbolize/dwarf/skim.h"
#include "symbolize/dwarf/split.h"

/* No compiler writes a unit with so many ranges; a hundred thousand functions that share a list of
 * a million ranges reach it. */
enum { NEST_MAX = 256, INLINE_MAX = DWARF_DEPTH_MAX - 1, RANGES_OF_UNIT_MAX = 1 << 22 };

#define NO_PARENT UINT32_MAX

struct inlined {
	const void *die;
	uint32_t parent; /* index, or NO_PARENT below the function itself */
};

struct inlines {
	struct ranges ranges; /* `of` indexes all */
	struct inlined *all;
	size_t count, room;
};

struct unit_function {
	const void *die;
	struct inlines *inlines; /* NULL until an address falls into it */
};

/* A function without a linkage name, by the DIE that was asked for. */
struct unit_scope {
	const void *die;
	char *text; /* NULL: none */
};

struct dwarf_unit {
	struct dwarf_file *file;
	Dwarf_Die die;	/* in the file itself: ranges, lines, compilation folder */
	Dwarf_Die code; /* the same or, with split DWARF, the unit found for it */
	struct split_unit split;
	struct skim_unit *skim; /* of `code` */
	const char *folder;	/* where it was compiled, or NULL */
	bool lines_read;
	struct linetable *lines; /* NULL where there is none */
	struct ranges ranges;	 /* `of` indexes functions */
	struct unit_function *functions;
	size_t count, room;
	bool is_cplusplus;
	struct unit_scope *scopes;
	size_t scope_count, scope_room;
	struct hashindex scope_index;
};

void dwarf_unit_free(struct dwarf_unit *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->count; i++) {
		struct inlines *in = u->functions[i].inlines;

		if (!in)
			continue;
		ranges_release(&in->ranges);
		free(in->all);
		free(in);
	}
	for (size_t i = 0; i < u->scope_count; i++)
		free(u->scopes[i].text);
	free(u->scopes);
	hashindex_release(&u->scope_index);
	free(u->functions);
	ranges_release(&u->ranges);
	linetable_free(u->lines);
	skim_unit_free(u->skim);
	split_unit_release(&u->split);
	free(u);
}

/* As die_add_ranges. Ranges from address 0 are skipped: the linker has removed the code. */
static int add_ranges(struct dwarf_unit *u, const struct skim_die *die, struct ranges *r,
		      uint32_t of)
{
	Dwarf_Die full;

	if (die->has_bounds)
		return die->start ? ranges_add(r, die->start, die->end, of) : 0;
	full = skim_libdw_die(u->skim, die->addr);
	return die->has_code ? die_add_ranges(&full, r, of, &u->file->budget) : 0;
}

/* Functions. */

static int unit_add_function(struct dwarf_unit *u, const struct skim_die *die)
{
	size_t before = u->ranges.count;

	if (room_for((void **)&u->functions, &u->room, u->count + 1, sizeof(*u->functions)) ||
	    add_ranges(u, die, &u->ranges, (uint32_t)u->count))
		return ERR_NOMEM;
	if (u->ranges.count != before)
		u->functions[u->count++] = (struct unit_function){ .die = die->addr };
	return 0;
}

/* Can functions with code stand in a DIE of this tag? They can also be nested in functions: those
 * of Ada and GNU C, and methods of C++'s local classes. */
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

static int list_functions(struct dwarf_unit *u, struct skim *s, unsigned depth)
{
	struct skim_die die;

	while (skim_next(s, &die)) {
		if (die.tag == DW_TAG_subprogram && die.has_code && unit_add_function(u, &die))
			return ERR_NOMEM;
		if (!die.children)
			continue;
		if (!may_hold_functions(die.tag) || depth == NEST_MAX)
			skim_over(s, &die);
		else if (list_functions(u, s, depth + 1))
			return ERR_NOMEM;
	}
	return 0;
}

static int unit_list(struct dwarf_unit *u)
{
	struct skim s;

	if (skim_unit_new(&u->skim, &u->code))
		return ERR_NOMEM;
	skim_begin(&s, u->skim, NULL);
	if (list_functions(u, &s, 1))
		return ERR_NOMEM;
	ranges_inner_wins(&u->ranges);
	return ranges_settle(&u->ranges);
}

static bool is_cplusplus(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* DW_LANG_C_plus_plus_17, which libdw 0.188 does not name */
	case 0x2c: /* DW_LANG_C_plus_plus_20 */
		return true;
	}
	return false;
}

int dwarf_unit_new(struct dwarf_unit **out, const Dwarf_Die *die, struct dwarf_file *file)
{
	struct dwarf_unit *u = calloc(1, sizeof(*u));

	if (!u)
		return ERR_NOMEM;
	*u = (struct dwarf_unit){ .file = file, .die = *die, .code = *die };
	file->budget = RANGES_OF_UNIT_MAX;
	u->folder = die_string(&u->die, DW_AT_comp_dir);
	if ((file->split && split_find(file->split, &u->die, &u->split, &u->code)) ||
	    unit_list(u)) {
		dwarf_unit_free(u);
		return ERR_NOMEM;
	}
	u->is_cplusplus = is_cplusplus(&u->code);
	*out = u;
	return 0;
}

const struct ranges *dwarf_unit_ranges(const struct dwarf_unit *u)
{
	return &u->ranges;
}

/* Lines. */

static int open_lines(struct dwarf_unit *u)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;
	int rc = 0;

	if (u->lines_read)
		return 0;
	u->lines_read = true;
	if (dwarf_attr(&u->die, DW_AT_stmt_list, &attr) && !dwarf_formudata(&attr, &offset))
		rc = linetable_new(&u->lines, u->file->lines, offset, u->folder);
	return rc == ERR_NOMEM ? rc : 0;
}

/* Inlined calls. */

static int add_inlined(struct dwarf_unit *u, struct inlines *in, const struct skim_die *die,
		       uint32_t parent)
{
	if (room_for((void **)&in->all, &in->room, in->count + 1, sizeof(*in->all)))
		return ERR_NOMEM;
	in->all[in->count] = (struct inlined){ die->addr, parent };
	return add_ranges(u, die, &in->ranges, (uint32_t)in->count++);
}

static bool may_hold_inlined(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* A place in the tree of a function. */
struct unit_place {
	uint32_t parent;
	unsigned depth, inlined;
};

static int list_inlined(struct dwarf_unit *u, struct inlines *in, struct skim *s,
			struct unit_place at)
{
	struct skim_die die;

	while (skim_next(s, &die)) {
		struct unit_place below = { at.parent, at.depth + 1, at.inlined };

		if (die.tag == DW_TAG_inlined_subroutine && at.inlined < INLINE_MAX) {
			below.parent = (uint32_t)in->count;
			below.inlined++;
			if (add_inlined(u, in, &die, at.parent))
				return ERR_NOMEM;
		}
		if (!die.children)
			continue;
		if (!may_hold_inlined(die.tag) || below.depth == NEST_MAX)
			skim_over(s, &die);
		else if (list_inlined(u, in, s, below))
			return ERR_NOMEM;
	}
	return 0;
}

static int open_inlines(struct dwarf_unit *u, struct unit_function *f)
{
	struct unit_place top = { NO_PARENT, 0, 0 };
	struct skim s;

	if (f->inlines)
		return 0;
	f->inlines = calloc(1, sizeof(*f->inlines));
	if (!f->inlines)
		return ERR_NOMEM;
	skim_begin(&s, u->skim, f->die);
	if (list_inlined(u, f->inlines, &s, top))
		return ERR_NOMEM;
	return ranges_settle(&f->inlines->ranges);
}

/* Frames. */

static void begin_frame(const struct dwarf_unit *u, struct dwarf_frame *f)
{
	memset(f, 0, sizeof(*f));
	f->dir = u->folder;
}

static bool is_scope_of(const void *owner, uint32_t id, const void *die)
{
	return ((const struct dwarf_unit *)owner)->scopes[id].die == die;
}

/* Each scope is looked for once, since that is a walk over the unit. */
static int find_scope(struct dwarf_unit *u, const Dwarf_Die *die, const char **scope)
{
	uint64_t hash = hash_bytes(&die->addr, sizeof(die->addr));
	uint32_t id = hashindex_find(&u->scope_index, hash, is_scope_of, u, die->addr);
	struct buffer text = { 0 };

	if (id == HASHINDEX_NONE) {
		if (die_add_scope(die, u->skim, &text) || (text.len && buffer_add(&text, "", 1)) ||
		    room_for((void **)&u->scopes, &u->scope_room, u->scope_count + 1,
			     sizeof(*u->scopes)) ||
		    hashindex_add(&u->scope_index, hash, (uint32_t)u->scope_count)) {
			buffer_release(&text);
			return ERR_NOMEM;
		}
		id = (uint32_t)u->scope_count++;
		if (!text.len)
			buffer_release(&text);
		u->scopes[id] = (struct unit_scope){ die->addr, (char *)text.data };
	}
	*scope = u->scopes[id].text;
	return 0;
}

static int unit_describe(struct dwarf_unit *u, const void *addr, struct dwarf_frame *f)
{
	Dwarf_Die die = skim_libdw_die(u->skim, addr);

	f->name = die_string(&die, DW_AT_name);
	f->linkage_name = die_string(&die, DW_AT_linkage_name);
	if (!f->linkage_name)
		f->linkage_name = die_string(&die, DW_AT_MIPS_linkage_name);
	f->start_line = die_number(&die, DW_AT_decl_line);
	f->is_cplusplus = u->is_cplusplus;
	return f->linkage_name || !u->is_cplusplus ? 0 : find_scope(u, &die, &f->scope);
}

/* The place in the caller of the call that was inlined. */
static void describe_call(const struct dwarf_unit *u, const void *inlined,
			  struct dwarf_frame *caller)
{
	Dwarf_Die die = skim_libdw_die(u->skim, inlined);

	caller->line = die_number(&die, DW_AT_call_line);
	caller->column = die_number(&die, DW_AT_call_column);
	if (u->lines && dwarf_hasattr(&die, DW_AT_call_file))
		caller->file = linetable_file(u->lines, die_number(&die, DW_AT_call_file),
					      &caller->folder);
}

/* Fills the frames of the function at the address and of the calls inlined there; 0: none. */
static int unit_find_frames(struct dwarf_unit *u, uint64_t addr, struct dwarf_frame *frames)
{
	const struct range *r = ranges_find(&u->ranges, addr);
	struct unit_function *f;
	uint32_t at;
	int count = 0;

	if (!r)
		return 0;
	f = &u->functions[r->of];
	if (open_inlines(u, f))
		return ERR_NOMEM;
	r = ranges_find(&f->inlines->ranges, addr);
	for (at = r ? r->of : NO_PARENT; at != NO_PARENT; at = f->inlines->all[at].parent) {
		if (unit_describe(u, f->inlines->all[at].die, &frames[count++]))
			return ERR_NOMEM;
		begin_frame(u, &frames[count]);
		describe_call(u, f->inlines->all[at].die, &frames[count]);
	}
	return unit_describe(u, f->die, &frames[count]) ? ERR_NOMEM : count + 1;
}

int dwarf_unit_find(struct dwarf_unit *u, uint64_t addr, struct dwarf_frame *frames)
{
	const struct line_row *row;

	if (open_lines(u))
		return ERR_NOMEM;
	begin_frame(u, &frames[0]);
	row = u->lines ? linetable_find(u->lines, addr) : NULL; /* of the innermost frame */
	if (row) {
		frames[0].file = linetable_file(u->lines, row->file, &frames[0].folder);
		frames[0].line = row->line;
		frames[0].column = row->column;
	}
	return unit_find_frames(u, addr, frames);
}

const void *dwarf_unit_bytes(const struct dwarf_unit *u, unsigned i, size_t *len)
{
	if (i == 0)
		return skim_unit_bytes(u->skim, len);
	return i == 1 && u->lines ? linetable_bytes(u->lines, len) : NULL;
}
