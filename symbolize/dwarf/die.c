/* Attributes are looked up through abstract origins and specifications here, not by libdw, which
 * would open split files on the way. A scope's text is composed from the outermost DIE inwards. */
#include "symbolize/dwarf/die.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/ranges.h"
#include "symbolize/dwarf/skim.h"

enum {
	ORIGINS_MAX = 16,	 /* as in libdw; three are usual: concrete, abstract, declared */
	SCOPES_MAX = 64,	 /* what is nested deeper has no scope */
	SCOPE_FUNCTIONS_MAX = 8, /* functions in functions */
	TYPE_DEPTH_MAX = 8,
	SCOPE_BYTES_MAX = 8 << 10, /* of a scope's text; a longer one is left out */
};

/* The DIE that the attribute refers to. libdw (0.188) looks for DW_FORM_ref_sup4, which leads to
 * the supplementary file, in the file itself. It reads DW_FORM_GNU_ref_alt correctly, which has the
 * same meaning and the same bytes in 32-bit DWARF. */
static bool die_follow(Dwarf_Die *die, unsigned attribute, Dwarf_Die *to)
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
static bool die_find(const Dwarf_Die *from, unsigned attribute, Dwarf_Attribute *attr)
{
	Dwarf_Die die = *from, next;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		if (dwarf_attr(&die, attribute, attr))
			return true;
		if (!die_follow(&die, DW_AT_abstract_origin, &next) &&
		    !die_follow(&die, DW_AT_specification, &next))
			return false;
		die = next;
	}
	return false;
}

uint32_t die_number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!die_find(die, attribute, &attr) || dwarf_formudata(&attr, &value) ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

const char *die_string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;

	return die_find(die, attribute, &attr) ? dwarf_formstring(&attr) : NULL;
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

/* The scope of a name. */

/* The DIE at which the function is declared: concrete and abstract instances are elsewhere. */
static Dwarf_Die declaration_of(const Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;

	for (int i = 0; i < ORIGINS_MAX; i++, at = next)
		if (!die_follow(&at, DW_AT_abstract_origin, &next) &&
		    !die_follow(&at, DW_AT_specification, &next))
			break;
	return at;
}

static int die_add_text(struct buffer *out, const char *text)
{
	return buffer_add(out, text, strnlen(text, SCOPE_BYTES_MAX));
}

/* Appends the type that `of` refers to. */
static int die_add_type(Dwarf_Die *of, int depth, struct buffer *out)
{
	const char *name, *after = "";
	Dwarf_Die type;

	if (!die_follow(of, DW_AT_type, &type))
		return die_add_text(out, "void");
	switch (depth ? dwarf_tag(&type) : DW_TAG_unspecified_type) {
	case DW_TAG_const_type:
		return die_add_text(out, "const ") ? ERR_NOMEM :
						     die_add_type(&type, depth - 1, out);
	case DW_TAG_pointer_type:
		after = "*";
		break;
	case DW_TAG_reference_type:
		after = "&";
		break;
	case DW_TAG_rvalue_reference_type:
		after = "&&";
		break;
	default:
		name = dwarf_diename(&type);
		return die_add_text(out, name ? name : "...");
	}
	return die_add_type(&type, depth - 1, out) || die_add_text(out, after) ? ERR_NOMEM : 0;
}

/* Appends the types of the parameters that the source shows: a lambda has its object besides. */
static int add_parameters(Dwarf_Die *function, struct buffer *out)
{
	Dwarf_Die child;
	Dwarf_Attribute attr;
	const char *before = "";
	bool more = dwarf_child(function, &child) == 0;

	for (int i = 0; more && i < SCOPES_MAX; i++, more = dwarf_siblingof(&child, &child) == 0) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    dwarf_attr(&child, DW_AT_artificial, &attr))
			continue;
		if (die_add_text(out, before) || die_add_type(&child, TYPE_DEPTH_MAX, out))
			return ERR_NOMEM;
		before = ", ";
	}
	return 0;
}

static int add_nameless_class(Dwarf_Die *class, Dwarf_Die *member, struct buffer *out)
{
	const char *name = dwarf_diename(member);

	if (!name || strncmp(name, "operator()", strlen("operator()")) != 0)
		return die_add_text(out, dwarf_tag(class) == DW_TAG_union_type ?
						 "<unnamed union>" :
						 "<unnamed struct>");
	return die_add_text(out, "<lambda(") || add_parameters(member, out) ||
			       die_add_text(out, ")>") ?
		       ERR_NOMEM :
		       0;
}

/* Appends an ancestor's part of the scope. `below` is the next DIE on the way to the function. */
static int add_ancestor(Dwarf_Die *die, Dwarf_Die *below, struct buffer *out)
{
	const char *name = die_string(die, DW_AT_name);

	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		name = name ? name : "(anonymous namespace)";
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		break;
	case DW_TAG_subprogram:
		if (!name)
			return 0;
		break;
	default: /* a block */
		return 0;
	}
	if (out->len && die_add_text(out, "::"))
		return ERR_NOMEM;
	return name ? die_add_text(out, name) : add_nameless_class(die, below, out);
}

static int add_scope(const Dwarf_Die *die, const struct skim_unit *unit, int depth,
		     struct buffer *out);

/* `at` is where the function is declared, in `unit`. A function that is a scope may be declared
 * elsewhere itself; then that scope comes first. */
static int die_add_ancestors(const struct skim_unit *unit, const Dwarf_Die *at, int depth,
			     struct buffer *out)
{
	const void *path[SCOPES_MAX];
	int count = skim_path(unit, at->addr, path, SCOPES_MAX), rc = 0;

	for (int i = 0; !rc && i < count; i++) {
		Dwarf_Die die = skim_libdw_die(unit, path[i]);
		Dwarf_Die below = i + 1 < count ? skim_libdw_die(unit, path[i + 1]) : *at;

		if (dwarf_tag(&die) == DW_TAG_subprogram) {
			out->len = 0;
			rc = depth ? add_scope(&die, unit, depth - 1, out) : 0;
		}
		rc = rc ? rc : add_ancestor(&die, &below, out);
	}
	return rc;
}

static int add_scope(const Dwarf_Die *die, const struct skim_unit *unit, int depth,
		     struct buffer *out)
{
	Dwarf_Die at = declaration_of(die), other;
	struct skim_unit *theirs;
	int rc;

	if (at.cu == skim_libdw_die(unit, NULL).cu)
		return die_add_ancestors(unit, &at, depth, out);
	if (!dwarf_diecu(&at, &other, NULL, NULL))
		return 0;
	if (skim_unit_new(&theirs, &other))
		return ERR_NOMEM;
	rc = die_add_ancestors(theirs, &at, depth, out);
	skim_unit_free(theirs);
	return rc;
}

int die_add_scope(const Dwarf_Die *die, const struct skim_unit *unit, struct buffer *out)
{
	int rc = add_scope(die, unit, SCOPE_FUNCTIONS_MAX, out);

	if (out->len > SCOPE_BYTES_MAX)
		out->len = 0;
	return rc;
}
