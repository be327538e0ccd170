/*
 * A step of unlog.h: undoes the escapes of a dump that a log holds in a string: {"log":"goroutine 1
 * [running]:\n",…} of docker a line at a time, "stack":"goroutine 1 [running]:\nmain.f()\n…" or
 * msg="goroutine 1 …" as a whole, and `goroutine 1 [running]:#012main.f()` of rsyslog.
 *
 * Also a list of strings, one for each line: ["goroutine 1 [running]:", "main.f()", …], and the
 * same key many times in a line. What stands between the first two strings of a list is what stands
 * between all (lines/runs.h).
 *
 * A header with an escape or the string's end behind it tells which string it is. Its key is looked
 * for in all lines that follow: only the values of that key are handed on. Lines without it are
 * handed on as they are; those of JSON are left out if its values stand on lines of their own.
 *
 * Rejected: a reader of JSON. The strings of logfmt, of Go's %q and of JSON behind a prefix have
 * the same form, and what is around them does not matter.
 */
#include "goparse/log/steps.h"

#include <string.h>

#include "base/cursor.h"
#include "base/utf8.h"
#include "goparse/frame.h"
#include "goparse/header.h"
#include "goparse/text.h"

/* docker cuts a line into values of 16 KiB (daemon/logger/copier.go, defaultBufSize). */
enum {
	ESCAPE_MAX = sizeof("\\ud83d\\ude00") - 1,
	HEADER_MAX = 4096,
	LIST_AHEAD = 4096,
	DOCKER_PIECE = 16 << 10
};

/* Where a value begins. */

/* What follows a header's "]:": '\\' or '#' of an escape, '"', or 0 if it is none of these. */
static char mark_at(struct goparse_text t)
{
	if (text_starts(t, LITERAL("#012")) || text_starts(t, LITERAL("\"")))
		return t.at[0];
	return t.len > 1 && t.at[0] == '\\' && strchr("nrux\\\"", t.at[1]) ? '\\' : 0;
}

/* The same of the rest of a line that begins with a header. One that the line ends with is as Go
 * has printed it, although labels in it may look like escapes. */
static char mark_behind(struct goparse_text header)
{
	struct goparse_text whole = header;
	char mark = 0;

	text_trim_end(&whole);
	if (text_take_end(&whole, LITERAL("]:")) || text_take_end(&whole, LITERAL("}:")))
		return 0;
	for (size_t i = 1; !mark && i < header.len && i < HEADER_MAX; i++)
		if (header.at[i] == ':' && (header.at[i - 1] == ']' || header.at[i - 1] == '}'))
			mark = mark_at(
				(struct goparse_text){ header.at + i + 1, header.len - i - 1 });
	return mark;
}

/* The quote of the string that `at`, in the line, is in; NULL: in none. */
static const char *quote_before(struct goparse_text line, const char *at)
{
	const char *quote = NULL;

	for (const char *c = line.at; c < at; c++)
		if (*c == '"')
			quote = quote ? NULL : c;
		else if (*c == '\\' && quote)
			c++;
	return quote;
}

static bool is_key(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       strchr("_-.@", c ? c : ' ');
}

/* The key that ends at `end`: with its quotes, if it has any. */
static struct goparse_text key_before(struct goparse_text line, const char *end)
{
	const char *at = end;

	if (at > line.at && at[-1] == '"') {
		for (at--; at > line.at && at[-1] != '"'; at--)
			;
		at -= at > line.at;
	} else {
		while (at > line.at && is_key(at[-1]))
			at--;
	}
	return (struct goparse_text){ at, (size_t)(end - at) };
}

static const char *before_blanks(struct goparse_text line, const char *at)
{
	while (at > line.at && at[-1] == ' ')
		at--;
	return at;
}

/* Notes the key of the string that begins at a quote, and returns it. NULL: it has none. */
static const char *note_key(struct quoted *q, struct goparse_text line, const char *quote)
{
	const char *at = before_blanks(line, quote);
	struct goparse_text key;
	char sign = at > line.at ? at[-1] : 0;

	if (sign != ':' && sign != '=')
		return NULL;
	key = key_before(line, before_blanks(line, at - 1));
	if (!key.len || key.len > QUOTED_KEY_MAX || (key.at[0] == '"') != (sign == ':'))
		return NULL;
	memcpy(q->key, key.at, key.len);
	q->key_len = key.len;
	q->sign = sign;
	return key.at;
}

