/*
 * google/pprof matches the lines with two regular expressions (procMapsRE, briefMapsRE); here
 * they are scanned by hand. The regular expressions backtrack when a greedy match fails, with a
 * visible effect: a line "abc xyz" becomes a mapping from 0xab to 0xc. Backtracking helps in two
 * cases: the first number can give its last digit to the second, and what matched as the offset
 * can be the first half of the device number. Everywhere else the character behind a greedy match
 * could not follow a shorter one.
 */
#include "pprof/legacy/maps.h"

#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/room.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/lines.h"
#include "pprof/legacy/scan.h"

/* The pieces of a line; those that are missing are empty. */
struct legacy_maps_entry {
	struct cursor start, limit, perm, offset, file, build_id;
};

static bool is_perm(uint8_t ch)
{
	return ch == '-' || ch == 'r' || ch == 'w' || ch == 'x' || ch == 'p';
}

/* (?:\s+(CLASS+))?  Takes both or nothing. */
static bool legacy_maps_take_word(struct cursor *c, scan_class *class, struct cursor *word)
{
	struct cursor from = *c;

	if (scan_skip(c, is_space) && scan_run(c, class, word))
		return true;
	*c = from;
	*word = scan_piece(c, 0, 0);
	return false;
}

/* Takes the two numbers. `split`: the second is the last digit of the first. */
static bool take_range(struct cursor *c, struct legacy_maps_entry *e, bool split)
{
	struct cursor from;

	scan_skip(c, is_space);
	scan_take_0x(c);
	from = *c;
	if (!scan_run(c, is_xdigit, &e->start))
		return false;
	if (split) {
		size_t digits = cursor_left(&e->start);

		if (digits < 2)
			return false;
		e->start.end--;
		*c = scan_piece(&from, digits - 1, cursor_left(&from));
	} else {
		scan_take(c, "-");
		scan_skip(c, is_space);
	}
	scan_take_0x(c);
	return scan_run(c, is_xdigit, &e->limit);
}

/* (?:\s+([-rwxp]+))?(?:\s+(X+))?\s+X+:X+\s+[0-9]+(?:\s+(\S+))?  behind the range */
static bool take_proc_rest(struct cursor c, struct legacy_maps_entry *e)
{
	struct cursor ignored, before;

	scan_take(&c, ":");
	legacy_maps_take_word(&c, is_perm, &e->perm);
	before = c;
	if (legacy_maps_take_word(&c, is_xdigit, &e->offset) &&
	    !is_space((uint8_t)scan_peek(&c, 0))) {
		c = before; /* that was the first half of the device number */
		e->offset = scan_piece(&c, 0, 0);
	}
	if (!legacy_maps_take_word(&c, is_xdigit, &ignored) || !scan_take(&c, ":") ||
	    !scan_run(&c, is_xdigit, &ignored) || !legacy_maps_take_word(&c, is_digit, &ignored))
		return false;
	legacy_maps_take_word(&c, is_solid, &e->file);
	return true;
}

/* (?:\s+\(@(X+)\))? */
static void take_at_offset(struct cursor *c, struct legacy_maps_entry *e)
{
	struct cursor from = *c;

	if (scan_skip(c, is_space) && scan_take(c, "(@") && scan_run(c, is_xdigit, &e->offset) &&
	    scan_take(c, ")"))
		return;
	*c = from;
	e->offset = scan_piece(c, 0, 0);
}

static void take_brief_rest(struct cursor c, struct legacy_maps_entry *e)
{
	scan_take(&c, ":");
	legacy_maps_take_word(&c, is_perm, &e->perm);
	legacy_maps_take_word(&c, is_solid, &e->file);
	take_at_offset(&c, e);
	legacy_maps_take_word(&c, is_xdigit, &e->build_id);
}

static bool parse_entry(struct cursor line, struct legacy_maps_entry *e)
{
	static const struct legacy_maps_entry none;
	struct cursor c;

	for (int split = 0; split < 2; split++) {
		c = line;
		*e = none;
		if (take_range(&c, e, split) && take_proc_rest(c, e))
			return true;
	}
	for (int split = 0; split < 2; split++) {
		c = line;
		*e = none;
		if (take_range(&c, e, split)) {
			take_brief_rest(c, e);
			return true;
		}
	}
	return false;
}

static int legacy_maps_add_mapping(struct legacy *l, const struct legacy_maps_entry *e,
				   struct profile_mapping m)
{
	if (room_for((void **)&l->mappings, &l->mapping_room, l->mapping_count + 1, sizeof(m)))
		return error_nomem(l->err);
	if (legacy_string(l, e->file, &m.filename) || legacy_string(l, e->build_id, &m.build_id))
		return ERR_NOMEM;
	l->mappings[l->mapping_count++] = m;
	return 0;
}

/* Adds the mapping in this line, unless its permissions exclude execution. NOT_THIS: the line is
 * no mapping. */
