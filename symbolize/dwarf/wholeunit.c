/*
 * References between DIEs are relative to the unit's start, so no DIE may move. All changes are at
 * the beginning:
 *
 *   DWARF 5   The header of a split unit has an id of eight bytes at its end, an ordinary one has
 *             none. So the unit's own DIE begins eight bytes earlier, and its declaration gets a
 *             first attribute of that size: DW_AT_low_pc. The bases are attributes in the
 *             declaration alone (DW_FORM_implicit_const).
 *   DWARF 4   The header stays. The id is an attribute of eight bytes and becomes DW_AT_low_pc in
 *             its place. Bases are 0 unless they are given.
 *
 * The skeleton's low_pc is needed because ranges are relative to it. A package has the strings of
 * all units in one section; only the unit's own are taken.
 */
#include "symbolize/dwarf/wholeunit.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "symbolize/dwarf/abbrevs.h"
#include "symbolize/dwarf/skeleton.h"

enum {
	ID = 8, /* bytes; as many as an address has */
	HEADER_5 = 12,
	HEADER_SPLIT_5 = HEADER_5 + ID,
	STR_HEADER = 8,
	RNGLISTS_HEADER = 12,
	STRINGS_MAX = 64 << 20, /* bytes of one unit's strings; clang: less than 1 MiB */
};

struct wholeunit_unit {
	const uint8_t *start;
	size_t len, abbrev_offset;
	unsigned version;
	struct abbrev root; /* the declaration of its own DIE */
	size_t code_len;    /* bytes of the declaration's number in the DIE */
	size_t id_at;	    /* DWARF 4: offset of the id in the unit; 0: none */
};

struct made {
	struct buffer abbrev, str, str_offsets;
};

/* The unit. */

static bool wholeunit_find_root(const struct unit_parts *p, struct wholeunit_unit *u,
				struct cursor die)
{
	const uint8_t *begin = die.pos;
	uint64_t code = cursor_uleb(&die);
	struct cursor c;

	u->code_len = (size_t)(die.pos - begin);
	cursor_init(&c, p->abbrev.data, p->abbrev.len, ".debug_abbrev.dwo");
	cursor_bytes(&c, u->abbrev_offset);
	while (!die.failed && abbrev_next(&c, &u->root))
		if (u->root.code == code)
			return u->root.tag == DW_TAG_compile_unit;
	return false;
}

static bool is_id(const struct abbrev_attribute *a)
{
	return a->name == DW_AT_GNU_dwo_id && a->form == DW_FORM_data8;
}

/* DWARF 4 has the id among the attributes of the unit's DIE. */
static uint64_t wholeunit_find_id(struct wholeunit_unit *u, struct cursor die)
{
	struct cursor attributes = u->root.attributes;
	struct abbrev_attribute a;

	cursor_bytes(&die, u->code_len);
	while (abbrev_attribute(&attributes, &a) && !die.failed) {
		if (is_id(&a)) {
			u->id_at = (size_t)(die.pos - u->start);
			return cursor_uint(&die, ID);
		}
		abbrev_skip(&die, a.form, u->version);
	}
	return 0;
}

/* Reads a unit's header and moves `c` behind the unit. True if the unit is the one with this id. */
static bool wholeunit_read_unit(struct cursor *c, const struct unit_parts *p, uint64_t id,
				struct wholeunit_unit *u)
{
	uint64_t len = cursor_uint(c, 4), type = DW_UT_split_compile, own_id = 0;
	struct cursor in = *c;

	*u = (struct wholeunit_unit){ .start = c->pos - 4, .len = len + 4 };
	if (!cursor_bytes(c, len) || len < HEADER_SPLIT_5)
		return false;
	in.end = c->pos;
	u->version = (unsigned)cursor_uint(&in, 2);
	if (u->version == 5) {
		type = cursor_uint(&in, 1);
		cursor_uint(&in, 1);
		u->abbrev_offset = cursor_uint(&in, 4);
		own_id = cursor_uint(&in, ID);
	} else {
		u->abbrev_offset = cursor_uint(&in, 4);
		cursor_uint(&in, 1);
	}
	if (type != DW_UT_split_compile || u->version < 4 || u->version > 5 ||
	    (u->version == 5 && own_id != id) || !wholeunit_find_root(p, u, in))
		return false;
	return u->version == 5 || (wholeunit_find_id(u, in) == id && u->id_at);
}

