#include "base/utf8.h"

/* The length in bytes of a character with this first byte; 0 if no character begins with it. */
static size_t length(unsigned char first)
{
	return first < 0x80 ? 1 :
	       first < 0xc2 ? 0 :
	       first < 0xe0 ? 2 :
	       first < 0xf0 ? 3 :
	       first < 0xf5 ? 4 :
			      0;
}

uint32_t utf8_next(const char *text, size_t size, size_t *len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t want = length(*s);
	uint32_t rune = *s & (0xff >> (want + (want > 1)));

	*len = 1;
	if (want <= 1)
		return want ? *s : UTF8_REPLACEMENT;
	if (want > size)
		return UTF8_REPLACEMENT;
	for (size_t i = 1; i < want; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return UTF8_REPLACEMENT;
		rune = rune << 6 | (s[i] & 0x3f);
	}
	if (rune < least[want] || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000))
		return UTF8_REPLACEMENT;
	*len = want;
	return rune;
}

size_t utf8_valid(const char *text, size_t len)
{
	size_t at = 0, size;

	while (at < len && (utf8_next(text + at, len - at, &size) != UTF8_REPLACEMENT || size > 1))
		at += size;
	return at;
}

size_t utf8_put(char text[4], uint32_t ch)
{
	size_t len = 0;

	if (ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000))
		ch = UTF8_REPLACEMENT;
	if (ch < 0x80) {
		text[len++] = (char)ch;
		return len;
	}
	if (ch < 0x800) {
		text[len++] = (char)(0xc0 | ch >> 6);
	} else {
		if (ch < 0x10000) {
			text[len++] = (char)(0xe0 | ch >> 12);
		} else {
			text[len++] = (char)(0xf0 | ch >> 18);
			text[len++] = (char)(0x80 | (ch >> 12 & 0x3f));
		}
		text[len++] = (char)(0x80 | (ch >> 6 & 0x3f));
	}
	text[len++] = (char)(0x80 | (ch & 0x3f));
	return len;
}

size_t utf8_fit(const char *text, size_t len, size_t room)
{
	if (len <= room)
		return len;
	while (room && ((uint8_t)text[room] & 0xc0) == 0x80)
		room--;
	return room;
}
