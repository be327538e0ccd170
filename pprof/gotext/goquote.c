/* What Go's strconv.IsPrint rejects is listed here as ranges. A byte that is not UTF-8 becomes \x
 * and its digits. */
#include "pprof/gotext/goquote.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"

/* Takes one UTF-8 character; if the bytes are none, takes one byte and returns -1. */
static int32_t goquote_next_character(struct cursor *c)
{
	static const int32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	uint8_t first = cursor_byte(c);
	int more = first < 0x80		  ? 0 :
		   (first & 0xe0) == 0xc0 ? 1 :
		   (first & 0xf0) == 0xe0 ? 2 :
		   (first & 0xf8) == 0xf0 ? 3 :
					    -1;
	int32_t v = more > 0 ? first & (0x3f >> more) : first;

	if (more < 0 || cursor_left(c) < (size_t)more)
		return -1;
	for (int i = 0; i < more; i++) {
		if ((c->pos[i] & 0xc0) != 0x80)
			return -1;
		v = v << 6 | (c->pos[i] & 0x3f);
	}
	if (v < least[more] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return -1;
	cursor_bytes(c, (uint64_t)more);
	return v;
}

/* Beyond ASCII: spaces, control and format characters, private use, noncharacters. */
static bool is_invisible(int32_t v)
{
	static const int32_t ranges[][2] = {
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

static int put_escaped(int32_t v, struct buffer *out)
{
	static const char letters[] = "\a\b\f\n\r\t\v", names[] = "abfnrtv";
	const char *letter = v > 0 && v < 0x80 ? strchr(letters, v) : NULL;

	if (letter)
		return buffer_addf(out, "\\%c", names[letter - letters]);
	if (v < ' ' || v == 0x7f)
		return buffer_addf(out, "\\x%02x", (unsigned)v);
	return buffer_addf(out, v < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)v);
}

static int goquote_put_character(struct cursor *c, struct buffer *out)
{
	const uint8_t *start = c->pos;
	int32_t v = goquote_next_character(c);

	if (v < 0)
		return buffer_addf(out, "\\x%02x", *start);
	if (v == '"' || v == '\\')
		return buffer_addf(out, "\\%c", v);
	if (v < ' ' || is_invisible(v))
		return put_escaped(v, out);
	return buffer_add(out, start, (size_t)(c->pos - start));
}

int goquote(const char *text, size_t len, struct buffer *out)
{
	struct cursor c;
	int rc = buffer_add(out, "\"", 1);

	cursor_init(&c, text, len, "text");
	while (!rc && cursor_left(&c))
		rc = goquote_put_character(&c, out);
	return rc ? rc : buffer_add(out, "\"", 1);
}
