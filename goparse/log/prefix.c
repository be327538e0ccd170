#include "goparse/log/prefix.h"

#include <string.h>

#include "goparse/dumplines.h"
#include "goparse/frame.h"
#include "goparse/header.h"
#include "goparse/text.h"

enum { LINES_SEEN = 8 }; /* behind a header, to find its prefix */

enum class { WORD, BLANK, OTHER };

static enum class class_of(char c) {
	if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) return WORD;
	return c == ' ' ? BLANK : OTHER;
}

/* A word, blanks, or one other character at the text's beginning, of which there is one. */
static struct goparse_text run_of(struct goparse_text t)
{
	enum class class = class_of(t.at[0]);
	struct goparse_text run = { t.at, 1 };

	while (class != OTHER && run.len < t.len && class_of(t.at[run.len]) == class)
		run.len++;
	return run;
}

static bool has_digit(struct goparse_text word)
{
	size_t i = 0;

	while (i < word.len && text_digit(word.at[i]) >= 10)
		i++;
	return i < word.len;
}

/* Blanks before a number may be missing in a line whose number is longer: "[ 9.5]", "[10.0]". */
static void skip_padding(struct goparse_text *prefix, struct goparse_text *line)
{
	struct goparse_text a = run_of(*prefix), b = run_of(*line), number;
	bool blank = class_of(a.at[0]) == BLANK;
	struct goparse_text *padded = blank ? prefix : line, *other = blank ? line : prefix;

	if (blank == (class_of(b.at[0]) == BLANK) || padded->len == (blank ? a : b).len)
		return;
	number = *padded;
	text_take(&number, number.at, (blank ? a : b).len);
	if (text_digit(number.at[0]) < 10 && text_digit(other->at[0]) < 10)
		*padded = number;
}

/* Takes a run of the prefix off both texts. The last blanks are as many in the line, because those
 * that follow are of the dump. */
static bool take_run(struct goparse_text *prefix, struct goparse_text *line)
{
	struct goparse_text a, b;

	if (!line->len)
		return false;
	skip_padding(prefix, line);
	a = run_of(*prefix);
	b = run_of(*line);
	if (class_of(a.at[0]) != class_of(b.at[0]))
		return false;
	if (class_of(a.at[0]) == BLANK && a.len == prefix->len)
		b.len = b.len < a.len ? 0 : a.len;
	else if (class_of(a.at[0]) != BLANK && !(has_digit(a) && has_digit(b)) && !text_equal(a, b))
		return false;
	text_take(prefix, a.at, a.len);
	return b.len && text_take(line, b.at, b.len);
}

static bool is_blank(struct goparse_text t)
{
	while (text_take(&t, LITERAL(" ")))
		;
	return !t.len;
}

/* Takes the prefix off the line. Of an empty line, the blanks at its end may be missing. */
static bool take_prefix(const struct prefix *p, struct goparse_text *line)
{
	struct goparse_text prefix = { p->text, p->len }, rest = *line;

	if (p->len && text_take(line, p->text, p->len)) /* at the same time */
		return true;
	while (prefix.len && rest.len && take_run(&prefix, &rest))
		;
	if (prefix.len && (rest.len || !is_blank(prefix)))
		return false;
	*line = rest;
	return p->len;
}

/* True for a line of a dump that no prefix looks like. */
static bool is_of_dump(struct goparse_text line)
{
	struct goparse_frame frame;
	uint64_t creator;

	return header_begins(line) || frame_call(line, &frame) || frame_unknown(line, &frame) ||
	       frame_created_by(line, &frame, &creator) ||
	       text_starts(line, LITERAL("\tgoroutine running on other thread"));
}

/* How much of what stands before a header is the prefix of a line: it ends at no word. */
static size_t common(struct goparse_text before, struct goparse_text line)
{
	const char *start = before.at;
	size_t len = 0;

	while (before.len && line.len) {
		struct goparse_text run = run_of(before), whole = run, rest = line;

		if (class_of(run.at[0]) != WORD && take_run(&whole, &rest) && is_of_dump(rest))
			len = (size_t)(run.at + run.len - start);
		if (!take_run(&before, &line))
			break;
	}
	return len;
}

/* The indentation of a line of a dump, as t.Log of Go's package testing gives it to all lines but
 * the first. */
static size_t indentation(struct goparse_text line)
{
	size_t len = line.len && line.at[0] == ' ' ? run_of(line).len : 0;
	struct goparse_text rest = { line.at + len, line.len - len };

	return len < PREFIX_MAX && is_of_dump(rest) ? len : 0;
}

/* Looks for the prefix of the header's line in the lines that follow it. */
static void find_prefix(struct prefix *p, struct goparse_text before, struct goparse_text line)
{
	const struct stage *s = &p->stage;
	struct dumplines l;
	size_t len = 0, indent;

	dumplines_init(&l, line.at, s->len - s->at, !s->ended, 1);
	before.len = before.len < PREFIX_MAX ? before.len : PREFIX_MAX;
	for (int i = 0; !len && i < LINES_SEEN && l.have == LINES_LINE; i++) {
		dumplines_next(&l);
		indent = indentation(l.line);
		len = common(before, l.line);
		if (indent > len) {
			before.at = l.line.at;
			len = indent;
		}
	}
	if (!len)
		return;
	memcpy(p->text, before.at, len);
	p->len = len;
}

static int take_line(struct prefix *p)
{
	struct stage *s = &p->stage;
	struct goparse_text line, rest, header;

	(void)stage_line(s, &line);
	if (s->inside)
		return stage_hand_on_line(s, 0);
	text_trim_end(&line);
	rest = line;
	if (!take_prefix(p, &rest) && header_find(line, &header) && header.at > line.at) {
		find_prefix(p, (struct goparse_text){ line.at, (size_t)(header.at - line.at) },
			    line);
		take_prefix(p, &rest);
	}
	return stage_hand_on_line(s, (size_t)(rest.at - line.at));
}

static int work(struct stage *s)
{
	struct prefix *p = (struct prefix *)s; /* its first member */
	struct goparse_text line;
	size_t at = s->at;
	int rc = 0;

	(void)stage_line(s, &line);
	s->passes = stage_at_start(s) && header_begins(line);
	if (!s->passes && !p->len && !s->inside)
		rc = stage_hand_on_others(s);
	while (!rc && (at == s->at || stage_goes_on(s)) && !s->passes)
		rc = take_line(p);
	return rc;
}

int prefix_read(void *prefix, void *buf, size_t len, size_t *got, struct error *err)
{
	return stage_read(&((struct prefix *)prefix)->stage, work, buf, len, got, err);
}