static void skip_blanks(struct goparse_text *t)
{
	while (text_take(t, LITERAL(" ")))
		;
}

/* Finds the value of the key that is known. */
static bool find_key(struct quoted *q, struct goparse_text line, size_t *from)
{
	const char *at = line.at, *end = line.at + line.len;

	while (q->key_len && (at = memmem(at, (size_t)(end - at), q->key, q->key_len))) {
		struct goparse_text rest = { at + q->key_len, (size_t)(end - at) - q->key_len };

		skip_blanks(&rest);
		if (text_take(&rest, &q->sign, 1)) {
			skip_blanks(&rest);
			*from = (size_t)(rest.at + 1 - line.at);
			if (text_starts(rest, LITERAL("\"")))
				break;
		}
		at++;
	}
	if (!q->key_len || !at)
		return false;
	q->end = '"';
	q->mark = '\\';
	return true;
}

/* Lists. */

/* The string at the text's beginning, without its quotes and a newline at its end. False: its end
 * is not in the text. */
static bool quoted_take_string(struct goparse_text *t, struct goparse_text *string)
{
	size_t len = 0;

	while (len < t->len && t->at[len] != '"' && t->at[len] != '\n')
		len += 1 + (t->at[len] == '\\');
	if (len >= t->len || t->at[len] != '"')
		return false;
	*string = (struct goparse_text){ t->at, len };
	text_take(t, t->at, len + 1);
	text_take_end(string, LITERAL("\\n"));
	return true;
}

static bool quoted_is_call(struct goparse_text t)
{
	struct goparse_frame frame;
	uint64_t creator;

	return frame_call(t, &frame) || frame_created_by(t, &frame, &creator);
}

static bool quoted_is_place(struct goparse_text t)
{
	struct goparse_frame frame;

	return text_starts(t, LITERAL("\\t")) || frame_place(t, t, &frame);
}

/* Finds what is between a header's string, which ends before `t`, and the string of a call, and
 * between that and the string of a place. */
static bool find_gap(struct quoted *q, struct goparse_text t)
{
	struct goparse_text rest, string;
	size_t len = 0;

	for (q->gap.len = 0; len < t.len && len < RUNS_MAX; len++) {
		if (t.at[len] != '"')
			continue;
		rest = (struct goparse_text){ t.at + len + 1, t.len - len - 1 };
		if (!quoted_take_string(&rest, &string) || !quoted_is_call(string))
			continue;
		runs_set(&q->gap, (struct goparse_text){ t.at, len + 1 });
		if (runs_take(&q->gap, &rest, false) && quoted_take_string(&rest, &string) &&
		    quoted_is_place(string))
			return true;
		q->gap.len = 0;
	}
	return false;
}

/* The rest of the window behind the string with the header that begins at `at`, if the string ends
 * with the header. */
static bool behind_string(const struct quoted *q, const char *at, struct goparse_text *behind)
{
	const struct stage *s = &q->stage;
	struct goparse_text string;

	*behind = (struct goparse_text){ at, (size_t)(s->window + s->len - at) };
	behind->len = behind->len < LIST_AHEAD ? behind->len : LIST_AHEAD;
	return quoted_take_string(behind, &string) &&
	       (text_take_end(&string, LITERAL("]:")) || text_take_end(&string, LITERAL("}:")));
}

/* Notes how the strings stand, of which the header at `at` is one. */
static void note_form(struct quoted *q, struct goparse_text line, const char *at, const char *key)
{
	struct goparse_text behind, before = line;
	size_t from;

	q->many = q->indented = false;
	q->gap.len = 0;
	if (!behind_string(q, at, &behind))
		return;
	if (!key) {
		q->listed |= find_gap(q, behind);
		q->indented = q->gap.len && memchr(q->gap.text, '\n', q->gap.len);
		return;
	}
	before.len = (size_t)(key - line.at);
	runs_take_blanks(&before);
	q->indented = !before.len &&
		      (text_take(&behind, LITERAL(",")),
		       text_starts(behind, LITERAL("\n")) || text_starts(behind, LITERAL("\r\n")));
	behind.len = line.at + line.len > behind.at ? (size_t)(line.at + line.len - behind.at) : 0;
	q->many = find_key(q, behind, &from);
}

