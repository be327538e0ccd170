/*
 * Draws the static picture of a flame graph, shown where no script runs: in an image viewer, or as
 * <img> on a page. It is drawn at a fixed width. Names are cut by their number of characters, which
 * works because the font is monospaced. Each box has a tooltip. The colours are those of the page's
 * light theme.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/printer.h"
#include "base/utf8.h"
#include "pprof/flame/difference.h"
#include "pprof/flame/flame.h"
#include "pprof/flame/frames.h"
#include "pprof/flame/page.h"
#include "pprof/shortname.h"
#include "pprof/profile.h"

enum { ROW = 18, HEAD = 34, CHARACTER = 7, BOXES_MAX = 3000, ROWS_MAX = 400, NAME_MAX_BYTES = 300 };

struct picture {
	const struct flame *f;
	struct printer *out;
	double *x;	  /* by node: where its next child begins, pixels */
	double scale;	  /* pixels for one unit of the value */
	double narrowest; /* the narrowest box that is drawn, pixels */
	unsigned rows;
};

static double picture_width_of(const struct picture *p, uint32_t node)
{
	return (double)flame_total(p->f, node, SIDE_NEW) * p->scale;
}

static bool is_drawn(const struct picture *p, uint32_t node)
{
	return picture_width_of(p, node) >= p->narrowest && p->f->tree.nodes[node].depth < ROWS_MAX;
}

static size_t count_boxes(const struct picture *p)
{
	size_t n = 0;

	for (uint32_t i = 0; i != CALLTREE_NONE; i = calltree_next(&p->f->tree, i))
		n += is_drawn(p, i);
	return n;
}

/* The same as changeColour() in pprof/flame/page/words.js with the light theme. */
static void add_change_colour(const struct picture *p, uint32_t node)
{
	double now = (double)flame_total(p->f, node, SIDE_NEW);
	double before = (double)flame_total(p->f, node, SIDE_BASE);
	double more = now > before ? now : before, change = more > 0 ? (now - before) / more : 0;
	double much = change < 0 ? -change : change;

	print_to(p->out, "hsl(%d,%.0f%%,%.0f%%)", change > 0 ? 4 : 214, 8 + 70 * much,
		 89 - 28 * much);
}

static void add_colour(const struct picture *p, uint32_t node)
{
	int hue = node ? flame_hue(p->f, p->f->tree.nodes[node].frame) : -1;

	if (node && p->f->difference)
		add_change_colour(p, node);
	else if (hue < 0)
		print_to(p->out, "hsl(220,8%%,84%%)");
	else
		print_to(p->out, "hsl(%d,58%%,75%%)", hue);
}

/* Adds at most `room` characters of a text, then "…" if it was cut. */
static void picture_add_label(struct picture *p, const struct strset_entry *name, size_t room)
{
	size_t at = 0, len = name->len < NAME_MAX_BYTES ? name->len : NAME_MAX_BYTES;

	for (size_t n = 0; at < len && n < room; n++) {
		size_t step;

		utf8_next(name->text + at, name->len - at, &step);
		at += step;
	}
	page_add_text(p->out, name->text, at);
	if (at < name->len)
		print_to(p->out, "…");
}

/* Adds a name in `room` characters: the longest of its forms that fits, or the beginning of the
 * shortest. */
static void picture_add_name(struct picture *p, const struct strset_entry *name, size_t room)
{
	char forms[SHORTNAME_FORMS][SHORTNAME_MAX];
	size_t count = shortname(name->text, name->len, forms), i = 0;

	if (name->len <= room || !count) {
		picture_add_label(p, name, room);
		return;
	}
	while (i + 1 < count && strlen(forms[i]) > room)
		i++;
	picture_add_label(p, &(struct strset_entry){ forms[i], strlen(forms[i]) }, room);
}

static const struct strset_entry *picture_name_of(const struct picture *p, uint32_t node)
{
	static const struct strset_entry root = { "all", 3 };

	if (!node)
		return &root;
	return &frames_strings(p->f->frames)
			->entries[frames_get(p->f->frames, p->f->tree.nodes[node].frame)->name];
}

static void add_box(struct picture *p, uint32_t node, double x, double w)
{
	double all = (double)flame_total(p->f, 0, SIDE_NEW);
	double share = (double)flame_total(p->f, node, SIDE_NEW) / all * 100;
	unsigned y = HEAD + p->f->tree.nodes[node].depth * ROW;

	print_to(p->out, "<g><title>");
	picture_add_label(p, picture_name_of(p, node), NAME_MAX_BYTES);
	print_to(p->out,
		 " (%.2f%%)</title><rect x=\"%.1f\" y=\"%u\" "
		 "width=\"%.1f\" height=\"%d\" fill=\"",
		 share, x, y, w > 2 ? w - 0.6 : w, ROW - 1);
	add_colour(p, node);
	print_to(p->out, "\"/>");
	if (w > 4 * CHARACTER) {
		print_to(p->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, y + 13);
		picture_add_name(p, picture_name_of(p, node), (size_t)((w - 6) / CHARACTER) - 1);
		print_to(p->out, "</text>");
	}
	print_to(p->out, "</g>\n");
}

static void picture_add_node(struct picture *p, uint32_t node)
{
	uint32_t parent = p->f->tree.nodes[node].parent;
	double w = picture_width_of(p, node), x = node ? p->x[parent] : 0;

	p->x[node] = x;
	if (node)
		p->x[parent] += w;
	if (!is_drawn(p, node))
		return;
	if (p->f->tree.nodes[node].depth >= p->rows)
		p->rows = p->f->tree.nodes[node].depth + 1;
	add_box(p, node, x, w);
}

static void add_boxes(struct picture *p, const char *title)
{
	print_to(p->out, "<g id=\"picture\" font-family=\"monospace\" font-size=\"11.6\">\n"
			 "<text class=\"picture-ink\" x=\"6\" y=\"22\" font-size=\"15\">");
	picture_add_label(p, &(struct strset_entry){ title, strlen(title) }, 120);
	print_to(p->out, "</text>\n");
	for (uint32_t n = 0; n != CALLTREE_NONE && !p->out->rc; n = calltree_next(&p->f->tree, n))
		picture_add_node(p, n);
	print_to(p->out, "</g>\n");
}

int flame_add_picture(const struct flame *f, const char *title, struct buffer *svg,
		      unsigned *height, struct error *err)
{
	struct printer to = { svg, 0 };
	struct picture p = { .f = f, .out = &to, .narrowest = 0.5 };
	int64_t all = flame_total(f, 0, SIDE_NEW);

	p.x = calloc(f->tree.count, sizeof(*p.x));
	if (!p.x)
		return error_nomem(err);
	p.scale = all ? (double)FLAME_WIDTH / (double)all : 0;
	while (count_boxes(&p) > BOXES_MAX)
		p.narrowest *= 2;
	add_boxes(&p, title);
	*height = HEAD + p.rows * ROW + 6;
	free(p.x);
	return printer_result(&to, err);
}