static int legacy_maps_read_entry(struct legacy *l, struct cursor line)
{
	struct profile_mapping m = { 0 };
	struct legacy_maps_entry e;

	if (!parse_entry(line, &e))
		return NOT_THIS;
	if (cursor_left(&e.perm) && scan_find(&e.perm, "x") < 0)
		return 0;
	if (!scan_uint(e.start, 16, &m.start) || !scan_uint(e.limit, 16, &m.limit) ||
	    (cursor_left(&e.offset) && !scan_uint(e.offset, 16, &m.offset)))
		return NOT_THIS;
	return legacy_maps_add_mapping(l, &e, m);
}

/* Drops [^\[\]]+:[0-9]+]\s at the front, which glog puts before a message. */
static void drop_log_prefix(struct cursor *line)
{
	struct cursor c = *line;
	size_t left = cursor_left(line), bracket = 0, colon;
	int after;

	while (bracket < left && c.pos[bracket] != '[' && c.pos[bracket] != ']')
		bracket++;
	after = scan_peek(line, bracket + 1);
	if (bracket == left || c.pos[bracket] != ']' || after < 0 || !is_space((uint8_t)after))
		return;
	colon = bracket;
	while (colon > 0 && is_digit(c.pos[colon - 1]))
		colon--;
	if (colon >= 2 && colon < bracket && c.pos[colon - 1] == ':')
		cursor_bytes(line, bracket + 2);
}

/* Assignments: a line "name=value" replaces "$name" in the lines below. */

/* A value may contain $names and so can double with each line. Harmless files have a
 * handful of attributes and short lines. */
enum { ATTRS_MAX = 64, TEXT_MAX = 1 << 20 };

struct attrs {
	struct arena arena;
	struct attr {
		const char *name, *value; /* the name with its $; both owned by the arena */
		size_t name_len, value_len;
	} entries[ATTRS_MAX];
	size_t count;
	struct buffer replaced; /* the line that attrs_replace made last */
};

static void attrs_release(struct attrs *a)
{
	arena_release(&a->arena);
	buffer_release(&a->replaced);
}

/* Adds the line if it is an assignment, else does nothing. ERR_LIMIT when there are more than
 * ATTRS_MAX or their text is too long; ERR_NOMEM. */
static int attrs_add(struct attrs *a, struct cursor line, struct error *err)
{
	ptrdiff_t equals = scan_find(&line, "=");
	struct cursor name, value;
	struct attr *attr = &a->entries[a->count];
	char *text;

	if (equals < 0)
		return 0;
	name = scan_piece(&line, 0, (size_t)equals);
	value = scan_piece(&line, (size_t)equals + 1, cursor_left(&line));
	scan_trim(&name);
	scan_trim(&value);
	if (a->count == ATTRS_MAX || a->arena.total > TEXT_MAX)
		return error_set(err, ERR_LIMIT,
				 "a memory map may set %d names, and %d bytes of values", ATTRS_MAX,
				 TEXT_MAX);
	attr->name_len = cursor_left(&name) + 1;
	attr->value_len = cursor_left(&value);
	text = arena_alloc(&a->arena, attr->name_len);
	attr->value = arena_copy(&a->arena, value.pos, attr->value_len);
	if (!text || !attr->value)
		return error_nomem(err);
	text[0] = '$';
	memcpy(text + 1, name.pos, attr->name_len - 1);
	attr->name = text;
	a->count++;
	return 0;
}

static const struct attr *attrs_find(const struct attrs *a, const struct cursor *c)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct attr *attr = &a->entries[i];
		size_t len = attr->name_len;

		if (cursor_left(c) >= len && c->pos[len - 1] == (uint8_t)attr->name[len - 1] &&
		    memcmp(c->pos, attr->name, len) == 0)
			return attr;
	}
	return NULL;
}

/* Replaces all $names in *line as Go's strings.Replacer does: from left to right, the first name
 * that matches. *line is then valid until the next call. ERR_LIMIT when it gets too long;
 * ERR_NOMEM. */
static int attrs_replace(struct attrs *a, struct cursor *line, struct error *err)
{
	struct cursor c = *line;
	int rc = 0;

	if (!a->count || scan_find(line, "$") < 0)
		return 0;
	a->replaced.len = 0;
	while (!rc && cursor_left(&c)) {
		const struct attr *attr = *c.pos == '$' ? attrs_find(a, &c) : NULL;

		rc = attr ? buffer_add(&a->replaced, attr->value, attr->value_len) :
			    buffer_add(&a->replaced, c.pos, 1);
		cursor_bytes(&c, attr ? attr->name_len : 1);
		if (a->replaced.len > TEXT_MAX)
			return error_set(err, ERR_LIMIT, "more than %d bytes with what is set",
					 TEXT_MAX);
	}
	cursor_init(line, a->replaced.data, a->replaced.len, line->what);
	return rc ? error_nomem(err) : 0;
}

/* What was read is brought into order. */

static bool may_be_same(uint32_t one, uint32_t other)
{
	return !one || !other || one == other;
}