/* Finds a string by a header in it. *from: where its value begins in the line. */
static bool quoted_find_header(struct quoted *q, struct goparse_text line, size_t *from)
{
	struct goparse_text rest = line;
	const char *at, *quote, *key;
	char mark = 0;

	while (!mark && (at = header_front(rest, rest.len))) {
		rest = (struct goparse_text){ at, (size_t)(line.at + line.len - at) };
		mark = mark_behind(rest);
		rest = (struct goparse_text){ at + 1, rest.len - 1 };
	}
	if (!mark)
		return false;
	quote = mark == '#' ? NULL : quote_before(line, at);
	key = quote ? note_key(q, line, quote) : NULL;
	note_form(q, line, at, key);
	if (!key && !q->gap.len && mark == '"')
		return false;
	q->end = quote ? '"' : 0;
	q->mark = mark == '#' ? '#' : '\\';
	*from = quote ? (size_t)(quote + 1 - line.at) : 0;
	return true;
}

/* A dump that begins with its first line is none of a log. */
static bool quoted_is_plain(const struct stage *s, struct goparse_text line)
{
	return stage_at_start(s) && header_begins(line) && !mark_behind(line);
}

/* Has the line this key with this value? */
static bool quoted_says(struct goparse_text line, const char *key, size_t key_len,
			const char *value, size_t value_len)
{
	const char *at = memmem(line.at, line.len, key, key_len);
	struct goparse_text rest = line;

	if (!at)
		return false;
	text_take(&rest, rest.at, (size_t)(at - line.at) + key_len);
	skip_blanks(&rest);
	return text_starts(rest, value, value_len);
}

/* As fluent-bit says it of a piece of CRI, and docker's fluentd driver of one of docker. */
static bool is_piece(struct goparse_text line)
{
	return quoted_says(line, LITERAL("\"logtag\":"), LITERAL("\"P\"")) ||
	       quoted_says(line, LITERAL("\"partial_last\":"), LITERAL("\"false\""));
}

static void begin_value(struct quoted *q, size_t from)
{
	q->stage.at += from;
	q->where = QUOTED_VALUE;
	q->value_len = 0;
	q->last = 0;
	q->used = true;
}

/* A line of JSON around a string that has a line of its own. */
static bool is_around(const struct quoted *q, struct goparse_text line)
{
	runs_take_blanks(&line);
	return q->indented && line.len && strchr("\"{}[],", line.at[0] ? line.at[0] : ' ');
}

static int quoted_take_line(struct quoted *q)
{
	struct stage *s = &q->stage;
	struct goparse_text line;
	size_t from;

	(void)stage_line(s, &line);
	s->passes = quoted_is_plain(s, line);
	if (s->passes)
		return 0;
	if (s->inside || !(quoted_find_header(q, line, &from) || find_key(q, line, &from))) {
		if (s->inside || !is_around(q, line))
			return stage_hand_on_line(s, 0);
		q->where = QUOTED_BEHIND;
		return 0;
	}
	begin_value(q, from);
	q->piece = is_piece(line);
	q->pieces |= q->piece;
	return 0;
}

/* The value. */

static int quoted_put(struct quoted *q, const char *text, size_t len)
{
	if (!len)
		return 0;
	q->value_len += len;
	q->last = text[len - 1];
	return buffer_add(&q->stage.out, text, len);
}

/* `count` digits of an escape; false: they are none. */
static bool quoted_take_digits(struct cursor *c, size_t count, unsigned base, uint32_t *value)
{
	struct cursor ahead = *c;

	*value = 0;
	for (size_t i = 0; i < count; i++) {
		unsigned digit = text_digit((char)cursor_byte(&ahead));

		if (ahead.failed || digit >= base)
			return false;
		*value = *value * base + digit;
	}
	*c = ahead;
	return true;
}

/* Behind "\u": four digits, and those of the second half of a pair (RFC 8259, 7). */
static bool take_unicode(struct cursor *c, uint32_t *ch)
{
	struct cursor ahead;
	uint32_t low;

	if (!quoted_take_digits(c, 4, 16, ch))
		return false;
	ahead = *c;
	if ((*ch & 0xfc00) == 0xd800 && cursor_byte(&ahead) == '\\' && cursor_byte(&ahead) == 'u' &&
	    quoted_take_digits(&ahead, 4, 16, &low) && (low & 0xfc00) == 0xdc00) {
		*ch = 0x10000 + ((*ch & 0x3ff) << 10 | (low & 0x3ff));
		*c = ahead;
	}
	return true;
}

