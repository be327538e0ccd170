/*
 * The last step of unlog.h: detects a dump whose lines stand in the opposite order, newest first,
 * as Kibana, Loki and `gcloud logging read` export them. Read as it stands, each goroutine would
 * have the frames of another one. To turn it, all of it would have to be in memory: the user is
 * told instead. Bytes are never changed.
 *
 * In such a dump a header stands behind a call and before a place; or a place, the creator's line,
 * its place and a call stand behind each other.
 */
#include "goparse/log/steps.h"

#include "goparse/dumplines.h"
#include "goparse/frame.h"
#include "goparse/header.h"
#include "goparse/text.h"

static bool order_is_call(struct goparse_text line)
{
	struct goparse_frame frame;

	return frame_call(line, &frame);
}

/* A place, also behind what a log writes before it. */
static bool order_is_place(struct goparse_text line)
{
	struct goparse_frame frame;
	const char *tab = line.len ? memrchr(line.at, '\t', line.len) : NULL;

	if (tab)
		line = (struct goparse_text){ tab, line.len - (size_t)(tab - line.at) };
	return frame_place(line, line, &frame);
}

static bool is_creator(struct goparse_text line)
{
	struct goparse_frame frame;
	uint64_t creator;

	return frame_created_by(line, &frame, &creator);
}

static bool order_take(struct dumplines *l, bool is(struct goparse_text line))
{
	bool good = l->have == LINES_LINE && is(l->line);

	dumplines_next(l);
	return good;
}

/* The header is in the window's first line. */
static bool is_newest_first(const struct order *o)
{
	struct goparse_text rest = stage_rest(&o->stage);
	struct dumplines l;
	bool place;

	dumplines_init(&l, rest.at, rest.len, !o->stage.ended, 1);
	dumplines_next(&l);
	while (l.have == LINES_LINE && !l.line.len)
		dumplines_next(&l);
	place = l.have == LINES_END || (l.have == LINES_LINE && order_is_place(l.line));
	if (place && o->call && o->place)
		return true;
	return order_take(&l, order_is_place) && order_take(&l, is_creator) &&
	       order_take(&l, order_is_place) && order_take(&l, order_is_call);
}

static int order_take_line(struct stage *s)
{
	struct order *o = (struct order *)s; /* its first member */
	struct goparse_text line, header;

	(void)stage_line(s, &line);
	text_trim_end(&line);
	if (!s->inside && header_find(line, &header)) {
		o->newest_first = is_newest_first(o);
		s->passes = true;
		return 0;
	}
	if (!s->inside) {
		o->place = o->before;
		o->call = order_is_call(line);
		o->before = order_is_place(line);
	}
	return stage_hand_on_line(s, 0);
}

int order_work(struct stage *s)
{
	return stage_each(s, order_take_line);
}

int order_read(void *order, void *buf, size_t len, size_t *got, struct error *err)
{
	struct order *o = order;
	int rc = stage_read(&o->stage, buf, len, got, err);

	if (!o->newest_first)
		return rc;
	*got = 0;
	return error_set(
		err, ERR_FORMAT,
		"the lines of the dump stand in the opposite order, the newest first: `tac` turns "
		"them");
}
