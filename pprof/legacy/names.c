/*
 * Reads names that stand in comments. In the text of debug=1 Go writes the frames of a stack behind
 * its addresses:
 *
 *   3 @ 0x43e0f6 0x40a2c5
 *   #	0x43e0f5	main.wait+0x16		/src/main.go:12
 *   #	0x40a2c4	main.serve+0x1e4	/src/main.go:40
 *
 * A comment's address is the one that the sample's location has: the return address minus 1. Both
 * lists are in the same order, so they are followed side by side. Go leaves out some frames (the
 * runtime's own at the leaf, runtime.goexit); those have no name here. In texts that we wrote,
 * inlined calls have the address of their location, innermost first; a recursive function has it,
 * too, once for each of its frames, and is recognized by its line coming again.
 *
 * google/pprof ignores these comments. A comment that fits no address of its sample, and all behind
 * it, are ignored here, too: the file may have been edited.
 */
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/scan.h"

struct comment {
	uint64_t address;
	struct cursor name, file;
	int64_t line;
};

static void skip_tabs(struct cursor *c)
{
	while (cursor_left(c) && *c->pos == '\t')
		c->pos++;
}

/* What stands before the next tab. */
static struct cursor take_word(struct cursor *c)
{
	const uint8_t *tab = memchr(c->pos, '\t', cursor_left(c));
	struct cursor word = *c;

	c->pos = word.end = tab ? tab : c->end;
	return word;
}

/* Removes "+0x16", the distance from the function's entry, from the end of a name. */
static void cut_distance(struct cursor *name)
{
	static const char sign[] = "+0x";
	const uint8_t *digits = name->end;

	while (digits > name->pos && isxdigit(digits[-1]) && !isupper(digits[-1]))
		digits--;
	if (digits < name->end && digits - name->pos >= 3 && !memcmp(digits - 3, sign, 3))
		name->end = digits - 3;
}

/* FILE:LINE. Without a number at its end it is all a file's name. */
static void take_place(struct cursor text, struct comment *c)
{
	struct cursor number = text;

	number.pos = number.end;
	while (number.pos > text.pos && isdigit(number.pos[-1]))
		number.pos--;
	c->file = text;
	c->line = 0;
	if (number.pos == text.pos || number.pos[-1] != ':')
		return;
	text.end = number.pos - 1;
	c->line = scan_count(&number);
	if (!number.failed)
		c->file = text;
}

static bool legacy_names_parse(struct cursor line, struct comment *c)
{
	scan_expect(&line, "#\t0x");
	c->address = scan_address(&line);
	if (line.failed)
		return false;
	skip_tabs(&line);
	c->name = take_word(&line);
	skip_tabs(&line);
	cut_distance(&c->name);
	take_place(line, c);
	return true;
}

static struct legacy_place *legacy_names_place(const struct legacy *l, size_t frame)
{
	return &l->places[l->stack[frame] - 1];
}

/* Has the newest sample such a frame, with this address? */
static bool legacy_names_is_at(const struct legacy *l, size_t frame, uint64_t address)
{
	return frame < l->stack_count && legacy_names_place(l, frame)->address == address;
}

/* Is it a further line of the current frame? Else it is the first one of a frame behind it. */
static bool legacy_names_goes_on(const struct legacy *l, uint64_t address,
				 const struct legacy_line *line)
{
	const struct legacy_naming *n = &l->naming;
	const struct legacy_line *first = &l->lines[n->first_line];

	if (!n->begun || !legacy_names_is_at(l, n->frame, address))
		return false;
	if (!legacy_names_is_at(l, n->frame + 1, address))
		return true;
	return n->first_line < l->line_count &&
	       (first->name != line->name || first->file != line->file ||
		first->line != line->line);
}

/* Goes to the next frame with this address. False if the sample has none. */
static bool next_frame(struct legacy *l, uint64_t address)
{
	struct legacy_naming *n = &l->naming;
	size_t i = n->begun ? n->frame + 1 : 0;

	while (i < l->stack_count && !legacy_names_is_at(l, i, address))
		i++;
	if (i == l->stack_count)
		return false;
	if (n->begun && legacy_names_place(l, n->frame)->first_line != n->first_line)
		l->line_count = n->first_line; /* the place had as many lines already */
	*n = (struct legacy_naming){ .begun = true, .frame = i, .first_line = l->line_count };
	return true;
}

/* A place keeps the most lines that it had in any stack: at a leaf, Go may leave out some. */
static int legacy_names_add_line(struct legacy *l, const struct legacy_line *line)
{
	struct legacy_place *place = legacy_names_place(l, l->naming.frame);

	if (room_for((void **)&l->lines, &l->line_room, l->line_count + 1, sizeof(*line)))
		return ERR_NOMEM;
	l->lines[l->line_count++] = *line;
	if (l->line_count - l->naming.first_line > place->lines) {
		place->first_line = l->naming.first_line;
		place->lines = l->line_count - l->naming.first_line;
	}
	return 0;
}

static int legacy_names_string(struct legacy *l, const struct cursor *text, uint32_t *id)
{
	return profile_text(l->p, (const char *)text->pos, cursor_left(text), id);
}

int legacy_comment(struct legacy *l, struct cursor text)
{
	struct legacy_line line = { 0 };
	struct comment c;

	if (l->naming.lost || !legacy_names_parse(text, &c))
		return 0;
	if (legacy_names_string(l, &c.name, &line.name) ||
	    legacy_names_string(l, &c.file, &line.file))
		return ERR_NOMEM;
	line.line = c.line;
	if (!legacy_names_goes_on(l, c.address, &line) && !next_frame(l, c.address)) {
		l->naming.lost = true;
		return 0;
	}
	return line.name ? legacy_names_add_line(l, &line) : 0;
}
