/* Each step is a goparse_reader whose source is the step before, so the last one pulls the input
 * through all. Afterwards each tells what it did, for the user. */
#include "goparse/log/unlog.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "goparse/log/steps.h"

struct unlog {
	struct charset charset;
	struct signs signs;
	struct pieces pieces;
	struct csv csv;
	struct quoted outer, inner;
	struct joined joined;
	struct prefix prefix;
	struct spaced spaced;
	struct order order;
};

int unlog_new(struct unlog **u, goparse_reader *read, void *ctx, struct error *err)
{
	struct unlog *new = calloc(1, sizeof(*new));

	*u = new;
	if (new && !stage_init(&new->charset.stage, charset_work, read, ctx) &&
	    !stage_init(&new->signs.stage, signs_work, stage_read, &new->charset) &&
	    !stage_init(&new->pieces.stage, pieces_work, stage_read, &new->signs) &&
	    !stage_init(&new->csv.stage, csv_work, stage_read, &new->pieces) &&
	    !stage_init(&new->outer.stage, quoted_work, stage_read, &new->csv) &&
	    !stage_init(&new->inner.stage, quoted_work, stage_read, &new->outer) &&
	    !stage_init(&new->joined.stage, joined_work, stage_read, &new->inner) &&
	    !prefix_init(&new->prefix, stage_read, &new->joined) &&
	    !stage_init(&new->spaced.stage, spaced_work, prefix_read, &new->prefix) &&
	    !stage_init(&new->order.stage, order_work, stage_read, &new->spaced))
		return 0;
	unlog_free(new);
	*u = NULL;
	return error_nomem(err);
}

void unlog_free(struct unlog *u)
{
	if (!u)
		return;
	stage_release(&u->charset.stage);
	stage_release(&u->signs.stage);
	pieces_release(&u->pieces);
	stage_release(&u->csv.stage);
	stage_release(&u->outer.stage);
	stage_release(&u->inner.stage);
	stage_release(&u->joined.stage);
	prefix_release(&u->prefix);
	stage_release(&u->spaced.stage);
	stage_release(&u->order.stage);
	free(u);
}

int unlog_read(void *unlog, void *buf, size_t len, size_t *got, struct error *err)
{
	return order_read(&((struct unlog *)unlog)->order, buf, len, got, err);
}

struct unlog_telling {
	char *text;
	size_t len, room;
};

/* Appends what was done, and the text of the input that it was done to, if there is any. */
static void unlog_tell_of(struct unlog_telling *t, const char *what, const char *text, size_t len)
{
	const char *quote = len ? "'" : "";
	int n = t->len < t->room ?
			snprintf(t->text + t->len, t->room - t->len, "%s%s%s%.*s%s",
				 t->len ? "; " : "", what, quote, (int)len, text, quote) :
			0;

	t->len += n > 0 ? (size_t)n : 0;
}

static void tell_charset(struct unlog_telling *t, const struct charset *c)
{
	if (c->is == CHARSET_RETURNS)
		unlog_tell_of(t, "carriage returns read as ends of lines", "", 0);
	else if (c->is != CHARSET_PLAIN)
		unlog_tell_of(t, c->width == 4 ? "read as UTF-32" : "read as UTF-16", "", 0);
}

static void tell_signs(struct unlog_telling *t, const struct signs *g)
{
	if (g->told && g->entities)
		unlog_tell_of(t, "HTML's entities undone", "", 0);
	else if (g->told && (g->spaces || g->latin))
		unlog_tell_of(t, "no-break spaces read as blanks", "", 0);
	if (g->told && g->colours)
		unlog_tell_of(t, "colours taken out", "", 0);
}

static void tell_pieces(struct unlog_telling *t, const struct unlog *u)
{
	char left_out[64];

	if (u->pieces.used || u->outer.pieces || u->inner.pieces)
		unlog_tell_of(t, "pieces of lines joined", "", 0);
	if (!u->pieces.left_out)
		return;
	snprintf(left_out, sizeof(left_out), "lines between them left out: %lu",
		 u->pieces.left_out);
	unlog_tell_of(t, left_out, "", 0);
}

static void tell_csv(struct unlog_telling *t, const struct csv *c)
{
	char column[48];

	snprintf(column, sizeof(column), "read from column %u of CSV", c->column + 1);
	if (c->delimiter)
		unlog_tell_of(t, column, "", 0);
}

static void tell_quoted(struct unlog_telling *t, const struct quoted *q)
{
	if (q->listed)
		unlog_tell_of(t, "a list of strings read as lines", "", 0);
	else if (q->used)
		unlog_tell_of(t, q->key_len ? "escapes undone in " : "escapes undone", q->key,
			      q->key_len);
}

static void tell_joined(struct unlog_telling *t, const struct joined *j)
{
	if (j->used && joined_is_lines(j))
		unlog_tell_of(t, "taken off the end of each line: ", j->end, j->end_len - 1);
	else if (j->used)
		unlog_tell_of(t,
			      j->end_len ? "lines taken apart that were joined by " :
					   "lines taken apart that were joined by blanks",
			      j->end, j->end_len);
}

static void tell_prefix(struct unlog_telling *t, const struct prefix *p)
{
	char left_out[64];

	if (p->first.len)
		unlog_tell_of(t, "taken off each line: ", p->first.text, p->first.len);
	if (p->then.len)
		unlog_tell_of(t, "then: ", p->then.text, p->then.len);
	if (!p->lost_count && !p->aside.left_out)
		return;
	snprintf(left_out, sizeof(left_out), "lines of other dumps left out: %lu%s",
		 p->lost_count + p->aside.left_out, p->lost.len ? ", such as behind " : "");
	unlog_tell_of(t, left_out, p->lost.text, p->lost.len);
}

bool unlog_tell(const struct unlog *u, char *text, size_t room)
{
	struct unlog_telling t = { text, 0, room };

	tell_charset(&t, &u->charset);
	tell_signs(&t, &u->signs);
	tell_pieces(&t, u);
	tell_csv(&t, &u->csv);
	tell_quoted(&t, &u->outer);
	tell_quoted(&t, &u->inner);
	tell_joined(&t, &u->joined);
	tell_prefix(&t, &u->prefix);
	if (u->spaced.is)
		unlog_tell_of(&t, "the empty line behind each line taken out", "", 0);
	return t.len;
}

bool unlog_clue(const struct unlog *u, char *text, size_t room)
{
	static const char *const says[] = {
		[SIGNS_ODD] =
			"where the header does not end its line: give each line of the dump its own",
		[SIGNS_PERCENT] = "which is encoded for a URL: decode it first",
		[SIGNS_BASE64] = "which is base64: `base64 -d` decodes it",
	};
	const struct signs *g = &u->signs;

	if (!g->clue)
		return false;
	snprintf(text, room, "line %lu has '%s', %s", g->line, g->excerpt, says[g->clue]);
	return true;
}
