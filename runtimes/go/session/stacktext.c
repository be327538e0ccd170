/*
 * A frame's line is "#\tPC\tNAME+OFFSET\tFILE:LINE". Go's tabwriter pads each column with tabs to
 * the next multiple of 8 behind its widest cell. A column ends at a line that lacks its cell. A
 * frame without a name lacks two cells, but Frames.Next leaves out C's frames: a stack has at most
 * one such line, and only if it has no Go function. So all lines of a stack are one table.
 */
#include "runtimes/go/session/stacktext.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "runtimes/go/session/pcframes.h"

enum { TAB = 8 };

int stacktext_pcs(struct buffer *out, const uint64_t *pcs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (buffer_add(out, " ", 1) || buffer_add_hex(out, pcs[i]))
			return ERR_NOMEM;
	return 0;
}

/* The width in characters, as tabwriter counts. */
static size_t width(const uint8_t *text, size_t len)
{
	size_t count = 0, one;

	for (size_t i = 0; i < len; i += one, count++)
		utf8_next((const char *)text + i, len - i, &one);
	return count;
}

/* Appends the texts of the cells; `ends` are their ends in `out`. */
static int write_cells(struct buffer *out, const struct pcframe *f, unsigned minor,
		       size_t ends[PCFRAME_CELLS])
{
	if (buffer_addf(out, "0x%" PRIx64, f->at))
		return ERR_NOMEM;
	ends[0] = out->len;
	if (pcframes_print(f->function, minor, out) ||
	    buffer_addf(out, "+0x%" PRIx64, f->at - f->entry))
		return ERR_NOMEM;
	ends[1] = out->len;
	if (buffer_addf(out, "%s:%" PRIu32, f->file, f->line))
		return ERR_NOMEM;
	ends[2] = out->len;
	return 0;
}

static int make_cells(struct pcframes *frames, struct pcframe *f)
{
	size_t ends[PCFRAME_CELLS], at = 0;
	struct buffer text = { 0 };
	int rc = write_cells(&text, f, frames->source.minor, ends);

	for (int i = 0; i < PCFRAME_CELLS && !rc; i++) {
		struct pcframe_cell *c = &f->cells[i];

		c->len = ends[i] - at;
		c->width = width(text.data + at, c->len);
		c->text = arena_copy(&frames->arena, text.data + at, c->len);
		rc = c->text ? 0 : ERR_NOMEM;
		at = ends[i];
	}
	buffer_release(&text);
	return rc;
}

static size_t up_to_tab(size_t cells)
{
	return (cells + 1 + TAB - 1) / TAB * TAB; /* 1: its padding */
}

static int add_cell(struct buffer *out, const struct pcframe_cell *c, size_t column)
{
	int rc = buffer_add(out, c->text, c->len);

	for (size_t left = column - c->width; left && !rc; left -= left < TAB ? left : TAB)
		rc = buffer_add(out, "\t", 1);
	return rc;
}

struct columns {
	size_t pc, name;
};

static int stacktext_add_line(struct buffer *out, const struct pcframe *f, const struct columns *c)
{
	if (buffer_add(out, "#\t", 2) || add_cell(out, &f->cells[0], c->pc) ||
	    add_cell(out, &f->cells[1], c->name) ||
	    buffer_add(out, f->cells[2].text, f->cells[2].len) || buffer_add(out, "\n", 1))
		return ERR_NOMEM;
	return 0;
}

static void stacktext_measure(const struct pcframe *f, struct columns *c)
{
	size_t pc = up_to_tab(f->cells[0].width), name = up_to_tab(f->cells[1].width);

	c->pc = pc > c->pc ? pc : c->pc;
	c->name = name > c->name ? name : c->name;
}

/* Measures the frames that are shown or, if `out` is not NULL, writes them. *shown: how many. */
static int lines(struct buffer *out, struct pcframes *frames, const uint64_t *pcs, size_t count,
		 bool all, struct columns *c, size_t *shown)
{
	*shown = 0;
	for (size_t i = 0; i < count; i++) {
		struct pcframe *f = pcframes_find(frames, pcs[i]);

		if (!f)
			return ERR_NOMEM;
		if (!f->go || f->exit || (f->runtime && !all))
			continue;
		all = true;
		if (!f->cells[0].text && make_cells(frames, f))
			return ERR_NOMEM;
		if (out && stacktext_add_line(out, f, c))
			return ERR_NOMEM;
		if (!out)
			stacktext_measure(f, c);
		++*shown;
	}
	return 0;
}

/* True if a pc is in a Go function. If none is, Frames.Next returns an empty Frame. */
static bool has_go(struct pcframes *frames, const uint64_t *pcs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct pcframe *f = pcframes_find(frames, pcs[i]);

		if (f && f->go)
			return true;
	}
	return false;
}

int stacktext_frames(struct buffer *out, struct pcframes *frames, const uint64_t *pcs, size_t count,
		     bool all)
{
	struct columns c = { 0 };
	size_t shown;

	if (lines(NULL, frames, pcs, count, all, &c, &shown))
		return ERR_NOMEM;
	if (!shown) {
		all = true;
		if (lines(NULL, frames, pcs, count, all, &c, &shown))
			return ERR_NOMEM;
	}
	if (lines(out, frames, pcs, count, all, &c, &shown))
		return ERR_NOMEM;
	if (!shown && !has_go(frames, pcs, count) && buffer_add(out, "#\t0x0\n", 6))
		return ERR_NOMEM;
	return buffer_add(out, "\n", 1);
}
