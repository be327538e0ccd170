/*
 * google/pprof matches the lines with two regular expressions (procMapsRE, briefMapsRE); here
 * they are scanned by hand. The regular expressions backtrack when a greedy match fails, with a
 * visible effect: a line "abc xyz" becomes a mapping from 0xab to 0xc. Backtracking helps in two
 * cases: the first number can give its last digit to the second, and what matched as the offset
 * can be the first half of the device number. Everywhere else the character behind a greedy match
 * could not follow a shorter one.
 */
#include "pprof/legacy/maps.h"

#include "base/error.h"
#include "base/room.h"
#include "pprof/legacy/attrs.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/lines.h"
#include "pprof/legacy/maptidy.h"
#include "pprof/legacy/text.h"

/* The pieces of a line; those that are missing are empty. */
struct legacy_maps_entry {
	struct cursor start, limit, perm, offset, file, build_id;
};

static bool is_perm(uint8_t ch)
{
	return ch == '-' || ch == 'r' || ch == 'w' || ch == 'x' || ch == 'p';
}

/* (?:\s+(CLASS+))?  Takes both or nothing. */
static bool legacy_maps_take_word(struct cursor *c, text_class *class, struct cursor *word)
{
	struct cursor from = *c;

	if (text_skip(c, is_space) && text_run(c, class, word))
		return true;
	*c = from;
	*word = text_piece(c, 0, 0);
	return false;
}

/* Takes the two numbers. `split`: the second is the last digit of the first. */
static bool take_range(struct cursor *c, struct legacy_maps_entry *e, bool split)
{
	struct cursor from;

	text_skip(c, is_space);
	text_take_0x(c);
	from = *c;
	if (!text_run(c, is_xdigit, &e->start))
		return false;
	if (split) {
		size_t digits = cursor_left(&e->start);

		if (digits < 2)
			return false;
		e->start.end--;
		*c = text_piece(&from, digits - 1, cursor_left(&from));
	} else {
		text_take(c, "-");
		text_skip(c, is_space);
	}
	text_take_0x(c);
	return text_run(c, is_xdigit, &e->limit);
}

/* (?:\s+([-rwxp]+))?(?:\s+(X+))?\s+X+:X+\s+[0-9]+(?:\s+(\S+))?  behind the range */
static bool take_proc_rest(struct cursor c, struct legacy_maps_entry *e)
{
	struct cursor ignored, before;

	text_take(&c, ":");
	legacy_maps_take_word(&c, is_perm, &e->perm);
	before = c;
	if (legacy_maps_take_word(&c, is_xdigit, &e->offset) &&
	    !is_space((uint8_t)text_peek(&c, 0))) {
		c = before; /* that was the first half of the device number */
		e->offset = text_piece(&c, 0, 0);
	}
	if (!legacy_maps_take_word(&c, is_xdigit, &ignored) || !text_take(&c, ":") ||
	    !text_run(&c, is_xdigit, &ignored) || !legacy_maps_take_word(&c, is_digit, &ignored))
		return false;
	legacy_maps_take_word(&c, is_solid, &e->file);
	return true;
}

/* (?:\s+\(@(X+)\))? */
static void take_at_offset(struct cursor *c, struct legacy_maps_entry *e)
{
	struct cursor from = *c;

	if (text_skip(c, is_space) && text_take(c, "(@") && text_run(c, is_xdigit, &e->offset) &&
	    text_take(c, ")"))
		return;
	*c = from;
	e->offset = text_piece(c, 0, 0);
}

static void take_brief_rest(struct cursor c, struct legacy_maps_entry *e)
{
	text_take(&c, ":");
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
	if (cursor_left(&e.perm) && text_find(&e.perm, "x") < 0)
		return 0;
	if (!text_uint(e.start, 16, &m.start) || !text_uint(e.limit, 16, &m.limit) ||
	    (cursor_left(&e.offset) && !text_uint(e.offset, 16, &m.offset)))
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
	after = text_peek(line, bracket + 1);
	if (bracket == left || c.pos[bracket] != ']' || after < 0 || !is_space((uint8_t)after))
		return;
	colon = bracket;
	while (colon > 0 && is_digit(c.pos[colon - 1]))
		colon--;
	if (colon >= 2 && colon < bracket && c.pos[colon - 1] == ':')
		cursor_bytes(line, bracket + 2);
}

bool maps_begin(const struct cursor *line)
{
	return text_find(line, "--- Memory map: ---") >= 0 ||
	       text_find(line, "MAPPED_LIBRARIES:") >= 0;
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