static bool find_unit(const struct unit_parts *p, const struct skeleton *s,
		      struct wholeunit_unit *u)
{
	struct cursor c;

	cursor_init(&c, p->info.data, p->info.len, ".debug_info.dwo");
	while (cursor_left(&c))
		if (wholeunit_read_unit(&c, p, s->id, u))
			return u->version == s->version;
	return false;
}

/* Declarations. */

static int add_uleb(struct buffer *b, uint64_t n)
{
	uint8_t bytes[10];
	size_t len = 0;

	do {
		bytes[len++] = (uint8_t)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
	} while (n >>= 7);
	return buffer_add(b, bytes, len);
}

static int wholeunit_add_attribute(struct buffer *b, uint64_t name, uint64_t form)
{
	return add_uleb(b, name) || add_uleb(b, form) ? ERR_NOMEM : 0;
}

/* `value` is below 64, so that its signed and unsigned encodings are the same. */
static int add_constant(struct buffer *b, uint64_t name, uint64_t value)
{
	return wholeunit_add_attribute(b, name, DW_FORM_implicit_const) || add_uleb(b, value) ?
		       ERR_NOMEM :
		       0;
}

static int add_root_attributes(struct buffer *b, const struct wholeunit_unit *u)
{
	struct cursor attributes = u->root.attributes;
	struct abbrev_attribute a;
	bool id_seen = false;
	int rc = 0;

	if (u->version == 5)
		rc = wholeunit_add_attribute(b, DW_AT_low_pc, DW_FORM_addr) ||
		     add_constant(b, DW_AT_addr_base, 0) ||
		     add_constant(b, DW_AT_str_offsets_base, STR_HEADER) ||
		     add_constant(b, DW_AT_rnglists_base, RNGLISTS_HEADER);
	while (!rc && abbrev_attribute(&attributes, &a)) {
		if (is_id(&a) && u->version == 4 && !id_seen) {
			a = (struct abbrev_attribute){ DW_AT_low_pc, DW_FORM_addr };
			id_seen = true;
		} else if (a.name == DW_AT_GNU_dwo_id || a.name == DW_AT_low_pc) {
			a.name = DW_AT_lo_user; /* it would repeat our attribute */
		}
		rc = wholeunit_add_attribute(b, a.name, a.form);
		if (a.form == DW_FORM_implicit_const) /* is no base, and not used */
			rc = rc || add_uleb(b, 0);
	}
	return rc || buffer_add(b, "\0", 2) ? ERR_NOMEM : 0;
}

static int make_abbrevs(const struct unit_parts *p, const struct wholeunit_unit *u,
			struct buffer *b)
{
	struct abbrev a;
	struct cursor c;

	if (add_uleb(b, u->root.code) || add_uleb(b, u->root.tag) ||
	    buffer_add(b, &u->root.children, 1) || add_root_attributes(b, u))
		return ERR_NOMEM;
	cursor_init(&c, p->abbrev.data, p->abbrev.len, ".debug_abbrev.dwo");
	cursor_bytes(&c, u->abbrev_offset);
	while (abbrev_next(&c, &a))
		if (a.code != u->root.code && buffer_add(b, a.start, a.len))
			return ERR_NOMEM;
	return buffer_add(b, "", 1);
}

/* Strings. */

static int wholeunit_add_string(const struct unit_parts *p, uint64_t offset, struct made *m)
{
	const uint8_t *end = NULL;
	uint32_t at = (uint32_t)m->str.len;

	if (offset < p->str.len)
		end = memchr(p->str.data + offset, 0, p->str.len - offset);
	if (!end)
		at = 0; /* no such string: the empty one */
	else if (buffer_add(&m->str, p->str.data + offset,
			    (size_t)(end + 1 - p->str.data) - offset))
		return ERR_NOMEM;
	if (m->str.len > STRINGS_MAX)
		return ERR_LIMIT;
	return buffer_add(&m->str_offsets, &at, sizeof(at));
}

