/*
 * A step of unlog.h: joins the pieces of lines in the files of a Kubernetes node, which CRI
 * defines: "2024-05-05T12:00:00.1Z stderr P goroutine 1 [run", and behind it "… stderr F ning]:".
 * containerd cuts long lines, and conmon what a write has ended with. Lines of the other stream
 * that stand between wait in a buffer with a bound and are handed on behind.
 *
 * It works on an input only if one of its first lines is such a line. The first piece is handed on
 * with its prefix and without its newline, the next ones without both.
 */
#include "goparse/log/steps.h"

#include <string.h>

#include "goparse/dumplines.h"
#include "goparse/text.h"

enum { LINES_SEEN = 8, TIME_MAX = 40 };

/* "2024-05-05T12:00:00.1Z stderr P text" (CRI, kubernetes/kubernetes
 * pkg/kubelet/kuberuntime/logs). */
struct pieces_entry {
	struct goparse_text before, text; /* up to the blank behind the stream */
	char stream;			  /* 'o' or 'e' */
	bool partial;
};

static bool take_time(struct goparse_text *line)
{
	const char *blank = memchr(line->at, ' ', line->len < TIME_MAX ? line->len : TIME_MAX);

	if (!blank || blank - line->at < 20 || text_digit(line->at[0]) >= 10 ||
	    line->at[4] != '-' || line->at[10] != 'T')
		return false;
	return text_take(line, line->at, (size_t)(blank + 1 - line->at));
}

static bool pieces_parse(struct goparse_text line, struct pieces_entry *e)
{
	struct goparse_text rest = line;
	const char *blank;

	if (!take_time(&rest) || !text_take(&rest, LITERAL("std")) || !rest.len)
		return false;
	e->stream = rest.at[0];
	if (!text_take(&rest, LITERAL("out ")) && !text_take(&rest, LITERAL("err ")))
		return false;
	e->before = (struct goparse_text){ line.at, (size_t)(rest.at - line.at) };
	e->partial = text_starts(rest, LITERAL("P"));
	if (!e->partial && !text_starts(rest, LITERAL("F")))
		return false;
	blank = memchr(rest.at, ' ', rest.len);
	if (rest.len > 1 && rest.at[1] != ' ' && rest.at[1] != ':')
		return false;
	e->text = (struct goparse_text){ rest.at + rest.len, 0 };
	if (blank)
		e->text = (struct goparse_text){ blank + 1,
						 (size_t)(rest.at + rest.len - blank) - 1 };
	return true;
}

static int pieces_put(struct pieces *p, struct goparse_text text)
{
	return buffer_add(&p->stage.out, text.at, text.len);
}

static int put_newline(struct pieces *p)
{
	return buffer_add(&p->stage.out, "\n", p->newline);
}

static int put_aside(struct pieces *p, struct goparse_text line)
{
	if (line.len >= PIECES_ASIDE_MAX - p->between.len) {
		p->left_out++;
		return 0;
	}
	return buffer_add(&p->between, line.at, line.len) || buffer_add(&p->between, "\n", 1) ?
		       ERR_NOMEM :
		       0;
}

/* The first piece is handed on as if it were a whole line. */
static int put_first(struct pieces *p, struct goparse_text line, const struct pieces_entry *e)
{
	if (!e->partial)
		return pieces_put(p, line) || put_newline(p) ? ERR_NOMEM : 0;
	p->used = true;
	p->open = e->stream;
	return pieces_put(p, e->before) || buffer_add(&p->stage.out, "F ", 2) ||
			       pieces_put(p, e->text) ?
		       ERR_NOMEM :
		       0;
}

static int put_next(struct pieces *p, const struct pieces_entry *e)
{
	if (pieces_put(p, e->text) || (!e->partial && put_newline(p)))
		return ERR_NOMEM;
	p->open = e->partial ? p->open : 0;
	return 0;
}

static int pieces_put_line(struct pieces *p, struct goparse_text line)
{
	struct pieces_entry e = { 0 };
	bool is = pieces_parse(line, &e);

	if (!p->open)
		return put_first(p, line, &e);
	return is && e.stream == p->open ? put_next(p, &e) : put_aside(p, line);
}

/* Hands on the lines that came between the pieces of a line that has ended. */
static int put_between(struct pieces *p)
{
	struct buffer lines = p->between;
	struct goparse_text rest = { (char *)lines.data, lines.len }, line;
	int rc = 0;

	p->between = (struct buffer){ 0 };
	while (!rc && rest.len) {
		line = (struct goparse_text){
			rest.at, (size_t)((char *)memchr(rest.at, '\n', rest.len) - rest.at)
		};
		text_take(&rest, rest.at, line.len + 1);
		rc = pieces_put_line(p, line);
	}
	buffer_release(&lines);
	return rc;
}

static int pieces_take_line(struct stage *s)
{
	struct pieces *p = (struct pieces *)s; /* its first member */
	struct goparse_text line;
	struct pieces_entry e;
	int rc;

	if (!stage_line(s, &line) || s->inside ||
	    (!p->open && !(pieces_parse(line, &e) && e.partial)))
		return stage_hand_on_line(s, 0);
	p->newline = line.len < s->len - s->at;
	s->at += line.len + p->newline;
	text_take_end(&line, LITERAL("\r"));
	rc = pieces_put_line(p, line);
	p->newline = true;
	return rc || p->open || !p->between.len ? rc : put_between(p);
}

static bool pieces_begins(const struct stage *s)
{
	struct goparse_text rest = stage_rest(s);
	struct pieces_entry e;

	struct dumplines l;

	dumplines_init(&l, rest.at, rest.len, !s->ended, 1);
	for (int i = 0; i < LINES_SEEN && l.have == LINES_LINE; i++) {
		if (pieces_parse(l.line, &e))
			return true;
		dumplines_next(&l);
	}
	return false;
}

int pieces_work(struct stage *s)
{
	struct pieces *p = (struct pieces *)s;
	int rc;

	s->passes = stage_at_start(s) && !pieces_begins(s);
	rc = stage_each(s, pieces_take_line);
	/* The input ends within a line of pieces. */
	while (!rc && s->ended && s->at == s->len && p->between.len) {
		p->open = 0;
		rc = buffer_add(&s->out, "\n", 1) ? ERR_NOMEM : put_between(p);
	}
	return rc;
}

void pieces_release(struct pieces *p)
{
	stage_release(&p->stage);
	buffer_release(&p->between);
}
