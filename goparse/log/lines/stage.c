/* The window is filled when less than STAGE_AHEAD is left of it, the step's work appends to `out`,
 * and `out` is given away before more is read. */
#include "goparse/log/lines/stage.h"

#include <stdlib.h>
#include <string.h>

int stage_init(struct stage *s, stage_work *work, goparse_reader *read, void *ctx)
{
	*s = (struct stage){
		.work = work, .read = read, .ctx = ctx, .window = malloc(STAGE_WINDOW)
	};
	return s->window ? 0 : ERR_NOMEM;
}

void stage_release(struct stage *s)
{
	free(s->window);
	s->window = NULL;
	buffer_release(&s->out);
	s->at = s->len = s->given = 0;
}

/* Fills the window behind what is left in it. */
static void stage_fill(struct stage *s)
{
	size_t got = 1;

	if (s->at)
		memmove(s->window, s->window + s->at, s->len - s->at);
	s->len -= s->at;
	s->at = 0;
	while (!s->ended && s->len < STAGE_WINDOW) {
		s->rc = s->read(s->ctx, s->window + s->len, STAGE_WINDOW - s->len, &got, &s->err);
		s->ended = s->rc || !got;
		s->len += s->rc ? 0 : got;
	}
}

static int work_on(struct stage *s, struct error *err)
{
	int rc = 0;

	s->out.len = s->given = 0;
	if (!stage_goes_on(s) && !s->ended)
		stage_fill(s);
	if (s->passes)
		rc = stage_hand_on(s, s->len - s->at);
	else if (s->len > s->at)
		rc = s->work(s);
	s->begun = true;
	return rc ? error_nomem(err) : 0;
}

int stage_read(void *stage, void *buf, size_t len, size_t *got, struct error *err)
{
	struct stage *s = stage;
	int rc = 0;

	if (s->passes && s->given == s->out.len && s->at == s->len && !s->ended) {
		stage_release(s); /* nothing of it is needed any more */
		return s->read(s->ctx, buf, len, got, err);
	}
	while (!rc && s->given == s->out.len && !(s->ended && s->at == s->len))
		rc = work_on(s, err);
	*got = 0;
	if (rc)
		return rc;
	if (s->given == s->out.len && s->rc) {
		*err = s->err;
		return s->rc;
	}
	*got = s->out.len - s->given < len ? s->out.len - s->given : len;
	if (*got)
		memcpy(buf, s->out.data + s->given, *got);
	s->given += *got;
	return 0;
}

int stage_each(struct stage *s, stage_work *take)
{
	size_t at = s->at;
	int rc = 0;

	while (!rc && !s->passes && s->at < s->len && (at == s->at || stage_goes_on(s)))
		rc = take(s);
	return rc;
}

bool stage_line(const struct stage *s, struct goparse_text *line)
{
	struct goparse_text rest = stage_rest(s);
	const char *newline = memchr(rest.at, '\n', rest.len);

	*line = rest;
	if (newline)
		line->len = (size_t)(newline - rest.at);
	return newline || s->ended;
}

int stage_hand_on(struct stage *s, size_t len)
{
	if (buffer_add(&s->out, s->window + s->at, len))
		return ERR_NOMEM;
	s->at += len;
	return 0;
}

int stage_hand_on_line(struct stage *s, size_t without)
{
	struct goparse_text line;
	bool whole = stage_line(s, &line);
	size_t len = line.len + (line.len < s->len - s->at); /* the newline */

	s->inside = !whole;
	s->at += without;
	return stage_hand_on(s, len - without);
}

int stage_hand_on_others(struct stage *s)
{
	static const char word[] = "goroutine ";
	struct goparse_text rest = stage_rest(s);
	const char *header = memmem(rest.at, rest.len, word, sizeof(word) - 1), *newline;
	size_t len = header ? (size_t)(header - rest.at) : rest.len;

	newline = len ? memrchr(rest.at, '\n', len) : NULL;
	return newline ? stage_hand_on(s, (size_t)(newline + 1 - rest.at)) : 0;
}
