/*
 * A step of unlog.h: takes off what a log writes before each line of a dump.
 *
 * What stands before a header is the prefix, or as much of it as the header's following lines have
 * too, with a frame behind it. lines/runs.h says what may vary from line to line; everything else
 * is as it was before the header.
 *
 * Lines of others, behind another prefix, are left out: they cost no frames. If another dump is
 * among them, it is read behind the first one (lines/aside.h). A dump without the prefix stays.
 *
 * Rejected: a list of the forms of logs. There are more than anyone has seen.
 */
#include "goparse/log/steps.h"

#include <string.h>

#include "goparse/dumplines.h"
#include "goparse/frame.h"
#include "goparse/header.h"
#include "goparse/text.h"

enum { LINES_SEEN = 32 }; /* behind a header, to find its prefix */

/* Lines of a dump. */

/* True for a line of a dump that no prefix looks like. */
static bool is_of_dump(struct goparse_text line)
{
	struct goparse_frame frame;
	uint64_t creator;

	return header_begins(line) || frame_call(line, &frame) || frame_unknown(line, &frame) ||
	       frame_created_by(line, &frame, &creator) ||
	       text_starts(line, LITERAL("\tgoroutine running on other thread"));
}

/* The same, but no other output that ends in parentheses. */
static bool is_line(struct goparse_text line)
{
	struct goparse_frame frame;

	return is_of_dump(line) &&
	       !(frame_call(line, &frame) && memchr(frame.function.at, ' ', frame.function.len));
}

/* A line that has no prefix, and that only a dump has. */
static bool is_bare(struct goparse_text line)
{
	return is_line(line) || frame_is_place(line);
}

/* A place behind another prefix: its tab tells. */
static bool is_place_of_other(struct goparse_text line, struct goparse_text *before)
{
	const char *tab = memrchr(line.at, '\t', line.len);

	*before = (struct goparse_text){ line.at, tab ? (size_t)(tab - line.at) : 0 };
	return tab && frame_is_place((struct goparse_text){ tab, line.len - before->len });
}

/* May the line be one of a dump, whatever its prefix is? */
static bool may_be_of_dump(struct goparse_text line)
{
	static const char *const words[] = { "goroutine ", "created by ", ".go:",
					     "+0x",	   "\t",	  "frames elided..." };
	size_t i = 0, count = sizeof(words) / sizeof(*words);

	while (i < count && !memmem(line.at, line.len, words[i], strlen(words[i])))
		i++;
	return i < count || (line.len && line.at[line.len - 1] == ')');
}

/* The prefix. */

/* The indentation of a line of a dump, as t.Log of Go's package testing gives it to all lines but
 * the first. */
static size_t indentation(struct goparse_text line)
{
	size_t len = runs_take_blanks(&line);

	return len < RUNS_MAX && is_of_dump(line) ? len : 0;
}

/* Takes over the prefix that a line behind the header has, if it is longer than the known one, or
 * as long and has the same names. */
static void prefix_compare(struct prefix *p, const struct runs *before, struct goparse_text line)
{
	size_t len = runs_common(before, line, false, is_line), indent = indentation(line);
	bool exact = indent > len || len == runs_common(before, line, true, is_line);
	const char *from = indent > len ? line.at : before->text;

	len = indent > len ? indent : len;
	if (!len || len < p->like.len || (len == p->like.len && (p->exact || !exact)))
		return;
	runs_set(&p->like, (struct goparse_text){ from, len });
	p->exact = exact;
}

/* Notes the prefix, to tell of it, if it is not the first one with another counter in it. */
static void note_found(struct prefix *p)
{
	struct goparse_text text = { p->like.text, p->like.len };

	if (!p->first.len)
		p->first = p->like;
	else if (!runs_take(&p->first, &text, p->aside.again_len))
		p->then = p->like;
}

/* Looks for the prefix of the header's line in the lines that follow it. If it is not there, the
 * present one stays. */
static void find_prefix(struct prefix *p, struct goparse_text before, struct goparse_text line)
{
	struct runs present = p->like, whole;
	bool exact = p->exact;
	struct goparse_text header;
	struct dumplines l;

	runs_set(&whole, before);
	p->like.len = p->seen = 0;
	p->exact = p->goes_on = false;
	dumplines_init(&l, line.at, stage_rest(&p->stage).len, !p->stage.ended, 1);
	dumplines_next(&l);
	for (int i = 0; i < LINES_SEEN && l.have == LINES_LINE; i++) {
		bool begins = header_find(l.line, &header);

		if (begins && p->like.len && p->exact)
			break;
		if (!begins || !p->like.len)
			prefix_compare(p, &whole, l.line);
		dumplines_next(&l);
	}
	if (!p->like.len) {
		p->like = present;
		p->exact = exact;
	}
	note_found(p);
}

/* Does the present dump go on in the window? If another one begins first, which a goroutine that
 * runs prints (goparse/summary/dumps.h), it does not. */
static bool prefix_goes_on(struct prefix *p)
{
	struct goparse_text rest = stage_rest(&p->stage), line;
	struct dumplines l;

	if (p->goes_on && p->seen)
		return true;
	dumplines_init(&l, rest.at + p->seen, rest.len - p->seen, !p->stage.ended, 1);
	for (p->goes_on = false; !p->goes_on && l.have == LINES_LINE; dumplines_next(&l)) {
		line = l.line;
		p->seen = (size_t)(l.next - rest.at);
		if (!runs_take(&p->like, &line, true))
			continue;
		if (header_begins(line) && memmem(line.at, line.len, " [running", 9))
			break;
		p->goes_on = header_begins(line) || frame_is_place(line);
	}
	return p->goes_on;
}

