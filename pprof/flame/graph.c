/*
 * Writes a profile as a flame graph: one self-contained file. In a difference, the colour of a
 * frame shows how it changed.
 *
 * The parts are made in one order, title, picture (for SVG), data, and page.c puts them together.
 */
#include "pprof/flame/reports.h"

#include "base/error.h"
#include "base/printer.h"
#include "pprof/flame/flame.h"
#include "pprof/flame/frames.h"
#include "pprof/flame/page.h"
#include "pprof/profile.h"

/* The picture of an SVG file. The HTML page makes its own of the data. */
static int flame_graph_add_picture(const struct profile *p, const struct report_view *v,
				   struct page *page, struct buffer *picture, struct error *err)
{
	struct flame f;
	int rc = flame_init(&f, p, v, err);

	if (!rc)
		rc = flame_add_picture(&f, page->title, picture, &page->height, err);
	flame_release(&f);
	return rc;
}

static int write_flamegraph(const struct profile *p, const struct report_view *v,
			    enum page_kind kind, struct buffer *out, struct error *err)
{
	struct printer to = { out, 0 };
	struct buffer title = { 0 }, data = { 0 }, picture = { 0 };
	struct page page = {
		.kind = kind, .data = &data, .picture = &picture, .width = FLAME_WIDTH
	};
	int rc = frames_title(p, v, &title) || buffer_add(&title, "", 1) ? error_nomem(err) : 0;

	page.title = (const char *)title.data;
	if (!rc && kind == PAGE_SVG)
		rc = flame_graph_add_picture(p, v, &page, &picture, err);
	rc = rc ? rc : flame_add_data(p, v, page.title, &data, err);
	if (!rc) {
		page_write(&page, &to);
		rc = printer_result(&to, err);
	}
	buffer_release(&title);
	buffer_release(&data);
	buffer_release(&picture);
	return rc;
}

int report_flamegraph_html(const struct profile *p, const struct report_view *v, struct buffer *out,
			   struct error *err)
{
	return write_flamegraph(p, v, PAGE_HTML, out, err);
}

int report_flamegraph_svg(const struct profile *p, const struct report_view *v, struct buffer *out,
			  struct error *err)
{
	return write_flamegraph(p, v, PAGE_SVG, out, err);
}
