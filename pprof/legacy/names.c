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
#include "base/error.h"
#include "base/room.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/scan.h"

struct comment {
	uint64_t address;
	struct cursor name, file;
	int64_t line;
};

static bool is_tab(uint8_t ch)
{
	return ch == '\t';
}

static bool is_no_tab(uint8_t ch)
{
	return ch != '\t';
}

/* Removes "+0x16", the distance from the function's entry, from the end of a name. */
static void cut_distance(struct cursor *name)
{
	size_t len = cursor_left(name), end = len;

	while (end && is_lower_xdigit(name->pos[end - 1]))
		end--;
	if (end < len && end >= 3 && name->pos[end - 1] == 'x' && name->pos[end - 2] == '0' &&
	    name->pos[end - 3] == '+')
		name->end -= len - end + 3;
}

/* FILE:LINE. Without a number at its end it is all a file's name. */
static void take_place(struct cursor text, struct comment *c)
{
	size_t len = cursor_left(&text), colon = len;

	while (colon && is_digit(text.pos[colon - 1]))
		colon--;
	c->file = text;
	c->line = 0;
	if (!colon || text.pos[colon - 1] != ':' ||
	    !scan_int(scan_piece(&text, colon, len), 10, &c->line))
		return;
	c->file.end -= len - colon + 1;
}

static bool legacy_names_parse(struct cursor line, struct comment *c)
{
	struct cursor digits;

	scan_trim(&line);
	if (!scan_take(&line, "#\t0x") || !scan_run(&line, is_lower_xdigit, &digits) ||
	    !scan_uint(digits, 16, &c->address))
		return false;
	scan_skip(&line, is_tab);
	scan_run(&line, is_no_tab, &c->name);
	scan_skip(&line, is_tab);
	cut_distance(&c->name);
	take_place(line, c);
	return true;
}

static uint64_t legacy_names_address_of(const struct legacy *l, size_t frame)
{
	return l->places[l->stack[frame]].address;
}

/* Is it a further line of the current frame? Else it is the first one of a frame behind it. */
static bool legacy_names_goes_on(const struct legacy *l, size_t end, uint64_t address,
				 const struct legacy_line *line)
{
	const struct legacy_naming *n = &l->naming;
	const struct legacy_line *first = &l->lines[n->first_line];

	if (!n->begun || legacy_names_address_of(l, n->frame) != address)
		return false;
	if (n->frame + 1 == end || legacy_names_address_of(l, n->frame + 1) != address)
		return true;
	return n->first_line < l->line_count &&
	       (first->name != line->name || first->file != line->file ||
		first->line != line->line);
}

/* Goes to the next frame with this address. False if the sample has none. */
static bool next_frame(struct legacy *l, size_t end, uint64_t address)
{
	struct legacy_naming *n = &l->naming;
	size_t i = n->begun ? n->frame + 1 : l->samples[l->sample_count - 1].first;

	while (i < end && legacy_names_address_of(l, i) != address)
		i++;
	if (i == end)
		return false;
	if (n->begun && l->places[l->stack[n->frame]].first_line != n->first_line)
		l->line_count = n->first_line; /* the place had as many lines already */
	n->begun = true;
	n->frame = i;
	n->first_line = l->line_count;
	return true;
}

/* A place keeps the most lines that it had in any stack: at a leaf, Go may leave out some. */
static int legacy_names_add_line(struct legacy *l, const struct legacy_line *line)
{
	struct legacy_place *place = &l->places[l->stack[l->naming.frame]];

	if (room_for((void **)&l->lines, &l->line_room, l->line_count + 1, sizeof(*line)))
		return error_nomem(l->err);
	l->lines[l->line_count++] = *line;
	if (l->line_count - l->naming.first_line > place->lines) {
		place->first_line = l->naming.first_line;
		place->lines = l->line_count - l->naming.first_line;
	}
	return 0;
}

int legacy_comment(struct legacy *l, struct cursor text)
{
	struct legacy_naming *n = &l->naming;
	struct legacy_line line = { 0 };
	struct comment c;
	size_t end;

	if (!l->sample_count || !legacy_names_parse(text, &c))
		return 0;
	if (n->sample != l->sample_count)
		*n = (struct legacy_naming){ .sample = l->sample_count };
	if (n->lost)
		return 0;
	if (legacy_string(l, c.name, &line.name) || legacy_string(l, c.file, &line.file))
		return ERR_NOMEM;
	line.line = c.line;
	end = l->samples[l->sample_count - 1].first + l->samples[l->sample_count - 1].frames;
	if (!legacy_names_goes_on(l, end, c.address, &line) && !next_frame(l, end, c.address)) {
		n->lost = true;
		return 0;
	}
	return line.name ? legacy_names_add_line(l, &line) : 0;
}
