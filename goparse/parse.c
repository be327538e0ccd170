/*
 * Reads the input through a window.
 *
 * The window holds a whole goroutine, so that its texts can point into it. If a goroutine goes on
 * behind the window's end, the bytes before the goroutine are dropped, more are read, and it is
 * parsed again from its header. With a window of 128 KiB this is rare, and no other code has to
 * stop in the middle of a goroutine. A goroutine longer than GOPARSE_TEXT_MAX is cut.
 *
 * Rejected: mmap (a file that is truncated meanwhile kills the reader, and a pipe cannot be
 * mapped), and a parser that gets one line at a time (it would have to copy names, or require that
 * lines stay in memory).
 */
#include "base/room.h"
#include "goparse/goparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "goparse/goroutine.h"
#include "goparse/text.h"

enum { WINDOW = 128 << 10 };

struct goparse {
	struct goroutine_room room;
	struct goparse_stats stats;
	char *window; /* owned; NULL until something is streamed */
	size_t window_room;
};

/* The part of the input that is in memory. */
struct parse_piece {
	const char *at, *end; /* the bytes not parsed yet */
	bool more;	      /* the input goes on behind it */
	bool inside;	      /* the beginning of the first line was dropped: the rest is skipped */
	bool dashes, relayed; /* "-----"; what follows is relayed (struct goparse_goroutine) */
	uint64_t number;      /* of the first line */
	goparse_callback *each;
	void *ctx;
	struct error *err;
};

int goparse_new(struct goparse **p, struct error *err)
{
	*p = calloc(1, sizeof(**p));
	if (!*p)
		return error_nomem(err);
	(*p)->room.stats = &(*p)->stats;
	return 0;
}

void goparse_free(struct goparse *p)
{
	if (!p)
		return;
	goroutine_release(&p->room);
	free(p->window);
	free(p);
}

const struct goparse_stats *goparse_stats(const struct goparse *p)
{
	return &p->stats;
}

static void parse_begin(struct goparse *p)
{
	p->stats.cut = false;
	p->stats.lines = p->stats.bytes = p->stats.goroutines = p->stats.error_count = 0;
}

/* Marks what is before the current line as parsed. */
static void parse_pass(struct parse_piece *piece, const struct dumplines *l)
{
	piece->at = l->start;
	piece->number = l->number;
}

/* Skips the rest of a line that lost its beginning, as far as the rest is in memory. */
static void pass_rest_of_line(struct parse_piece *piece)
{
	const char *newline = piece->at < piece->end ?
				      memchr(piece->at, '\n', (size_t)(piece->end - piece->at)) :
				      NULL;

	piece->inside = !newline;
	piece->number += newline != NULL;
	piece->at = newline ? newline + 1 : piece->end;
}

/* A crashing process prints this line and a signal between its dump and what its other threads
 * print (runtime/signal_unix.go, sighandler). */
#define DASHES "-----"

static void note_crash(struct parse_piece *piece, struct goparse_text line)
{
	bool signal = text_starts(line, LITERAL("SIG"));

	if (signal || text_starts(line, LITERAL("panic: ")) ||
	    text_starts(line, LITERAL("fatal error: ")))
		piece->relayed = signal && piece->dashes;
	if (line.len)
		piece->dashes = text_is(line, LITERAL(DASHES));
}

/* Skips other output, up to a header. */
static void pass_text(struct parse_piece *piece, struct dumplines *l)
{
	struct goparse_text header;

	dumplines_init(l, piece->at, (size_t)(piece->end - piece->at), piece->more, piece->number);
	while (l->have == LINES_LINE && !header_find(l->line, &header)) {
		note_crash(piece, l->line);
		dumplines_next(l);
	}
	parse_pass(piece, l);
}

/* The id of the goroutine that follows, but for some lines. *more: the piece ends before it. */
static uint64_t parse_find_next(const struct parse_piece *piece, struct dumplines l, bool *more)
{
	enum { LINES_MAX = 16 };
	struct goparse_text header;

	for (int i = 0; i < LINES_MAX && l.have == LINES_LINE; i++) {
		if (header_find(l.line, &header))
			return header_id(header);
		if (text_is(l.line, LITERAL(DASHES)))
			return 0;
		dumplines_next(&l);
	}
	*more = l.have == LINES_MORE && piece->end - l.start < HEADER_PREFIX_MAX &&
		piece->end - piece->at < GOPARSE_TEXT_MAX / 2;
	return 0;
}

/* Parses the goroutine at a header and passes it to the callback. *more: it does not end in the
 * piece. */
