/* Writes the frames that goparse/summary/telling.h chooses, as many as fit. The first loses its
 * middle if the line is too narrow for it; the others are written whole or not at all. */
#include "cli/goparse/where.h"

#include "base/printer.h"
#include "goparse/excerpt.h"
#include "goparse/summary/telling.h"
#include "pprof/graph/text.h"

enum { PIECES = 5, NAME_MAX_SHOWN = 4096 /* bytes */ };

static const char UNAVAILABLE[] = "(stack unavailable: it was running)", EMPTY[] = "(no frames)";
static const char ARROW[] = " < ";

void goparse_put(struct printer *p, struct goparse_text text)
{
	char shown[NAME_MAX_SHOWN];

	excerpt(text, shown, sizeof(shown));
	print_to(p, "%s", shown);
}

size_t goparse_columns(const struct buffer *b)
{
	return text_columns((const char *)b->data, b->len);
}

void goparse_fit(struct printer *line, const struct printer *piece, unsigned width, size_t reserve)
{
	const struct buffer *b = piece->out;

	printer_fail(line, piece->rc);
	text_add_fitting(line, (const char *)b->data, b->len, width, reserve);
}

static void where_put_place(struct printer *piece, const struct goparse_frame *f)
{
	struct goparse_text file = telling_file_name(f->file);

	goparse_put(piece, telling_short_name(f->function));
	if (!file.len)
		return;
	print_to(piece, " ");
	goparse_put(piece, file);
	print_to(piece, ":%lu", f->line);
}

/* For a function of Go's standard library, its name is enough. */
static void where_put_frame(struct printer *piece, const struct goparse_frame *f)
{
	if (telling_is_library(f->function))
		goparse_put(piece, telling_short_name(f->function));
	else
		where_put_place(piece, f);
}

static void where_add(struct printer *line, const struct goparse_frame *f, unsigned width,
		      void put(struct printer *, const struct goparse_frame *))
{
	struct buffer bytes = { 0 };
	struct printer piece = { &bytes, 0 };

	put(&piece, f);
	goparse_fit(line, &piece, width, 0);
	buffer_release(&bytes);
}

void goparse_place(struct printer *line, const struct goparse_frame *f, unsigned width)
{
	where_add(line, f, width, where_put_place);
}

/* Appends a caller if it fits. False: it does not. */
static bool add_caller(struct printer *line, const char *before, const struct goparse_frame *f,
		       unsigned width)
{
	struct buffer bytes = { 0 };
	struct printer piece = { &bytes, 0 };
	bool fits;

	print_to(&piece, "%s", before);
	where_put_frame(&piece, f);
	printer_fail(line, piece.rc);
	fits = !width || goparse_columns(line->out) + goparse_columns(&bytes) <= width;
	if (fits)
		print_bytes(line, bytes.data, bytes.len);
	buffer_release(&bytes);
	return fits;
}

/* Appends the first frames and returns how many were looked at. If the first is a library function
 * whose caller does not fit, the caller replaces it. */
static size_t where_begin(struct printer *line, const struct goparse_stack *s, const size_t *at,
			  size_t count, unsigned width)
{
	size_t start = line->out->len;

	where_add(line, &s->frames[at[0]], width, where_put_frame);
	if (count == 1 || at[1] != at[0] + 1 || !telling_is_library(s->frames[at[0]].function))
		return 1;
	if (!add_caller(line, ARROW, &s->frames[at[1]], width)) {
		line->out->len = start;
		where_add(line, &s->frames[at[1]], width, where_put_frame);
	}
	return 2;
}

void goparse_where(struct printer *line, const struct goparse_stack *s, struct goparse_text state,
		   unsigned width)
{
	size_t at[PIECES], count = telling_frames(s, state, at, PIECES), i = 0;
	const char *nothing = s->unavailable ? UNAVAILABLE : EMPTY;
	bool fits = true;

	if (count)
		i = where_begin(line, s, at, count, width);
	else
		text_add_fitting(line, nothing, strlen(nothing), width, 0);
	for (; fits && i < count; i++)
		fits = add_caller(line, ARROW, &s->frames[at[i]], width);
	if (fits && s->created_by.function.len)
		add_caller(line, " < go in ", &s->created_by, width);
}
