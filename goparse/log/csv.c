/*
 * A step of unlog.h: takes the column of a CSV file (RFC 4180) that has a dump, as exports of
 * Kibana, Datadog, Grafana and databases do: a row for each line, or the whole dump in a quoted
 * field. Fields are between commas, semicolons or tabs, and quoted or not.
 *
 * A header that is a field, or begins one in quotes, tells the column, if a frame is there in the
 * rows behind it or in the field. Rows that are too short are handed on as they are. Each row is
 * read by a small state machine, since a quoted field may be longer than the window.
 */
#include "goparse/log/steps.h"

#include <string.h>

#include "goparse/frame.h"
#include "goparse/header.h"
#include "goparse/text.h"

enum { LINES_SEEN = 16 }; /* behind a header, to tell a CSV file of one column */

/* Rows. */

/* Takes a field off a row, and the delimiter behind it. *quoted: it has quotes, which are not in
 * *field. False: its end is not in the row. */
static bool csv_take_field(struct goparse_text *row, char delimiter, struct goparse_text *field,
			   bool *quoted)
{
	const char *end = row->at + row->len, *at = row->at;

	*quoted = text_take(row, LITERAL("\""));
	if (*quoted) {
		for (at = row->at; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++)
			at += *at == '"';
	} else {
		at = memchr(at, delimiter, row->len);
		at = at ? at : end;
	}
	*field = (struct goparse_text){ row->at, (size_t)(at - row->at) };
	if (*quoted && at == end)
		return false;
	at += *quoted;
	if (at < end && *at != delimiter)
		return false;
	*row = (struct goparse_text){ at + (at < end), (size_t)(end - at) - (at < end) };
	return true;
}

/* Skips the fields before the column. */
static bool skip_fields(struct goparse_text *row, const struct csv *c)
{
	struct goparse_text field;
	bool quoted, good = true;

	for (unsigned i = 0; good && i < c->column; i++)
		good = csv_take_field(row, c->delimiter, &field, &quoted) &&
		       row->at > field.at + field.len + quoted;
	return good;
}

/* The text of the column in a row; to its end, if the field is the last and has no quotes. */
static bool find_field(struct goparse_text row, const struct csv *c, struct goparse_text *field,
		       bool *quoted)
{
	bool good = skip_fields(&row, c);

	*quoted = good && text_starts(row, LITERAL("\""));
	*field = row;
	return good && ((c->last && !*quoted) || csv_take_field(&row, c->delimiter, field, quoted));
}

/* The first header. */

static bool csv_take_line(struct goparse_text *text, struct goparse_text *line)
{
	const char *newline = memchr(text->at, '\n', text->len);

	*line = (struct goparse_text){ text->at,
				       newline ? (size_t)(newline - text->at) : text->len };
	text_take(text, text->at, line->len + (newline != NULL));
	text_trim_end(line);
	return line->len;
}

static bool csv_is_call(struct goparse_text line)
{
	struct goparse_frame frame;

	return frame_call(line, &frame) && !memchr(frame.function.at, '"', frame.function.len);
}

static bool csv_take_row(const struct csv *c, struct goparse_text *rest, struct goparse_text *field)
{
	struct goparse_text row;
	bool quoted;

	return csv_take_line(rest, &row) && find_field(row, c, field, &quoted);
}

/* Do a call and a place stand in the rows behind the header's? Or, in a file that has the newest
 * row first (order.c), a place behind an empty row? */
static bool has_frame(const struct csv *c, struct goparse_text rest)
{
	struct goparse_text call, place;

	if (!csv_take_row(c, &rest, &call) || !csv_take_row(c, &rest, &place))
		return false;
	return (csv_is_call(call) || !call.len) && frame_is_place(place);
}

/* The same in the lines of a quoted field. */
static bool has_frame_in_field(struct goparse_text rest)
{
	struct goparse_text call, place;

	return csv_take_line(&rest, &call) && csv_is_call(call) && csv_take_line(&rest, &place) &&
	       (frame_is_place(place) || memchr(place.at, '"', place.len));
}

/* A header without quotes, of one column, tells nothing: a call in quotes behind it does. */
static bool has_quoted_call(struct goparse_text rest)
{
	struct goparse_text line;

	for (int i = 0; i < LINES_SEEN && rest.len; i++)
		if (csv_take_line(&rest, &line) && text_take(&line, LITERAL("\"")) &&
		    text_take_end(&line, LITERAL("\"")) && csv_is_call(line))
			return true;
	return false;
}

static bool is_delimiter(char c)
{
	return c == ',' || c == ';' || c == '\t';
}

/* How many fields are before `at`; false: it begins none. */
static bool count_fields(struct csv *c, struct goparse_text line, const char *at)
{
	struct goparse_text row = { line.at, (size_t)(at - line.at) }, field;
	bool quoted, good = true;

	for (c->column = 0; good && row.len; c->column++)
		good = csv_take_field(&row, c->delimiter, &field, &quoted);
	return good;
}

/* Notes the column of a header. `rest` is what stands behind its line. */
static bool note_column(struct csv *c, struct goparse_text line, const char *header,
			struct goparse_text rest)
{
	bool quoted = header > line.at && header[-1] == '"', good;
	const char *at = header - quoted,
		   *behind = memmem(header, (size_t)(line.at + line.len - header), "]:", 2);
	const char *end = line.at + line.len;

