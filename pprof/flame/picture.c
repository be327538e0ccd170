/*
 * Draws the static picture of a flame graph, shown where no script runs: in an image viewer, or as
 * <img> on a page. It is drawn at a fixed width. Names are cut by their number of characters, which
 * works because the font is monospaced. Each box has a tooltip. The colours are those of the page's
 * light theme.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
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
	struct buffer *out;
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
static int add_change_colour(const struct picture *p, uint32_t node)
{
	double now = (double)flame_total(p->f, node, SIDE_NEW);
	double before = (double)flame_total(p->f, node, SIDE_BASE);
	double more = now > before ? now : before, change = more > 0 ? (now - before) / more : 0;
	double much = change < 0 ? -change : change;

	return buffer_addf(p->out, "hsl(%d,%.0f%%,%.0f%%)", change > 0 ? 4 : 214, 8 + 70 * much,
			   89 - 28 * much);
}

static int add_colour(const struct picture *p, uint32_t node)
{
	int hue = node ? flame_hue(p->f, p->f->tree.nodes[node].frame) : -1;

	if (node && p->f->difference)
		return add_change_colour(p, node);
	if (hue < 0)
		return buffer_addf(p->out, "hsl(220,8%%,84%%)");
	return buffer_addf(p->out, "hsl(%d,58%%,75%%)", hue);
}

/* Adds at most `room` characters of a text, then "…" if it was cut. */
static int picture_add_label(struct picture *p, const struct strset_entry *name, size_t room)
{
	size_t at = 0, len = name->len < NAME_MAX_BYTES ? name->len : NAME_MAX_BYTES;
	int rc;

	for (size_t n = 0; at < len && n < room; n++) {
		size_t step;

		utf8_next(name->text + at, name->len - at, &step);
		at += step;
	}
	if (at >= name->len)
		return page_add_text(p->out, name->text, name->len);
	rc = page_add_text(p->out, name->text, at);
	return rc ? rc : buffer_addf(p->out, "…");
}

/* Adds a name in `room` characters: the longest of its forms that fits, or the beginning of the
 * shortest. */
static int picture_add_name(struct picture *p, const struct strset_entry *name, size_t room)
{
	char forms[SHORTNAME_FORMS][SHORTNAME_MAX];
	size_t count = shortname(name->text, name->len, forms), i = 0;

	if (name->len <= room || !count)
		return picture_add_label(p, name, room);
	while (i + 1 < count && strlen(forms[i]) > room)
		i++;
	return picture_add_label(p, &(struct strset_entry){ forms[i], strlen(forms[i]) }, room);
}

static const struct strset_entry *picture_name_of(const struct picture *p, uint32_t node)
{
	static const struct strset_entry root = { "all", 3 };

	if (!node)
		return &root;
	return &frames_strings(p->f->frames)
			->entries[frames_get(p->f->frames, p->f->tree.nodes[node].frame)->name];
}

static int add_box(struct picture *p, uint32_t node, double x, double w)
{
	double all = (double)flame_total(p->f, 0, SIDE_NEW);
	double share = (double)flame_total(p->f, node, SIDE_NEW) / all * 100;
	unsigned y = HEAD + p->f->tree.nodes[node].depth * ROW;
	int rc = buffer_addf(p->out, "<g><title>");

	rc = rc ? rc : picture_add_label(p, picture_name_of(p, node), NAME_MAX_BYTES);
	rc = rc ? rc :
		  buffer_addf(p->out,
			      " (%.2f%%)</title><rect x=\"%.1f\" y=\"%u\" "
			      "width=\"%.1f\" height=\"%d\" fill=\"",
			      share, x, y, w > 2 ? w - 0.6 : w, ROW - 1);
	rc = rc ? rc : add_colour(p, node);
	rc = rc ? rc : buffer_addf(p->out, "\"/>");
	if (!rc && w > 4 * CHARACTER) {
		rc = buffer_addf(p->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, y + 13);
		rc = rc ? rc :
			  picture_add_name(p, picture_name_of(p, node),
					   (size_t)((w - 6) / CHARACTER) - 1);
		rc = rc ? rc : buffer_addf(p->out, "</text>");
	}
	return rc ? rc : buffer_addf(p->out, "</g>\n");
}

static int picture_add_node(struct picture *p, uint32_t node)
{
	uint32_t parent = p->f->tree.nodes[node].parent;
	double w = picture_width_of(p, node), x = node ? p->x[parent] : 0;

	p->x[node] = x;
	if (node)
		p->x[parent] += w;
	if (!is_drawn(p, node))
		return 0;
	if (p->f->tree.nodes[node].depth >= p->rows)
		p->rows = p->f->tree.nodes[node].depth + 1;
	return add_box(p, node, x, w);
}

static int add_boxes(struct picture *p, const char *title)
{
	int rc = buffer_addf(p->out,
			     "<g id=\"picture\" font-family=\"monospace\" font-size=\"11.6\">\n"
			     "<text class=\"picture-ink\" x=\"6\" y=\"22\" font-size=\"15\">");

	rc = rc ? rc : picture_add_label(p, &(struct strset_entry){ title, strlen(title) }, 120);
	rc = rc ? rc : buffer_addf(p->out, "</text>\n");
	for (uint32_t n = 0; n != CALLTREE_NONE && !rc; n = calltree_next(&p->f->tree, n))
		rc = picture_add_node(p, n);
	return rc ? rc : buffer_addf(p->out, "</g>\n");
}

int flame_add_picture(const struct flame *f, const char *title, struct buffer *svg,
		      unsigned *height)
{
	struct picture p = { .f = f, .out = svg, .narrowest = 0.5 };
	int64_t all = flame_total(f, 0, SIDE_NEW);
	int rc;

	p.x = calloc(f->tree.count, sizeof(*p.x));
	if (!p.x)
		return ERR_NOMEM;
	p.scale = all ? (double)FLAME_WIDTH / (double)all : 0;
	while (count_boxes(&p) > BOXES_MAX)
		p.narrowest *= 2;
	rc = add_boxes(&p, title);
	*height = HEAD + p.rows * ROW + 6;
	free(p.x);
	return rc;
}
