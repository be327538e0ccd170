/*
 * A step of unlog.h: takes out the empty line that a console, a mail or a copy from a page has put
 * behind each line of a dump.
 *
 * A dump is so if behind its first header, its first call and that call's place there is an empty
 * line each. Of several empty lines behind a line one is taken out: the others end a goroutine.
 */
#include "goparse/log/steps.h"

#include <string.h>

#include "goparse/header.h"
#include "goparse/text.h"

/* Takes a line off the text. False: its end is not there. */
static bool spaced_take(struct goparse_text *text, struct goparse_text *line)
{
	const char *newline = memchr(text->at, '\n', text->len);

	if (!newline)
		return false;
	*line = (struct goparse_text){ text->at, (size_t)(newline - text->at) };
	text->len -= line->len + 1;
	text->at = newline + 1;
	text_trim_end(line);
	return true;
}

static bool spaced_take_pair(struct goparse_text *text, struct goparse_text *line)
{
	struct goparse_text empty;

	return spaced_take(text, line) && line->len && spaced_take(text, &empty) && !empty.len;
}

/* Is a header at the window's position, whose lines have an empty line behind each? */
static bool spaced_begins(const struct stage *s)
{
	struct goparse_text rest = stage_rest(s), header, call, place;

	return spaced_take_pair(&rest, &header) && header_begins(header) &&
	       spaced_take_pair(&rest, &call) && spaced_take_pair(&rest, &place) &&
	       place.at[0] == '\t';
}

static int spaced_take_line(struct spaced *d)
{
	struct stage *s = &d->stage;
	struct goparse_text line;
	bool whole = stage_line(s, &line), inside = s->inside;

	text_trim_end(&line);
	if (!inside && whole && !line.len && d->behind) {
		const char *newline = memchr(s->window + s->at, '\n', s->len - s->at);

		d->behind = false;
		s->at = newline ? (size_t)(newline + 1 - s->window) : s->len;
		return 0;
	}
	d->behind = inside || line.len;
	return stage_hand_on_line(s, 0);
}

/* Until a header tells, lines are handed on. */
static int spaced_look(struct spaced *d)
{
	struct stage *s = &d->stage;
	struct goparse_text line;

	(void)stage_line(s, &line);
	d->is = !s->inside && spaced_begins(s);
	s->passes = !d->is && !s->inside && header_begins(line);
	return d->is || s->passes ? 0 : stage_hand_on_line(s, 0);
}

static int spaced_step(struct stage *s)
{
	struct spaced *d = (struct spaced *)s; /* its first member */

	return d->is ? spaced_take_line(d) : spaced_look(d);
}

int spaced_work(struct stage *s)
{
	return stage_each(s, spaced_step);
}