static bool adjacent(const struct profile_mapping *a, const struct profile_mapping *b)
{
	return may_be_same(a->filename, b->filename) && may_be_same(a->build_id, b->build_id) &&
	       a->limit == b->start &&
	       (!a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset);
}

static void join_adjacent(struct legacy *l)
{
	size_t kept = l->mapping_count ? 1 : 0;

	for (size_t i = 1; i < l->mapping_count; i++) {
		struct profile_mapping *last = &l->mappings[kept - 1], *m = &l->mappings[i];

		if (!adjacent(last, m)) {
			l->mappings[kept++] = *m;
			continue;
		}
		last->limit = m->limit;
		if (m->filename)
			last->filename = m->filename;
		if (m->build_id)
			last->build_id = m->build_id;
	}
	l->mapping_count = kept;
}

/* [.]so$|[.]so[._][0-9]+  anywhere in the name */
static bool is_library(struct cursor name)
{
	ptrdiff_t at;

	while ((at = scan_find(&name, ".so")) >= 0) {
		int next, digit;

		cursor_bytes(&name, (size_t)at + 3);
		next = scan_peek(&name, 0);
		digit = scan_peek(&name, 1);
		if (next < 0 || ((next == '.' || next == '_') && digit >= '0' && digit <= '9'))
			return true;
	}
	return false;
}

/* The name without "(deleted)", wherever that stands in it. 0 or ERR_NOMEM. */
static int without_deleted(struct cursor name, struct buffer *plain)
{
	ptrdiff_t at;

	plain->len = 0;
	while ((at = scan_find(&name, "(deleted)")) >= 0) {
		if (buffer_add(plain, name.pos, (size_t)at))
			return ERR_NOMEM;
		cursor_bytes(&name, (size_t)at + strlen("(deleted)"));
	}
	return buffer_add(plain, name.pos, cursor_left(&name));
}

static bool may_be_program(const struct buffer *plain)
{
	struct cursor c;

	cursor_init(&c, plain->data, plain->len, "name");
	scan_trim(&c);
	return cursor_left(&c) && scan_peek(&c, 0) != '[' && !is_library(c);
}

static int put_program_first(struct legacy *l)
{
	struct buffer plain = { 0 };
	bool found = false;
	int rc = 0;

	for (size_t i = 0; !rc && !found && i < l->mapping_count; i++) {
		struct profile_mapping m = l->mappings[i];
		const struct strset_entry *name = &l->p->strings.entries[m.filename];
		struct cursor c;

		cursor_init(&c, name->text, name->len, "name");
		rc = without_deleted(c, &plain);
		found = !rc && may_be_program(&plain);
		if (found) {
			l->mappings[i] = l->mappings[0];
			l->mappings[0] = m;
		}
	}
	buffer_release(&plain);
	return rc;
}

static void drop_huge_pages(struct legacy *l)
{
	const char *name;

	if (l->mapping_count < 2 || l->mappings[0].limit != l->mappings[1].start)
		return;
	name = strset_get(&l->p->strings, l->mappings[0].filename);
	if (strncmp(name, "/anon_hugepage", strlen("/anon_hugepage")) == 0)
		memmove(l->mappings, l->mappings + 1, --l->mapping_count * sizeof(*l->mappings));
}

/* Does what google/pprof's massageMappings, and the beginning of its remapMappingIDs, do: joins
 * neighbours that are pieces of one mapping, puts the program's own mapping first, removes a
 * mapping of huge pages before the program's, and, if the program was linked for 0x400000, lets its
 * mapping begin there at file offset 0. ERR_NOMEM. */
static int maps_tidy(struct legacy *l)
{
	static const uint64_t usual_start = 0x400000;
	struct profile_mapping *m = l->mappings;

	join_adjacent(l);
	if (put_program_first(l))
		return error_nomem(l->err);
	drop_huge_pages(l);
	if (l->mapping_count && m->start - m->offset == usual_start) {
		m->start = usual_start;
		m->offset = 0;
	}
	return 0;
}

/* The map. */

bool maps_begin(const struct cursor *line)
{
	return scan_find(line, "--- Memory map: ---") >= 0 ||
	       scan_find(line, "MAPPED_LIBRARIES:") >= 0;
}

int maps_find(struct legacy *l, struct lines *lines)
{
	while (!maps_begin(&lines->line) && lines_next(lines))
		;
	return maps_read(l, lines);
}

int maps_read(struct legacy *l, struct lines *lines)
{
	struct attrs attrs = { 0 };
	int rc = 0;

	while (rc >= 0 && lines_next(lines)) {
		struct cursor line = lines->line;

		drop_log_prefix(&line);
		rc = attrs_replace(&attrs, &line, l->err);
		if (!rc)
			rc = legacy_maps_read_entry(l, line);
		if (rc == NOT_THIS)
			rc = attrs_add(&attrs, line, l->err);
		if (rc == ERR_LIMIT)
			error_prefix(l->err, "line %zu", lines->number);
	}
	attrs_release(&attrs);
	if (rc >= 0)
		rc = lines_error(lines, l->err);
	return rc ? rc : maps_tidy(l);
}
