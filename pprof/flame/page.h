/*
 * Writes a page around data: an HTML or SVG document that contains style, script and data. It needs
 * nothing from the network, and in HTML a content security policy blocks all access to it. Style
 * and script are files in pprof/flame/page/.
 *
 * The data are untrusted. They are in a block of JSON, as text, and nothing in it can end the
 * block: '<', '>' and '&' are escaped, and what XML does not allow is replaced by U+FFFD.
 */
#ifndef PPROF_FLAME_PAGE_H
#define PPROF_FLAME_PAGE_H

#include <stddef.h>

struct buffer;
struct printer;

enum page_kind { PAGE_HTML, PAGE_SVG };

struct page {
	enum page_kind kind;
	const char *title;
	const struct buffer *data;    /* JSON */
	const struct buffer *picture; /* of SVG: elements that are shown where no script runs */
	unsigned width, height;	      /* of the picture; HTML has none */
};

/* Appends the document. */
void page_write(const struct page *page, struct printer *out);

/* Appends text, escaped for an element or attribute of HTML and SVG. */
void page_add_text(struct printer *out, const char *text, size_t len);

#endif
