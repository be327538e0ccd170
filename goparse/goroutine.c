/*
 * A goroutine is a header and a sequence of items: frames (mostly of two lines), the creating
 * frame, a mark for elided frames, the header of an ancestor. It ends at an empty line, at the next
 * header or, once it has its creating frame, at anything that is not an ancestor.
 *
 * Lines in between that are none of these are broken or other output (of another writer to the same
 * file, for example). A run of them is one error, because another writer seldom writes only one
 * line. Other output can also be an empty line within a stack. It is not taken for the end if a
 * frame follows it.
 */
#include "goparse/goroutine.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "goparse/excerpt.h"
#include "goparse/frame.h"
#include "goparse/text.h"

enum { ANCESTORS_MAX = GOPARSE_FRAMES_MAX / 8 };

/* What reading an item resulted in. ERR_NOMEM is negative. */
enum item {
	ITEM_TAKEN,
	ITEM_OTHER,   /* the line is not of this kind */
	ITEM_STRANGE, /* a line of other output was skipped */
	ITEM_END,     /* the goroutine has ended; the line is not part of it */
	ITEM_MORE,
};

struct goroutine_reading {
	struct goroutine_room *room;
	struct dumplines *l;
	struct goparse_stack *stack; /* the goroutine's, or the last ancestor's */
	bool created;		     /* the stack has its creating frame: it is complete */
	bool strange;		     /* the line before was other output */
};

void goroutine_error(struct goparse_stats *stats, const struct dumplines *l, const char *expected)
{
	static const struct goparse_text end = { LITERAL("(end of input)") };

	if (stats->error_count < GOPARSE_ERRORS_KEPT) {
		struct goparse_error *e = &stats->errors[stats->error_count];

		e->line = l->number;
		e->expected = expected;
		excerpt(l->have == LINES_LINE ? l->line : end, e->text, sizeof(e->text));
	}
	stats->error_count++;
}

static void complain(struct goroutine_reading *r, const char *expected)
{
	goroutine_error(r->room->stats, r->l, expected);
}

/* Frames. */

static int goroutine_add_frame(struct goroutine_reading *r, const struct goparse_frame *frame)
{
	struct goroutine_room *room = r->room;

	if (room->frame_count == GOPARSE_FRAMES_MAX) {
		if (!room->g.cut)
			complain(r, "no more frames");
		room->g.cut = true;
		return ITEM_TAKEN;
	}
	if (room_for((void **)&room->frames, &room->frame_room, room->frame_count + 1,
		     sizeof(*room->frames)))
		return ERR_NOMEM;
	room->frames[room->frame_count++] = *frame;
	r->stack->count++;
	return ITEM_TAKEN;
}

/* Reads the second line of a frame with a known function. `first` is its first line, for the case
 * of a C frame. If no place follows, the first line was other output. ITEM_TAKEN, ITEM_OTHER or
 * ITEM_MORE. */
static int read_place(struct goroutine_reading *r, struct goparse_text first,
		      struct goparse_frame *frame)
{
	static const char expected[] = "a tab, FILE:LINE";

	dumplines_next(r->l);
	if (r->l->have == LINES_MORE)
		return ITEM_MORE;
	if (r->l->have == LINES_LINE && frame_place(first, r->l->line, frame)) {
		dumplines_next(r->l);
		return ITEM_TAKEN;
	}
	if (!r->strange)
		complain(r, expected);
	if (r->l->have == LINES_END)
		return ITEM_TAKEN;
	if (!r->l->line.len || r->l->line.at[0] != '\t')
		return ITEM_OTHER;
	dumplines_next(r->l);
	return ITEM_TAKEN;
}

static int goroutine_read_call(struct goroutine_reading *r)
{
	struct goparse_frame frame;
	int rc;

	if (!frame_call(r->l->line, &frame))
		return ITEM_OTHER;
	rc = read_place(r, r->l->line, &frame);
	if (rc == ITEM_OTHER)
		return ITEM_STRANGE;
	return rc == ITEM_TAKEN ? goroutine_add_frame(r, &frame) : rc;
}

/* A C frame is recognized by its second line. */
static int read_foreign(struct goroutine_reading *r)
{
	struct dumplines second = *r->l;
	struct goparse_frame frame;

	if (frame_unknown(r->l->line, &frame)) {
		dumplines_next(r->l);
		return goroutine_add_frame(r, &frame);
	}
	dumplines_next(&second);
	if (second.have == LINES_MORE)
		return ITEM_MORE;
	if (second.have != LINES_LINE || !frame_foreign(r->l->line, second.line, &frame))
		return ITEM_OTHER;
	*r->l = second;
	dumplines_next(r->l);
	return goroutine_add_frame(r, &frame);
}

