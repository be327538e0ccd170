#include "pprof/flame/graph.h"

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/flame/flame.h"
#include "pprof/flame/page.h"
#include "pprof/flame/title.h"

static int write_page(const struct flame *f, enum page_kind kind, struct buffer *out)
{
	struct buffer title = { 0 }, data = { 0 }, picture = { 0 };
	struct page page = {
		.kind = kind, .data = &data, .picture = &picture, .width = FLAME_WIDTH
	};
	int rc = title_add(f->p, f->v, &title);

	rc = rc ? rc : buffer_add(&title, "", 1);
	page.title = (const char *)title.data;
	rc = rc ? rc : flame_add_data(f, &data);
	rc = rc ? rc : flame_add_picture(f, page.title, &picture, &page.height);
	rc = rc ? rc : page_write(&page, out);
	buffer_release(&title);
	buffer_release(&data);
	buffer_release(&picture);
	return rc;
}

static int write_flamegraph(const struct profile *p, const struct report_view *v,
			    enum page_kind kind, struct buffer *out, struct error *err)
{
	struct flame f;
	int rc = flame_init(&f, p, v, err);

	if (!rc && write_page(&f, kind, out))
		rc = error_nomem(err);
	flame_release(&f);
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
