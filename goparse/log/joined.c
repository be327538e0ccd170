/*
 * A step of unlog.h: takes lines apart that stand in one line, with something else for their ends:
 * " | ", "⏎", "<br>", %0A, or blanks, as consoles, tables and chats show them. Or it takes off what
 * stands at the end of each line: the "$" of `cat -A`, the border of a table.
 *
 * What stands behind a header and behind the call that follows it is what ends lines, if the place
 * of the call stands behind that; it is then searched for literally. If only blanks do, each line
 * of a dump is recognized by its form, up to one that is none.
 *
 * Rejected: a list of such signs. Commas end no lines: they stand in calls.
 */
#include "goparse/log/steps.h"

#include <string.h>

#include "goparse/frame.h"
#include "goparse/header.h"
#include "goparse/text.h"

enum { ITEM_MAX = 4096, HEADERS_MAX = 4 };

static bool joined_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t take_blanks(struct goparse_text *t)
{
	const char *start = t->at;

	while (t->len && joined_is_blank(t->at[0]))
		text_take(t, t->at, 1);
	return (size_t)(t->at - start);
}

static void trim_blanks(struct goparse_text *t)
{
	while (t->len && joined_is_blank(t->at[t->len - 1]))
		t->len--;
}

static struct goparse_text limited(struct goparse_text t)
{
	t.len = t.len < ITEM_MAX ? t.len : ITEM_MAX;
	return t;
}

/* The text behind a header. False: there is none. */
static bool behind_header(struct goparse_text header, struct goparse_text *behind)
{
	const char *end = memmem(header.at, header.len, "]:", 2);

	*behind = header;
	return end && text_take(behind, header.at, (size_t)(end + 2 - header.at));
}

/* Lines in one line, between blanks. */

/* A call at the beginning: up to its last parenthesis, behind which a blank is. */
static size_t call_length(struct goparse_text t)
{
	struct goparse_frame frame;

	for (size_t len = 1; len < t.len && t.at[len - 1] != '\n'; len++)
		if (t.at[len - 1] == ')' && (joined_is_blank(t.at[len]) || t.at[len] == '\n') &&
		    frame_call((struct goparse_text){ t.at, len }, &frame))
			return memchr(frame.function.at, ' ', frame.function.len) ? 0 : len;
	return 0;
}

/* Numbers behind a place: " +0x1d", " fp=0x…". */
static size_t number_length(struct goparse_text t)
{
	struct goparse_text rest = t;
	uint64_t value;

	if (!take_blanks(&rest) ||
	    !(text_take(&rest, LITERAL("+")) || text_take(&rest, LITERAL("fp=")) ||
	      text_take(&rest, LITERAL("sp=")) || text_take(&rest, LITERAL("pc="))) ||
	    !text_take_hex(&rest, &value))
		return 0;
	return (size_t)(rest.at - t.at);
}

/* A place at the beginning: "/src/x.go:12 +0x1d". */
static size_t place_length(struct goparse_text t)
{
	size_t len = 0, more;
	struct goparse_text rest = t;
	uint64_t line;

	while (rest.len && rest.at[0] != '\n') {
		if (text_take(&rest, LITERAL(":")) && text_take_number(&rest, &line) &&
		    (!rest.len || joined_is_blank(rest.at[0]) || strchr("\r\n", rest.at[0]))) {
			len = (size_t)(rest.at - t.at);
			break;
		}
		if (rest.len)
			text_take(&rest, rest.at, 1);
	}
	while (len && (more = number_length((struct goparse_text){ t.at + len, t.len - len })))
		len += more;
	return len;
}

/* "created by main.f in goroutine 1", where the last three words may be missing. */
static size_t creator_length(struct goparse_text t)
{
	struct goparse_text rest = t, number;
	uint64_t id;

	if (!text_take(&rest, LITERAL("created by ")))
		return 0;
	while (rest.len && !joined_is_blank(rest.at[0]) && rest.at[0] != '\n')
		text_take(&rest, rest.at, 1);
	number = rest;
	take_blanks(&number);
	if (text_take(&number, LITERAL("in goroutine ")) && text_take_number(&number, &id))
		rest = number;
	return (size_t)(rest.at - t.at);
}

