/* The assembler (.incbin) puts style and script into the program. So they stay files that editors
 * and linters understand, and no generated code is needed. */
#include "pprof/flame/page.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/utf8.h"

__asm__(".pushsection .rodata\n"
	"page_style:\n"
	".incbin \"pprof/flame/page/page.css\"\n"
	"page_style_end:\n"
	"page_script:\n"
	".incbin \"pprof/flame/page/words.js\"\n"
	".incbin \"pprof/flame/page/pprof.js\"\n"
	".incbin \"pprof/flame/page/frames.js\"\n"
	".incbin \"pprof/flame/page/tree.js\"\n"
	".incbin \"pprof/flame/page/graph.js\"\n"
	".incbin \"pprof/flame/page/table.js\"\n"
	".incbin \"pprof/flame/page/page.js\"\n"
	".incbin \"pprof/flame/page/filters.js\"\n"
	".incbin \"pprof/flame/page/address.js\"\n"
	".incbin \"pprof/flame/page/controls.js\"\n"
	"page_script_end:\n"
	".popsection\n");

extern const char page_style[], page_style_end[], page_script[], page_script_end[];

static int page_add(struct buffer *out, const char *text)
{
	return buffer_add(out, text, strlen(text));
}

static const char *entity(unsigned char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return c < ' ' || c == 0x7f ? " " : NULL;
	}
}

/* False for what XML does not allow (XML 1.0, 2.2): U+FFFE, U+FFFF and bytes that are not UTF-8. */
static bool page_is_text(uint32_t rune)
{
	return rune != UTF8_REPLACEMENT && rune != 0xfffe && rune != 0xffff;
}

int page_add_text(struct buffer *out, const char *text, size_t len)
{
	int rc = 0;

	for (size_t at = 0, step; at < len && !rc; at += step) {
		const char *s = text + at;
		uint32_t rune = utf8_next(s, len - at, &step);
		bool shown = printable_next(s, len - at, &step);

		if (step == 1 && entity((unsigned char)*s))
			rc = page_add(out, entity((unsigned char)*s));
		else if (!page_is_text(rune) || !shown)
			rc = page_add(out, "\xef\xbf\xbd"); /* U+FFFD */
		else
			rc = buffer_add(out, s, step);
	}
	return rc;
}

/* Adds JSON with '<', '>' and '&' escaped. These and all characters beyond ASCII can occur only in
 * its strings. */
static int add_json(struct buffer *out, const struct buffer *json)
{
	const char *data = (const char *)json->data;
	size_t from = 0;
	int rc = 0;

	for (size_t at = 0, step; at < json->len && !rc; at += step) {
		uint32_t rune = utf8_next(data + at, json->len - at, &step);

		if (rune != '<' && rune != '>' && rune != '&' && page_is_text(rune))
			continue;
		rc = buffer_add(out, data + from, at - from);
		rc = rc ? rc : buffer_addf(out, "\\u%04x", page_is_text(rune) ? rune : 0xfffd);
		from = at + step;
	}
	return rc ? rc : buffer_add(out, data + from, json->len - from);
}

static int page_add_picture(const struct page *p, struct buffer *out)
{
	int rc = buffer_addf(out,
			     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" "
			     "width=\"%u\" height=\"%u\">\n",
			     p->width, p->height, p->width, p->height);

	rc = rc ? rc : page_add(out, "<title>");
	rc = rc ? rc : page_add_text(out, p->title, strlen(p->title));
	return rc ? rc : page_add(out, "</title>\n");
}

static int begin_html(const struct page *p, struct buffer *out)
{
	int rc = page_add(
		out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		     "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<link rel=\"icon\" href=\"data:,\">\n<title>");

	rc = rc ? rc : page_add_text(out, p->title, strlen(p->title));
	rc = rc ? rc : page_add(out, "</title>\n<style>\n");
	rc = rc ? rc : buffer_add(out, page_style, (size_t)(page_style_end - page_style));
	return rc ? rc :
		    page_add(out,
			     "</style>\n</head>\n<body>\n"
			     "<noscript>This page needs a script, its own: nothing is loaded. "
			     "A flame graph in a file .svg is a picture without one.</noscript>\n");
}

static int begin_svg(const struct page *p, struct buffer *out)
{
	int rc = page_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");

	rc = rc ? rc : page_add_picture(p, out);
	rc = rc ? rc : page_add(out, "<style><![CDATA[\n");
	rc = rc ? rc : buffer_add(out, page_style, (size_t)(page_style_end - page_style));
	rc = rc ? rc : page_add(out, "]]></style>\n");
	return rc ? rc : buffer_add(out, p->picture->data, p->picture->len);
}

int page_write(const struct page *p, struct buffer *out)
{
	bool svg = p->kind == PAGE_SVG;
	int rc = svg ? begin_svg(p, out) : begin_html(p, out);

	rc = rc ? rc : page_add(out, "<script type=\"application/json\" id=\"data\">");
	rc = rc ? rc : add_json(out, p->data);
	rc = rc ? rc :
		  page_add(out, svg ? "</script>\n<script><![CDATA[\n" : "</script>\n<script>\n");
	rc = rc ? rc : buffer_add(out, page_script, (size_t)(page_script_end - page_script));
	return rc ? rc :
		    page_add(out, svg ? "]]></script>\n</svg>\n" : "</script>\n</body>\n</html>\n");
}