/* Behind a backslash. False: it is none of an escape that is known. */
static bool quoted_take_escape(struct cursor *c, uint32_t *ch)
{
	static const char letters[] = "nrtabfv", controls[] = "\n\r\t\a\b\f\v";
	char kind = (char)cursor_byte(c);
	const char *letter = kind ? strchr(letters, kind) : NULL;

	if (kind == 'u')
		return take_unicode(c, ch);
	if (kind == 'x')
		return quoted_take_digits(c, 2, 16, ch);
	*ch = (uint32_t)(letter ? controls[letter - letters] : kind);
	return letter || (kind && strchr("\"\\/'", kind));
}

/* An escape, or its mark as it is. */
static int take_mark(struct quoted *q)
{
	struct stage *s = &q->stage;
	struct cursor c;
	uint32_t ch = 0;
	char text[4];
	bool good;

	cursor_init(&c, s->window + s->at + 1, s->len - s->at - 1, "escape");
	good = q->mark == '#' ? quoted_take_digits(&c, 3, 8, &ch) && ch < ' ' :
				quoted_take_escape(&c, &ch);
	s->at += good ? 1 + (size_t)(c.pos - c.start) : 1;
	return good ? quoted_put(q, text, utf8_put(text, ch)) : quoted_put(q, &q->mark, 1);
}

/* A value ends a line, unless it is a piece of one. */
static int end_value(struct quoted *q, char at)
{
	q->where = at == '\n' ? QUOTED_LINE : q->gap.len ? QUOTED_GAP : QUOTED_BEHIND;
	q->stage.at++;
	return q->last == '\n' || q->piece || q->value_len == DOCKER_PIECE ? 0 :
									     quoted_put(q, "\n", 1);
}

static int quoted_take_value(struct quoted *q)
{
	struct stage *s = &q->stage;
	size_t from = s->at;
	char c = 0;

	while (s->at < s->len) {
		c = s->window[s->at];
		if (c == '\n' || c == q->mark || (c == q->end && c))
			break;
		s->at++;
	}
	if (quoted_put(q, s->window + from, s->at - from))
		return ERR_NOMEM;
	if (s->at == s->len || (c == q->mark && !s->ended && s->len - s->at < ESCAPE_MAX))
		return 0;
	return c == q->mark ? take_mark(q) : end_value(q, c);
}

/* Behind a string of a list: the next one, or the list's end. */
static void take_gap(struct quoted *q)
{
	struct goparse_text rest = stage_rest(&q->stage), behind = rest;

	if (runs_take(&q->gap, &behind, false) && behind.at[-1] == '"')
		begin_value(q, (size_t)(behind.at - rest.at));
	else
		q->where = QUOTED_BEHIND;
}

/* Is another string in the line, behind one that ended with its header? */
static bool find_more(struct quoted *q, struct goparse_text line, size_t *from)
{
	return (q->many && find_key(q, line, from)) ||
	       (q->gap.len && quoted_find_header(q, line, from));
}

/* Of a line whose end is not in the window, the end of what is there may hold half a key. */
static void quoted_skip_behind(struct quoted *q)
{
	struct stage *s = &q->stage;
	struct goparse_text line;
	size_t from;
	bool whole = stage_line(s, &line);

	if (find_more(q, line, &from)) {
		begin_value(q, from);
		return;
	}
	q->where = whole ? QUOTED_LINE : QUOTED_BEHIND;
	if (!whole && line.len > 2 * HEADER_MAX)
		line.len -= HEADER_MAX;
	s->at += line.len + (whole && line.len < s->len - s->at);
}

static int quoted_step(struct stage *s)
{
	struct quoted *q = (struct quoted *)s; /* its first member */

	if (q->where == QUOTED_VALUE)
		return quoted_take_value(q);
	if (q->where == QUOTED_LINE)
		return quoted_take_line(q);
	if (q->where == QUOTED_GAP)
		take_gap(q);
	else
		quoted_skip_behind(q);
	return 0;
}

int quoted_work(struct stage *s)
{
	struct quoted *q = (struct quoted *)s;
	size_t at = s->at;
	int rc = 0;

	if (q->where == QUOTED_LINE && !q->key_len && !s->inside)
		rc = stage_hand_on_others(s);
	return rc || s->at > at ? rc : stage_each(s, quoted_step);
}
