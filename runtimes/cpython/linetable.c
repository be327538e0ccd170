/* The three forms share one walk of ranges, with a function for the next one. Marks every few
 * kilobytes let a search begin in the middle of a long table. */
#include "runtimes/cpython/linetable.h"

#include <stdbool.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/sorted.h"

enum {
	NO_LINE = -128,	      /* 3.10: the line delta of a range without a line */
	MARK_BYTES = 4 << 10, /* of the table, from one mark to the next */
	CODE_UNIT = 2,	      /* sizeof(_Py_CODEUNIT) */
};

/* enum _PyCodeLocationInfoKind (Include/cpython/code.h). */
enum {
	KIND_ONE_LINE = 10, /* to 12: the line delta, 0 to 2; two columns */
	KIND_NO_COLUMNS = 13,
	KIND_LONG = 14,
	KIND_NONE = 15,
};

struct cpython_linetable_range {
	uint64_t end;	 /* the first byte of code behind it */
	int64_t line;	 /* 0: it has none */
	uint64_t column; /* 1: the first; 0: not recorded */
};

struct cpython_linetable_walk {
	const struct pylinetable *table;
	struct cursor cursor;
	int64_t line; /* the running line; a range without a line leaves it as it is */
	uint64_t end; /* of the range before */
	bool done;
};

/* The line of a range stands before its delta: the delta is that of the next range. The last line
 * is that of the rest of the code. */
static bool next_of_lnotab(struct cpython_linetable_walk *w, struct cpython_linetable_range *range)
{
	if (w->done)
		return false;
	range->line = w->line;
	w->done = !cursor_left(&w->cursor);
	if (w->done) {
		range->end = UINT64_MAX;
		return true;
	}
	range->end = w->end + cursor_byte(&w->cursor);
	w->line += (int8_t)cursor_byte(&w->cursor);
	return true;
}

static bool cpython_linetable_next_pair(struct cpython_linetable_walk *w,
					struct cpython_linetable_range *range)
{
	int delta;

	range->end = w->end + cursor_byte(&w->cursor);
	delta = (int8_t)cursor_byte(&w->cursor);
	if (delta != NO_LINE)
		w->line += delta;
	range->line = delta == NO_LINE ? 0 : w->line;
	return !w->cursor.failed;
}

/* Six bits a byte, the lowest first; bit 6: more follow. CPython's are ints. */
static uint32_t varint(struct cursor *c)
{
	uint32_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = cursor_byte(c);
		if (shift == 30 && (byte & 0x7f) > 3)
			cursor_fail(c, "number of more than 32 bits");
		value |= (byte & 0x3f) << shift;
		shift += 6;
	} while (byte & 0x40 && !c->failed);
	return value;
}

/* The sign is the lowest bit. */
static int64_t svarint(struct cursor *c)
{
	uint32_t value = varint(c);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* The short kinds have three bits of the column in the kind. */
static uint64_t short_column(struct cursor *c, unsigned kind)
{
	return (kind << 3 | cursor_byte(c) >> 4) + 1u;
}

/* The first byte of a range, and no other, has its highest bit set. */
static bool next_location(struct cpython_linetable_walk *w, struct cpython_linetable_range *range)
{
	struct cursor *c = &w->cursor;
	unsigned first = cursor_byte(c), kind = first >> 3 & 15;

	if (!(first & 0x80))
		return false;
	range->end = w->end + ((first & 7) + 1) * CODE_UNIT;
	range->column = 0;
	if (kind < KIND_ONE_LINE) {
		range->column = short_column(c, kind);
	} else if (kind < KIND_NO_COLUMNS) {
		w->line += kind - KIND_ONE_LINE;
		range->column = cursor_byte(c) + 1u;
		cursor_byte(c); /* the column where it ends */
	} else if (kind < KIND_NONE) {
		w->line += svarint(c);
	}
	if (kind == KIND_LONG) {
		varint(c); /* the line where it ends */
		range->column = varint(c);
		varint(c);
	}
	range->line = kind == KIND_NONE ? 0 : w->line;
	return !c->failed;
}

static bool cpython_linetable_next(struct cpython_linetable_walk *w,
				   struct cpython_linetable_range *range)
{
	bool more;

	range->column = 0;
	switch (w->table->form) {
	case PYLINETABLE_LNOTAB:
		more = next_of_lnotab(w, range);
		break;
	case PYLINETABLE_PAIRS:
		more = cpython_linetable_next_pair(w, range);
		break;
	default:
		more = next_location(w, range);
	}
	w->end = range->end;
	return more;
}

static void cpython_linetable_begin(struct cpython_linetable_walk *w, const struct pylinetable *t,
				    const struct pylinetable_mark *mark)
{
	*w = (struct cpython_linetable_walk){ .table = t, .line = mark->line, .end = mark->at };
	cursor_init(&w->cursor, t->bytes + mark->offset, t->len - mark->offset, "line table");
}

int pylinetable_init(struct pylinetable *t, enum pylinetable_form form, const void *bytes,
		     size_t len, uint64_t code_len, uint32_t first_line, struct arena *arena)
{
	struct cpython_linetable_range range;
	struct cpython_linetable_walk w;

	if (form != PYLINETABLE_LOCATIONS)
		len -= len % 2; /* as CPython leaves an odd byte out */
	*t = (struct pylinetable){ bytes, len, code_len, first_line, form, NULL, 0 };
	t->marks = arena_alloc(arena, (len / MARK_BYTES + 1) * sizeof(*t->marks));
	if (!t->marks)
		return ERR_NOMEM;
	t->marks[t->marks_count++] = (struct pylinetable_mark){ 0, 0, first_line };
	if (len <= MARK_BYTES)
		return 0;
	cpython_linetable_begin(&w, t, t->marks);
	while (cpython_linetable_next(&w, &range)) {
		size_t offset = cursor_offset(&w.cursor);

		if (offset < len && offset >= t->marks_count * MARK_BYTES)
			t->marks[t->marks_count++] = (struct pylinetable_mark){ w.end, offset,
										w.line };
	}
	return 0;
}

void pylinetable_find(const struct pylinetable *t, int64_t at, uint32_t *line, uint32_t *column)
{
	struct cpython_linetable_range range;
	struct cpython_linetable_walk w;

	*line = at < 0 ? t->first_line : 0;
	*column = 0;
	if (at < 0 || (uint64_t)at >= t->code_len)
		return;
	/* Each range in front of the last mark that is not behind `at` ends there, or before. */
	cpython_linetable_begin(
		&w, t,
		&t->marks[sorted_last(t->marks, t->marks_count, sizeof(*t->marks), (uint64_t)at)]);
	while (cpython_linetable_next(&w, &range)) {
		if ((uint64_t)at >= range.end)
			continue;
		if (range.line <= 0 || range.line > INT32_MAX || range.column > INT32_MAX)
			return;
		*line = (uint32_t)range.line;
		*column = (uint32_t)range.column;
		return;
	}
}