/* Reads the creating frame. Its place may be missing. */
static int read_creator(struct goroutine_reading *r)
{
	struct goparse_frame frame;
	uint64_t creator;
	int rc;

	if (!frame_created_by(r->l->line, &frame, &creator))
		return ITEM_OTHER;
	rc = read_place(r, frame.function, &frame);
	if (rc == ITEM_MORE)
		return rc;
	r->stack->created_by = frame;
	r->stack->created_in = creator;
	r->created = true;
	return ITEM_TAKEN;
}

/* Marks. */

static int read_elided(struct goroutine_reading *r)
{
	uint64_t count;

	if (!frame_elided(r->l->line, &count))
		return ITEM_OTHER;
	if (r->stack->elided)
		complain(r, "frames to be elided once");
	else
		r->stack->elided_at = r->stack->count;
	r->stack->elided = true;
	if (__builtin_add_overflow(r->stack->elided_count, count, &r->stack->elided_count))
		r->stack->elided_count = UINT64_MAX;
	dumplines_next(r->l);
	return ITEM_TAKEN;
}

static int read_unavailable(struct goroutine_reading *r)
{
	struct goparse_text t = r->l->line;

	text_take(&t, LITERAL("\t"));
	if (!text_is(t, LITERAL("goroutine running on other thread; stack unavailable")))
		return ITEM_OTHER;
	r->stack->unavailable = true;
	dumplines_next(r->l);
	return ITEM_TAKEN;
}

/* Ancestors. */

/* After an ancestor's header that cannot be read, the goroutine ends: the frames that follow belong
 * to no known goroutine. */
static int read_ancestor(struct goroutine_reading *r)
{
	struct goroutine_room *room = r->room;
	size_t count = room->g.ancestor_count;
	uint64_t id;

	if (!header_ancestor_begins(r->l->line))
		return ITEM_OTHER;
	if (!header_ancestor(r->l->line, &id) || count == ANCESTORS_MAX) {
		complain(r, "[originating from goroutine ID]:");
		dumplines_next(r->l);
		return ITEM_END;
	}
	dumplines_next(r->l);
	if (room_for((void **)&room->ancestors, &room->ancestor_room, count + 1,
		     sizeof(*room->ancestors)))
		return ERR_NOMEM;
	r->stack = &room->ancestors[count];
	*r->stack = (struct goparse_stack){ .id = id };
	r->created = false;
	room->g.ancestor_count++;
	return ITEM_TAKEN;
}

/* The end. */

/* True for the outermost frame of a goroutine without a creator, or of a thread. Frames that
 * follow it behind an empty line belong to another goroutine, whose header was lost. */
static bool is_outermost(const struct goparse_frame *frame)
{
	struct goparse_text f = frame->function;

	return text_is(f, LITERAL("main.main")) || text_is(f, LITERAL("runtime.main")) ||
	       text_is(f, LITERAL("runtime.goexit")) || text_is(f, LITERAL("runtime.mstart"));
}

/* True if a frame or the second line of one is here. *more: that cannot be decided yet. */
static bool goroutine_goes_on(struct dumplines ahead, bool *more)
{
	struct goparse_text first = ahead.line;
	struct goparse_frame frame;
	uint64_t creator;

	*more = ahead.have == LINES_MORE;
	if (ahead.have != LINES_LINE)
		return false;
	if (first.len && first.at[0] == '\t')
		return frame_place(first, first, &frame);
	if (!frame_call(first, &frame) && !frame_created_by(first, &frame, &creator))
		return false;
	dumplines_next(&ahead);
	*more = ahead.have == LINES_MORE;
	return ahead.have == LINES_LINE && frame_place(first, ahead.line, &frame);
}

/* Reads an empty line: the end, or other output if the stack goes on behind it. */
static int read_empty(struct goroutine_reading *r)
{
	struct goroutine_room *room = r->room;
	bool more = false;

	dumplines_next(r->l);
	if (r->created || (r->stack->count && is_outermost(&room->frames[room->frame_count - 1])))
		return ITEM_END;
	if (!goroutine_goes_on(*r->l, &more))
		return more ? ITEM_MORE : ITEM_END;
	if (!r->strange)
		complain(r, "no empty line within a stack");
	return ITEM_TAKEN;
}

/* After a creating frame, other output can stand before the next ancestor. */
static int read_behind(struct goroutine_reading *r)
{
	enum { LINES_MAX = 16 };
	struct dumplines ahead = *r->l;
	struct goparse_text header;

	for (int i = 0; i < LINES_MAX && ahead.have == LINES_LINE && ahead.line.len &&
			!header_find(ahead.line, &header);
	     i++) {
		if (header_ancestor_begins(ahead.line)) {
			complain(r, "[originating from goroutine ID]:");
			*r->l = ahead;
			return ITEM_STRANGE;
		}
		dumplines_next(&ahead);
	}
	return ahead.have == LINES_MORE ? ITEM_MORE : ITEM_END;
}