	behind = behind ? behind + 2 : end;
	if (quoted && behind < end && *behind == '"')
		behind++;
	else if (quoted && behind < end)
		return false;
	c->delimiter = at > line.at ? at[-1] : behind < end ? *behind : ',';
	c->last = behind == end;
	good = is_delimiter(c->delimiter) && (c->last || *behind == c->delimiter) &&
	       count_fields(c, line, at);
	if (quoted && behind[-1] != '"')
		return good && has_frame_in_field(rest);
	if (c->delimiter == '\t' && c->last && !quoted)
		return false;
	if (!c->column && c->last && !quoted)
		return good && has_quoted_call(rest);
	return good && has_frame(c, rest);
}

static bool csv_find_column(struct csv *c)
{
	struct goparse_text rest = stage_rest(&c->stage), line;
	const char *header;

	(void)csv_take_line(&rest, &line);
	header = header_front(line, HEADER_PREFIX_MAX);
	if (!header || !note_column(c, line, header, rest))
		c->delimiter = 0;
	return c->delimiter;
}

/* The column of a row. */

static int csv_put(struct csv *c, const char *text, size_t len)
{
	if (len)
		c->put = text[len - 1];
	return buffer_add(&c->stage.out, text, len);
}

static int end_field(struct csv *c)
{
	return c->put == '\n' ? 0 : csv_put(c, "\n", 1);
}

static int csv_begin_row(struct csv *c)
{
	struct stage *s = &c->stage;
	struct goparse_text line, row;
	bool quoted;

	(void)stage_line(s, &line);
	row = line;
	if (s->inside || !skip_fields(&row, c))
		return stage_hand_on_line(s, 0);
	quoted = text_take(&row, LITERAL("\""));
	s->at += (size_t)(row.at - line.at);
	c->where = quoted ? CSV_QUOTED : CSV_PLAIN;
	c->put = 0;
	return 0;
}

/* A field without quotes ends at the delimiter or with the line. */
static int take_plain(struct csv *c)
{
	struct stage *s = &c->stage;
	struct goparse_text line;
	bool whole = stage_line(s, &line);
	const char *end = c->last ? NULL : memchr(line.at, c->delimiter, line.len);

	if (end)
		line.len = (size_t)(end - line.at);
	if (end || whole)
		c->where = CSV_BEHIND;
	s->at += line.len;
	text_take_end(&line, LITERAL("\r"));
	return csv_put(c, line.at, line.len) || (c->where == CSV_BEHIND && end_field(c)) ?
		       ERR_NOMEM :
		       0;
}

/* Two quotes in quotes are one. */
static int csv_take_quoted(struct csv *c)
{
	struct stage *s = &c->stage;
	struct goparse_text rest = stage_rest(s);
	const char *quote = memchr(rest.at, '"', rest.len);
	size_t len = quote ? (size_t)(quote - rest.at) : rest.len;
	bool twice = quote && len + 1 < rest.len && quote[1] == '"';

	if (quote && len + 1 == rest.len && !s->ended && len)
		quote = NULL; /* the next byte tells */
	else if (quote)
		len += twice;
	if (csv_put(c, rest.at, len))
		return ERR_NOMEM;
	s->at += len + (quote != NULL);
	if (!quote || twice)
		return 0;
	c->where = CSV_BEHIND;
	return end_field(c);
}

/* Skips the fields behind the column, and the newline. */
static int csv_skip_behind(struct csv *c)
{
	struct stage *s = &c->stage;

	while (s->at < s->len && c->where != CSV_ROW) {
		char ch = s->window[s->at++];

		if (ch == '"')
			c->where = c->where == CSV_BEHIND ? CSV_BEHIND_QUOTED : CSV_BEHIND;
		else if (ch == '\n' && c->where == CSV_BEHIND)
			c->where = CSV_ROW;
	}
	return 0;
}

/* Takes a part of a row of CSV, or hands on what is none. */
static int csv_step(struct stage *s)
{
	struct csv *c = (struct csv *)s; /* its first member */
	size_t at = s->at;
	int rc = 0;

	if (!c->delimiter && !s->inside)
		rc = stage_hand_on_others(s);
	if (rc || s->at > at)
		return rc;
	if (!c->delimiter && (s->inside || !csv_find_column(c)))
		return stage_hand_on_line(s, 0);
	switch (c->where) {
	case CSV_ROW:
		return csv_begin_row(c);
	case CSV_PLAIN:
		return take_plain(c);
	case CSV_QUOTED:
		return csv_take_quoted(c);
	default:
		return csv_skip_behind(c);
	}
}

/* A dump that begins with the first line is none of a log. */
static bool csv_is_plain(struct csv *c)
{
	struct goparse_text line;

	(void)stage_line(&c->stage, &line);
	return stage_at_start(&c->stage) && header_begins(line) && !csv_find_column(c);
}

int csv_work(struct stage *s)
{
	s->passes = csv_is_plain((struct csv *)s);
	return stage_each(s, csv_step);
}
