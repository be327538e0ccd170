/* What Go's strconv.IsPrint rejects is listed here as ranges. A byte that is not UTF-8 becomes \x
 * and its digits. */
#include "pprof/gotext/goquote.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"

/* Beyond ASCII: spaces, control and format characters, private use, noncharacters. */
static bool is_invisible(uint32_t v)
{
	static const uint32_t ranges[][2] = {
		{ 0x7f, 0xa0 },	       { 0xad, 0xad },	   { 0x600, 0x605 },   { 0x61c, 0x61c },
		{ 0x6dd, 0x6dd },      { 0x70f, 0x70f },   { 0x890, 0x891 },   { 0x8e2, 0x8e2 },
		{ 0x1680, 0x1680 },    { 0x180e, 0x180e }, { 0x2000, 0x200f }, { 0x2028, 0x202f },
		{ 0x205f, 0x206f },    { 0x3000, 0x3000 }, { 0xe000, 0xf8ff }, { 0xfdd0, 0xfdef },
		{ 0xfeff, 0xfeff },    { 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0xe00ff },
		{ 0xe01f0, 0x10ffff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (v >= ranges[i][0] && v <= ranges[i][1])
			return true;
	return false;
}

static int put_escaped(uint32_t v, struct buffer *out)
{
	static const char letters[] = "\a\b\f\n\r\t\v", names[] = "abfnrtv";
	const char *letter = v && v < 0x80 ? strchr(letters, (int)v) : NULL;

	if (letter)
		return buffer_addf(out, "\\%c", names[letter - letters]);
	if (v < ' ' || v == 0x7f)
		return buffer_addf(out, "\\x%02x", v);
	return buffer_addf(out, v < 0x10000 ? "\\u%04x" : "\\U%08x", v);
}

static int goquote_put_character(const char *text, size_t size, uint32_t v, struct buffer *out)
{
	if (v == UTF8_REPLACEMENT && size == 1)
		return buffer_addf(out, "\\x%02x", (unsigned char)*text);
	if (v == '"' || v == '\\')
		return buffer_addf(out, "\\%c", (char)v);
	if (v < ' ' || is_invisible(v))
		return put_escaped(v, out);
	return buffer_add(out, text, size);
}

int goquote(const char *text, size_t len, struct buffer *out)
{
	int rc = buffer_add(out, "\"", 1);

	for (size_t at = 0, size; !rc && at < len; at += size) {
		uint32_t v = utf8_next(text + at, len - at, &size);

		rc = goquote_put_character(text + at, size, v, out);
	}
	return rc ? rc : buffer_add(out, "\"", 1);
}