/* A line of fixed form: a header, or a mark. */
static size_t marked_length(struct goparse_text t)
{
	static const char *const ends[] = { "stack unavailable", "frames elided..." };
	struct goparse_text rest;
	const char *end = NULL;

	if ((header_front(t, 0) == t.at || header_ancestor_begins(t)) && behind_header(t, &rest))
		return (size_t)(rest.at - t.at);
	if (text_starts(t, LITERAL("goroutine running on ")))
		end = memmem(t.at, t.len < 80 ? t.len : 80, ends[0], strlen(ends[0]));
	else if (text_starts(t, LITERAL("...")))
		end = memmem(t.at, t.len < 80 ? t.len : 80, ends[1], strlen(ends[1]));
	return end ? (size_t)(end - t.at) +
			       strlen(text_starts(t, LITERAL("...")) ? ends[1] : ends[0]) :
		     0;
}

/* The line of a dump at the beginning; 0: none. *place: a place comes next. */
static size_t item_length(struct goparse_text t, bool *place)
{
	size_t len;

	if (*place) {
		*place = false;
		return place_length(t);
	}
	len = marked_length(t);
	if (len)
		return len;
	len = creator_length(t);
	len = len ? len : call_length(t);
	*place = len;
	return len;
}

static int joined_take_item(struct joined *j)
{
	struct stage *s = &j->stage;
	struct goparse_text rest = stage_rest(s);
	bool place = j->place;
	size_t blanks = take_blanks(&rest), len = item_length(limited(rest), &j->place);
	int rc = 0;

	s->at += blanks;
	if (!len) {
		j->where = JOINED_OUT;
		return s->at < s->len ? stage_hand_on_line(s, 0) : 0;
	}
	if (place)
		rc = buffer_add(&s->out, "\t", 1);
	else if (text_starts(rest, LITERAL("goroutine ")) &&
		 header_front(limited(rest), 0) == rest.at)
		rc = buffer_add(&s->out, "\n", 1);
	return rc || stage_hand_on(s, len) || buffer_add(&s->out, "\n", 1) ? ERR_NOMEM : 0;
}

/* What ends lines. */

/* "…:12", "…:12 +0x1d" */
static bool ends_as_place(struct goparse_text t)
{
	uint64_t number;

	trim_blanks(&t);
	if (text_take_hex_end(&t, &number) && !text_take_end(&t, LITERAL(" +")))
		return text_take_end(&t, LITERAL(" pc="));
	return text_take_number_end(&t, &number) && text_take_end(&t, LITERAL(":"));
}

/* The line at the text's beginning, up to the end that is known. False: it is not there. */
static bool take_ended(const struct joined *j, struct goparse_text *t, struct goparse_text *line)
{
	const char *end = memmem(t->at, t->len, j->end, j->end_len);

	if (!end)
		end = memchr(t->at, '\n', t->len);
	*line = (struct goparse_text){ t->at, end ? (size_t)(end - t->at) : t->len };
	*t = (struct goparse_text){ line->at + line->len, t->len - line->len };
	text_take(t, j->end, j->end_len);
	return line->len;
}

/* May this end lines? It begins with no word; if no newline ends it, a character is in it that
 * stands in no call. */
static bool joined_is_end(const char *end, size_t len)
{
	size_t i = 0;

	if (!len || text_digit(end[0]) < 10 || ((end[0] | 0x20) >= 'a' && (end[0] | 0x20) <= 'z'))
		return false;
	if (end[len - 1] == '\n')
		return len > 1;
	while (i < len && end[i] && strchr(" \t\r,.:(){}[]*/+-_", end[i]))
		i++;
	return i < len;
}

/* Notes what stands behind a header and behind a call, up to a newline, as an end of lines. False:
 * the lines behind the header do not end so. */
static bool find_end_at(struct joined *j, struct goparse_text a, struct goparse_text b)
{
	struct goparse_text rest = a, line;
	struct goparse_frame frame;
	size_t len = 0;

	take_blanks(&a);
	take_blanks(&b);
	while (len < JOINED_END_MAX && len < a.len && len < b.len && a.at[len] == b.at[len] &&
	       !(len && a.at[len - 1] == '\n'))
		len++;
	while (len && joined_is_blank(a.at[len - 1]))
		len--;
	if (!joined_is_end(a.at, len))
		return false;
	memcpy(j->end, a.at, len);
	j->end_len = len;
	rest = a;
	text_take(&rest, a.at, len);
	j->blanks = take_blanks(&rest);
	if (!take_ended(j, &rest, &line))
		return false;
	trim_blanks(&line);
	return frame_call(line, &frame) && take_ended(j, &rest, &line) && ends_as_place(line);
}