/* True for "rax    0xfffffffffffffffc", as dumpregs prints it (src/runtime/signal_amd64.go). */
static bool is_register(struct goparse_text line)
{
	uint64_t value;

	return text_take_hex_end(&line, &value) && text_take_end(&line, LITERAL(" ")) && line.len &&
	       line.len < 10 && line.at[0] >= 'a' && line.at[0] <= 'z';
}

/* True for lines that the go command and the runtime write directly behind a stack. */
static bool goroutine_ends(struct goparse_text line)
{
	return is_register(line) || text_starts(line, LITERAL("exit status ")) ||
	       text_is(line, LITERAL("runtime stack:"));
}

/* Reads an item that begins with fixed text. A function's name can begin with the same letter. */
static int read_marked(struct goroutine_reading *r)
{
	int rc;

	switch (r->l->line.at[0]) {
	case 'g':
		rc = read_unavailable(r);
		/* A header ends the goroutine, even a broken one. */
		return rc == ITEM_OTHER && header_begins(r->l->line) ? ITEM_END : rc;
	case '\t':
		return read_unavailable(r);
	case 'c':
		return read_creator(r);
	case '.':
		return read_elided(r);
	case '[':
		return read_ancestor(r);
	default:
		return ITEM_OTHER;
	}
}

static int goroutine_read_line(struct goroutine_reading *r)
{
	struct goparse_text header;
	int rc = read_marked(r);

	if (rc == ITEM_OTHER)
		rc = goroutine_read_call(r);
	if (rc == ITEM_OTHER)
		rc = read_foreign(r);
	if (rc != ITEM_OTHER)
		return rc;
	if (goroutine_ends(r->l->line) || header_find(r->l->line, &header))
		return ITEM_END;
	if (!r->strange)
		complain(r, "a function call");
	dumplines_next(r->l);
	return ITEM_STRANGE;
}

static int read_item(struct goroutine_reading *r)
{
	int rc;

	if (!r->l->line.len)
		return read_empty(r);
	if (r->created) {
		rc = read_ancestor(r);
		return rc == ITEM_OTHER ? read_behind(r) : rc;
	}
	rc = goroutine_read_line(r);
	r->strange = rc == ITEM_STRANGE;
	return rc;
}

static int read_items(struct goroutine_reading *r, enum goroutine_found *found)
{
	int rc = ITEM_TAKEN;

	while ((rc == ITEM_TAKEN || rc == ITEM_STRANGE) && r->l->have == LINES_LINE)
		rc = read_item(r);
	*found = rc == ITEM_MORE || (rc != ITEM_END && r->l->have == LINES_MORE) ? GOROUTINE_MORE :
										   GOROUTINE_WHOLE;
	return rc < 0 ? rc : 0;
}

/* Sets the frames of each stack, now that the array does not move any more. */
static void place_frames(struct goroutine_room *room)
{
	const struct goparse_frame *next = room->frames;

	room->g.stack.frames = next;
	next += room->g.stack.count;
	for (size_t i = 0; i < room->g.ancestor_count; i++) {
		room->ancestors[i].frames = next;
		next += room->ancestors[i].count;
	}
	room->g.ancestors = room->ancestors;
}

int goroutine_read(struct goroutine_room *room, struct dumplines *l, enum goroutine_found *found)
{
	struct goroutine_reading r = { .room = room, .l = l, .stack = &room->g.stack };
	struct goparse_text first;
	enum header_found header;
	int rc;

	room->g = (struct goparse_goroutine){ .line = l->number };
	room->frame_count = 0;
	*found = GOROUTINE_NONE;
	header_find(l->line, &first);
	rc = header_parse(first, &room->g, &room->header, &header);
	if (!rc && header != HEADER_WHOLE)
		complain(&r, header == HEADER_NONE ? "goroutine ID [STATE]:" : "a known attribute");
	dumplines_next(l);
	if (!rc && header != HEADER_NONE)
		rc = read_items(&r, found);
	if (!rc && *found == GOROUTINE_WHOLE)
		place_frames(room);
	if (l->have == LINES_END && l->end[-1] != '\n')
		room->stats->cut = true;
	return rc;
}

void goroutine_release(struct goroutine_room *room)
{
	free(room->frames);
	free(room->ancestors);
	header_release(&room->header);
	room->frames = NULL;
	room->ancestors = NULL;
}
