/* The assembler (.incbin) puts style and script into the program. So they stay files that editors
 * and linters understand, and no generated code is needed. */
#include "pprof/flame/page.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/printable.h"
#include "base/printer.h"
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

void page_add_text(struct printer *out, const char *text, size_t len)
{
	for (size_t at = 0, step; at < len; at += step) {
		const char *s = text + at;
		uint32_t rune = utf8_next(s, len - at, &step);
		bool shown = printable_next(s, len - at, &step);

		if (step == 1 && entity((unsigned char)*s))
			print_to(out, "%s", entity((unsigned char)*s));
		else if (!page_is_text(rune) || !shown)
			print_to(out, "\xef\xbf\xbd"); /* U+FFFD */
		else
			print_bytes(out, s, step);
	}
}

/* Adds JSON with '<', '>' and '&' escaped. These and all characters beyond ASCII can occur only in
 * its strings. */
static void add_json(struct printer *out, const struct buffer *json)
{
	const char *data = (const char *)json->data;
	size_t from = 0;

	for (size_t at = 0, step; at < json->len; at += step) {
		uint32_t rune = utf8_next(data + at, json->len - at, &step);

		if (rune != '<' && rune != '>' && rune != '&' && page_is_text(rune))
			continue;
		print_bytes(out, data + from, at - from);
		print_to(out, "\\u%04x", page_is_text(rune) ? rune : 0xfffd);
		from = at + step;
	}
	print_bytes(out, data + from, json->len - from);
}

static void page_add_title(const struct page *p, struct printer *out)
{
	print_to(out, "<title>");
	page_add_text(out, p->title, strlen(p->title));
	print_to(out, "</title>\n");
}

static void add_style(struct printer *out)
{
	print_bytes(out, page_style, (size_t)(page_style_end - page_style));
}

static void begin_html(const struct page *p, struct printer *out)
{
	print_to(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<link rel=\"icon\" href=\"data:,\">\n");
	page_add_title(p, out);
	print_to(out, "<style>\n");
	add_style(out);
	print_to(out, "</style>\n</head>\n<body>\n"
		      "<noscript>This page needs a script, its own: nothing is loaded. "
		      "A flame graph in a file .svg is a picture without one.</noscript>\n");
}

static void begin_svg(const struct page *p, struct printer *out)
{
	print_to(out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" "
		 "width=\"%u\" height=\"%u\">\n",
		 p->width, p->height, p->width, p->height);
	page_add_title(p, out);
	print_to(out, "<style><![CDATA[\n");
	add_style(out);
	print_to(out, "]]></style>\n");
	print_bytes(out, p->picture->data, p->picture->len);
}

void page_write(const struct page *p, struct printer *out)
{
	bool svg = p->kind == PAGE_SVG;

	if (svg)
		begin_svg(p, out);
	else
		begin_html(p, out);
	print_to(out, "<script type=\"application/json\" id=\"data\">");
	add_json(out, p->data);
	print_to(out, svg ? "</script>\n<script><![CDATA[\n" : "</script>\n<script>\n");
	print_bytes(out, page_script, (size_t)(page_script_end - page_script));
	print_to(out, svg ? "]]></script>\n</svg>\n" : "</script>\n</body>\n</html>\n");
}
