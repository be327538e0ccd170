/* Writes the frames that goparse/summary/telling.h chooses, as many as fit. The first loses its
 * middle if the line is too narrow for it; the others are written whole or not at all. */
#include "cli/goparse/where.h"

#include "base/buffer.h"
#include "goparse/excerpt.h"
#include "goparse/summary/telling.h"
#include "pprof/graph/text.h"

enum { PIECES = 5, NAME_MAX_SHOWN = 4096 /* bytes */ };

static const char UNAVAILABLE[] = "(stack unavailable: it was running)", EMPTY[] = "(no frames)";
static const char ARROW[] = " < ";

int goparse_put(struct buffer *line, struct goparse_text text)
{
	char shown[NAME_MAX_SHOWN];

	excerpt(text, shown, sizeof(shown));
	return text_addf(line, "%s", shown);
}

size_t goparse_columns(const struct buffer *b)
{
	size_t count = 0;

	for (size_t i = 0; i < b->len; i++)
		count += (b->data[i] & 0xc0) != 0x80;
	return count;
}

static int where_put_place(struct buffer *piece, const struct goparse_frame *f)
{
	struct goparse_text file = telling_file_name(f->file);
	int rc = goparse_put(piece, telling_short_name(f->function));

	if (rc || !file.len)
		return rc;
	rc = text_addf(piece, " ");
	rc = rc ? rc : goparse_put(piece, file);
	return rc ? rc : text_addf(piece, ":%lu", f->line);
}

/* For a function of Go's standard library, its name is enough. */
static int where_put_frame(struct buffer *piece, const struct goparse_frame *f)
{
	if (telling_is_library(f->function))
		return goparse_put(piece, telling_short_name(f->function));
	return where_put_place(piece, f);
}

static int where_add_frame(struct buffer *line, const struct goparse_frame *f, unsigned width)
{
	struct buffer piece = { 0 };
	int rc = where_put_frame(&piece, f);

	rc = rc ? rc : text_add_fitting(line, (const char *)piece.data, piece.len, width, 0);
	buffer_release(&piece);
	return rc;
}

int goparse_place(struct buffer *line, const struct goparse_frame *f, unsigned width)
{
	struct buffer piece = { 0 };
	int rc = where_put_place(&piece, f);

	rc = rc ? rc : text_add_fitting(line, (const char *)piece.data, piece.len, width, 0);
	buffer_release(&piece);
	return rc;
}

/* Appends a caller if it fits; *room tells whether it did. */
static int add_caller(struct buffer *line, const char *before, const struct goparse_frame *f,
		      unsigned width, bool *room)
{
	struct buffer piece = { 0 };
	int rc = text_addf(&piece, "%s", before);

	rc = rc ? rc : where_put_frame(&piece, f);
	*room = !rc && (!width || goparse_columns(line) + goparse_columns(&piece) <= width);
	if (*room)
		rc = buffer_add(line, piece.data, piece.len);
	buffer_release(&piece);
	return rc;
}

/* If the first frame is a library function whose caller does not fit, the caller replaces it. */
static int where_begin(struct buffer *line, const struct goparse_stack *s, const size_t *at,
		       size_t count, unsigned width, size_t *next)
{
	size_t start = line->len;
	bool room = true;
	int rc = where_add_frame(line, &s->frames[at[0]], width);

	*next = 1;
	if (rc || count == 1 || at[1] != at[0] + 1 ||
	    !telling_is_library(s->frames[at[0]].function))
		return rc;
	*next = 2;
	rc = add_caller(line, ARROW, &s->frames[at[1]], width, &room);
	if (rc || room)
		return rc;
	line->len = start;
	return where_add_frame(line, &s->frames[at[1]], width);
}

int goparse_where(struct buffer *line, const struct goparse_stack *s, struct goparse_text state,
		  unsigned width)
{
	size_t at[PIECES], count = telling_frames(s, state, at, PIECES), i = 0;
	const char *nothing = s->unavailable ? UNAVAILABLE : EMPTY;
	bool room = true;
	int rc;

	rc = count ? where_begin(line, s, at, count, width, &i) :
		     text_add_fitting(line, nothing, strlen(nothing), width, 0);
	for (; !rc && room && i < count; i++)
		rc = add_caller(line, ARROW, &s->frames[at[i]], width, &room);
	if (!rc && room && s->created_by.function.len)
		rc = add_caller(line, " < go in ", &s->created_by, width, &room);
	return rc;
}