/* Finds what ends the lines, from what stands behind a header. */
static bool find_end(struct joined *j, struct goparse_text behind)
{
	struct goparse_text rest = behind;
	const char *at;
	bool place = false;

	text_trim_end(&rest);
	take_blanks(&rest);
	if (!rest.len || rest.at[0] == '\n' || rest.at[0] == '\r')
		return false;
	while ((at = memchr(rest.at, ')', rest.len))) {
		rest = (struct goparse_text){ at + 1, rest.len - (size_t)(at + 1 - rest.at) };
		if (find_end_at(j, behind, rest)) {
			j->where = JOINED_IN;
			return true;
		}
	}
	j->end_len = 0;
	rest = behind;
	if (!take_blanks(&rest) || !text_take(&rest, rest.at, call_length(rest)) ||
	    rest.at == behind.at)
		return false;
	place = take_blanks(&rest) && place_length(rest);
	j->where = place ? JOINED_IN_BLANKS : j->where;
	return place;
}

/* Finds a header in the line, behind which a line's end is none of the input. *len: up to it. */
static bool joined_find_header(struct joined *j, struct goparse_text line, size_t *len)
{
	struct goparse_text window = stage_rest(&j->stage), behind;
	const char *at = line.at;

	for (int i = 0; i < HEADERS_MAX; i++) {
		struct goparse_text rest = { at, (size_t)(line.at + line.len - at) };

		at = header_front(rest, rest.len);
		if (!at)
			return false;
		rest = (struct goparse_text){ at, (size_t)(window.at + window.len - at) };
		if (behind_header(limited(rest), &behind) && find_end(j, behind)) {
			*len = (size_t)(behind.at - line.at);
			return true;
		}
		at++;
	}
	return false;
}

/* Lines. */

static int joined_take_line(struct joined *j)
{
	struct stage *s = &j->stage;
	struct goparse_text line;
	size_t len;

	(void)stage_line(s, &line);
	s->passes = stage_at_start(s) && header_begins(line) && !joined_find_header(j, line, &len);
	if (s->passes)
		return 0;
	if (s->inside || !joined_find_header(j, line, &len))
		return stage_hand_on_line(s, 0);
	j->used = true;
	j->place = false;
	if (j->where == JOINED_IN)
		return 0; /* its header is the first line */
	return stage_hand_on(s, len) || buffer_add(&s->out, "\n", 1) ? ERR_NOMEM : 0;
}

/* A line up to its end, which is no newline or not only one. */
static int take_one(struct joined *j)
{
	struct stage *s = &j->stage;
	struct goparse_text rest = stage_rest(s), line = rest, blanks;
	const char *end = memmem(rest.at, rest.len, j->end, j->end_len), *newline;

	newline = memchr(rest.at, '\n', end ? (size_t)(end - rest.at) : rest.len);
	if (newline && !joined_is_lines(j))
		j->where = JOINED_OUT;
	if (newline || !end) {
		line.len = newline ? (size_t)(newline + 1 - rest.at) :
			   s->ended || rest.len <= JOINED_END_MAX ? rest.len :
								    rest.len - JOINED_END_MAX;
		return stage_hand_on(s, line.len);
	}
	blanks = (struct goparse_text){ end + j->end_len,
					rest.len - (size_t)(end - rest.at) - j->end_len };
	line.len = (size_t)(end - rest.at);
	trim_blanks(&line);
	for (size_t i = 0; i < j->blanks && text_take(&blanks, LITERAL(" ")); i++)
		;
	s->at += (size_t)(blanks.at - rest.at);
	return buffer_add(&s->out, line.at, line.len) || buffer_add(&s->out, "\n", 1) ? ERR_NOMEM :
											0;
}

static int joined_step(struct stage *s)
{
	struct joined *j = (struct joined *)s;

	if (j->where == JOINED_IN)
		return take_one(j);
	return j->where == JOINED_IN_BLANKS ? joined_take_item(j) : joined_take_line(j);
}

int joined_work(struct stage *s)
{
	struct joined *j = (struct joined *)s; /* its first member */
	size_t at = s->at;
	int rc = 0;

	if (j->where == JOINED_OUT && !s->inside && !stage_at_start(s))
		rc = stage_hand_on_others(s);
	return rc || s->at > at ? rc : stage_each(s, joined_step);
}
