/*
 * A page around data: a document of HTML or of SVG with style, script and data in it, that
 * wants nothing from the network and says so (a content security policy, where the format
 * has one). report/page/ holds style and script as files of their own.
 *
 * The data are foreign. They stand in a block of JSON, as text, in which nothing can end
 * the block: '<', '>' and '&' are escaped, and what XML does not allow is left out.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

struct buffer;

enum page_kind { PAGE_HTML, PAGE_SVG };

struct page {
	enum page_kind kind;
	const char *title;
	const struct buffer *data;    /* JSON */
	const struct buffer *picture; /* elements of SVG, seen where no script runs */
	unsigned width, height;	      /* of the picture */
};

/* Appends the document. ERR_NOMEM. */
int page_write(const struct page *page, struct buffer *out);

/* Appends text as it may stand in an element or attribute of HTML and SVG. ERR_NOMEM. */
int page_add_text(struct buffer *out, const char *text, size_t len);

#endif