static int make_strings(const struct unit_parts *p, const struct wholeunit_unit *u, struct made *m)
{
	struct cursor c;
	int rc = buffer_add(&m->str, "", 1);

	cursor_init(&c, p->str_offsets.data, p->str_offsets.len, ".debug_str_offsets.dwo");
	if (u->version == 5) { /* length, version, padding */
		uint64_t len = cursor_uint(&c, 4);

		if (len < 4 || len > cursor_left(&c))
			return ERR_FORMAT;
		c.end = c.pos + len;
		cursor_uint(&c, 4);
		rc = rc || buffer_add(&m->str_offsets, p->str_offsets.data, STR_HEADER);
	}
	while (!rc && cursor_left(&c) >= 4)
		rc = wholeunit_add_string(p, cursor_uint(&c, 4), m);
	if (!rc && u->version == 5) {
		uint32_t len = (uint32_t)m->str_offsets.len - 4;

		memcpy(m->str_offsets.data, &len, sizeof(len));
	}
	return rc;
}

/* The file. */

static void write_info(uint8_t *to, const struct wholeunit_unit *u, uint64_t low_pc)
{
	const uint8_t *root = u->start + HEADER_SPLIT_5;

	memcpy(to, u->start, u->len);
	if (u->version == 4) {
		memset(to + 6, 0, 4); /* offset of its declarations */
		memcpy(to + u->id_at, &low_pc, sizeof(low_pc));
		return;
	}
	to[6] = DW_UT_compile;
	memset(to + 8, 0, 4);
	memcpy(to + HEADER_5, root, u->code_len);
	memcpy(to + HEADER_5 + u->code_len, &low_pc, sizeof(low_pc));
}

static void wholeunit_fill(const struct elfview_section *s, const void *bytes)
{
	if (s->len)
		memcpy(s->bytes, bytes, s->len);
}

static int wholeunit_make_view(struct elfview *v, const struct unit_parts *p,
			       const struct wholeunit_unit *u, const struct made *m,
			       uint64_t low_pc)
{
	const struct bytes *ranges = u->version == 5 ? &p->rnglists : &p->ranges;
	struct elfview_section s[] = {
		{ ".debug_info", u->len, NULL },
		{ ".debug_abbrev", m->abbrev.len, NULL },
		{ ".debug_str", m->str.len, NULL },
		{ ".debug_str_offsets", m->str_offsets.len, NULL },
		{ ".debug_addr", p->addr.len, NULL },
		{ u->version == 5 ? ".debug_rnglists" : ".debug_ranges", ranges->len, NULL },
	};
	int rc = elfview_make(v, s, sizeof(s) / sizeof(*s));

	if (rc)
		return rc;
	write_info(s[0].bytes, u, low_pc);
	wholeunit_fill(&s[1], m->abbrev.data);
	wholeunit_fill(&s[2], m->str.data);
	wholeunit_fill(&s[3], m->str_offsets.data);
	wholeunit_fill(&s[4], p->addr.data);
	wholeunit_fill(&s[5], ranges->data);
	return 0;
}

int wholeunit_make(struct elfview *v, const struct unit_parts *p, const struct skeleton *s)
{
	struct made m = { .abbrev = { .data = NULL } };
	struct wholeunit_unit u;
	int rc;

	*v = (struct elfview){ NULL, 0 };
	if (!find_unit(p, s, &u))
		return ERR_NOTFOUND;
	rc = make_strings(p, &u, &m);
	if (!rc)
		rc = make_abbrevs(p, &u, &m.abbrev);
	if (!rc)
		rc = wholeunit_make_view(v, p, &u, &m, s->low_pc);
	buffer_release(&m.abbrev);
	buffer_release(&m.str);
	buffer_release(&m.str_offsets);
	return rc;
}