static int parse_take(struct goparse *p, struct parse_piece *piece, struct dumplines *l, bool *more)
{
	uint64_t errors = p->stats.error_count;
	enum goroutine_found found;
	int rc = goroutine_read(&p->room, l, &found);

	if (rc)
		return error_nomem(piece->err);
	*more = found == GOROUTINE_MORE;
	if (found == GOROUTINE_WHOLE)
		p->room.g.next = parse_find_next(piece, *l, more);
	if (*more) {
		p->stats.error_count = errors;
		return 0;
	}
	parse_pass(piece, l);
	if (found == GOROUTINE_NONE)
		return 0;
	p->stats.goroutines++;
	p->room.g.relayed = piece->relayed;
	return piece->each(piece->ctx, &p->room.g, piece->err);
}

/* Parses all goroutines that end in the piece, and skips other output. */
static int parse_take_all(struct goparse *p, struct parse_piece *piece)
{
	struct dumplines l;
	bool more = false;
	int rc = 0;

	if (piece->inside)
		pass_rest_of_line(piece);
	while (!rc && !more) {
		pass_text(piece, &l);
		if (l.have != LINES_LINE)
			break;
		rc = parse_take(p, piece, &l, &more);
	}
	p->stats.lines = piece->number - 1;
	return rc;
}

int goparse_memory(struct goparse *p, const void *data, size_t len, goparse_callback *each,
		   void *ctx, struct error *err)
{
	struct parse_piece piece = { .at = data,
				     .end = (const char *)data + len,
				     .number = 1,
				     .each = each,
				     .ctx = ctx,
				     .err = err };

	parse_begin(p);
	p->stats.bytes = len;
	return len ? parse_take_all(p, &piece) : 0;
}

/* Streaming. */

/* A goroutine fills the window: its whole lines there are parsed. If there is none, the window is
 * skipped. */
static int cut_short(struct goparse *p, struct parse_piece *piece)
{
	const char *newline = memrchr(piece->at, '\n', (size_t)(piece->end - piece->at));
	struct dumplines l;
	enum goroutine_found found = GOROUTINE_NONE;
	int rc = 0;

	dumplines_init(&l, piece->at, (size_t)((newline ? newline + 1 : piece->end) - piece->at),
		       false, piece->number);
	goroutine_error(&p->stats, &l, "a goroutine of at most 1 MiB");
	if (newline)
		rc = goroutine_read(&p->room, &l, &found);
	if (rc)
		return error_nomem(piece->err);
	if (newline) {
		parse_pass(piece, &l);
	} else {
		piece->at = piece->end;
		piece->inside = true;
	}
	if (found != GOROUTINE_WHOLE)
		return 0;
	p->room.g.cut = true;
	p->stats.goroutines++;
	return piece->each(piece->ctx, &p->room.g, piece->err);
}

/* Skips a line that is not a header, as far as it is in memory, so that it may be of any length. */
static void pass_foreign_line(struct parse_piece *piece)
{
	struct goparse_text line = { piece->at, (size_t)(piece->end - piece->at) };

	if (header_may_follow(line))
		return;
	piece->at = piece->end;
	piece->inside = true;
}

/* Moves what is not parsed yet to the window's beginning and makes room behind it. */
static int parse_make_room(struct goparse *p, struct parse_piece *piece)
{
	size_t left;
	int rc = 0;

	pass_foreign_line(piece);
	left = (size_t)(piece->end - piece->at);
	if (left == GOPARSE_TEXT_MAX) {
		rc = cut_short(p, piece);
		left = (size_t)(piece->end - piece->at);
	}
	if (left)
		memmove(p->window, piece->at, left);
	if (!rc && left == p->window_room &&
	    room_for((void **)&p->window, &p->window_room, left ? left + 1 : WINDOW, 1))
		rc = error_nomem(piece->err);
	piece->at = p->window;
	piece->end = p->window + left;
	return rc;
}

/* Fills the whole window: after short reads, goroutines would be parsed again and again. */
static int parse_fill(struct goparse *p, struct parse_piece *piece, goparse_reader *read,
		      void *read_ctx)
{
	size_t got = 1;
	int rc = 0;

	while (!rc && got && piece->end < p->window + p->window_room) {
		rc = read(read_ctx, (char *)piece->end,
			  (size_t)(p->window + p->window_room - piece->end), &got, piece->err);
		got = rc ? 0 : got;
		piece->end += got;
		p->stats.bytes += got;
	}
	piece->more = got;
	return rc;
}

/* What was read before the reader failed is parsed all the same. */
int goparse_stream(struct goparse *p, goparse_reader *read, void *read_ctx, goparse_callback *each,
		   void *ctx, struct error *err)
{
	struct parse_piece piece = { .at = p->window,
				     .end = p->window,
				     .more = true,
				     .number = 1,
				     .each = each,
				     .ctx = ctx,
				     .err = err };
	int rc = 0, read_rc = 0;

	parse_begin(p);
	while (!rc && piece.more) {
		rc = parse_make_room(p, &piece);
		if (!rc)
			read_rc = parse_fill(p, &piece, read, read_ctx);
		if (!rc)
			rc = parse_take_all(p, &piece);
	}
	return rc ? rc : read_rc;
}