/* Lines. */

static int hand_on(struct prefix *p, struct goparse_text line, struct goparse_text rest)
{
	p->drops = false;
	return stage_hand_on_line(&p->stage, (size_t)(rest.at - line.at));
}

static int prefix_leave_out(struct prefix *p)
{
	struct stage *s = &p->stage;
	struct goparse_text line;

	s->inside = p->drops = !stage_line(s, &line);
	s->at += line.len + (line.len < s->len - s->at);
	return 0;
}

/* Goes on with the dumps that were among the lines of the present one, which has ended. */
static int prefix_begin_again(struct prefix *p)
{
	struct stage *s = &p->stage;
	int rc = aside_again(&p->aside, stage_rest(s));

	s->at = s->len;
	s->ended = false;
	p->like.len = p->seen = 0;
	p->goes_on = p->others = false;
	return rc;
}

/* A header that is not behind the present prefix. */
static int prefix_take_header(struct prefix *p, struct goparse_text line,
			      struct goparse_text header)
{
	struct goparse_text rest = line;

	if (header.at > line.at)
		find_prefix(p, (struct goparse_text){ line.at, (size_t)(header.at - line.at) },
			    line);
	(void)runs_take(&p->like, &rest, p->exact);
	return hand_on(p, line, rest);
}

/* Is a frame or its place behind what is like the prefix but for names? Then a name in it
 * varies. */
static bool is_frame_of_like(const struct prefix *p, struct goparse_text line,
			     struct goparse_text *rest)
{
	struct dumplines l;

	*rest = line;
	if (!p->exact || p->others || !runs_take(&p->like, rest, false))
		return false;
	if (!is_of_dump(*rest) || header_begins(*rest))
		return frame_is_place(*rest);
	dumplines_init(&l, line.at, stage_rest(&p->stage).len, !p->stage.ended, 1);
	dumplines_next(&l);
	return l.have == LINES_LINE && runs_take(&p->like, &l.line, false) &&
	       frame_is_place(l.line);
}

/* Leaves a line of another dump out, for now or at all. */
static int leave_out_other(struct prefix *p, struct goparse_text line, bool whole)
{
	struct goparse_text before;
	int rc = 0;

	if (p->others && whole && may_be_of_dump(line)) {
		rc = aside_keep(&p->aside, line);
	} else if (is_place_of_other(line, &before)) {
		p->lost_count++;
		if (!p->lost.len)
			runs_set(&p->lost, before);
	}
	return rc ? rc : prefix_leave_out(p);
}

/* A line that is not behind the present prefix. */
static int take_other(struct prefix *p, struct goparse_text line, bool whole)
{
	struct goparse_text header, rest;

	if (is_bare(line))
		return hand_on(p, line, line);
	if (header_find(line, &header)) {
		if (!prefix_goes_on(p))
			return p->aside.kept.len ? prefix_begin_again(p) :
						   prefix_take_header(p, line, header);
		p->others = true;
	} else if (is_frame_of_like(p, line, &rest) && !prefix_goes_on(p)) {
		p->exact = false;
		return hand_on(p, line, rest);
	}
	return leave_out_other(p, line, whole);
}

static int prefix_take_line(struct prefix *p)
{
	struct stage *s = &p->stage;
	struct goparse_text line, rest, header;
	bool whole = stage_line(s, &line), own;

	if (s->inside)
		return p->drops ? prefix_leave_out(p) : hand_on(p, line, line);
	text_trim_end(&line);
	rest = line;
	own = runs_take(&p->like, &rest, p->exact);
	if (own && (p->exact || !header_begins(rest)))
		return hand_on(p, line, rest);
	if (p->like.len && !own)
		return take_other(p, line, whole);
	if (header_find(line, &header))
		return prefix_take_header(p, line, header);
	return hand_on(p, line, line);
}

static int prefix_step(struct stage *s)
{
	struct prefix *p = (struct prefix *)s; /* its first member */
	size_t at = s->at;
	int rc = prefix_take_line(p);

	p->seen -= p->seen < s->at - at ? p->seen : s->at - at;
	return rc;
}

static int prefix_work(struct stage *s)
{
	const struct prefix *p = (const struct prefix *)s;
	struct goparse_text line;
	size_t at = s->at;
	int rc = 0;

	(void)stage_line(s, &line);
	s->passes = stage_at_start(s) && header_begins(line);
	if (!s->passes && !p->like.len && !s->inside)
		rc = stage_hand_on_others(s);
	return rc || s->at > at ? rc : stage_each(s, prefix_step);
}

int prefix_init(struct prefix *p, goparse_reader *read, void *ctx)
{
	p->aside = (struct aside){ .read = read, .ctx = ctx };
	return stage_init(&p->stage, prefix_work, aside_read, &p->aside);
}

void prefix_release(struct prefix *p)
{
	stage_release(&p->stage);
	aside_release(&p->aside);
}

int prefix_read(void *prefix, void *buf, size_t len, size_t *got, struct error *err)
{
	struct prefix *p = prefix;
	int rc = stage_read(&p->stage, buf, len, got, err);

	while (!rc && !*got && p->aside.kept.len) {
		rc = prefix_begin_again(p) ? error_nomem(err) : 0;
		rc = rc ? rc : stage_read(&p->stage, buf, len, got, err);
	}
	if (rc || *got || !p->aside.rc)
		return rc;
	*err = p->aside.err;
	return p->aside.rc;
}
