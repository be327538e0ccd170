/* The decoder rejects overlong forms and surrogates (RFC 3629, section 3). Which characters have no
 * glyph is read in ranges copied from Unicode's tables. */
#include "base/utf8.h"

struct utf8_range {
	uint32_t first, last;
};

/* The length in bytes of a character with this first byte; 0 if no character begins with it. */
static size_t utf8_length(unsigned char first)
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
	size_t want = utf8_length(*s);
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

/* Default_Ignorable_Code_Point (UAX #44; DerivedCoreProperties.txt of Unicode 16), and the marks of
 * annotations, U+FFF9 to U+FFFB, which no font shows either. */
static const struct utf8_range invisible[] = {
	{ 0xad, 0xad },	      { 0x34f, 0x34f },	  { 0x61c, 0x61c },	{ 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f }, { 0x200b, 0x200f },	{ 0x202a, 0x202e },
	{ 0x2060, 0x206f },   { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },	{ 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

/* Variation_Selector (PropList.txt) */
static const struct utf8_range selectors[] = {
	{ 0x180b, 0x180d },
	{ 0x180f, 0x180f },
	{ 0xfe00, 0xfe0f },
	{ 0xe0100, 0xe01ef },
};

/* ZERO WIDTH NON-JOINER and JOINER, MONGOLIAN VOWEL SEPARATOR */
static const struct utf8_range joiners[] = {
	{ 0x180e, 0x180e },
	{ 0x200c, 0x200d },
};

#define IN(ranges, c) utf8_is_in(ranges, sizeof(ranges) / sizeof(*(ranges)), c)

static bool utf8_is_in(const struct utf8_range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count && c >= ranges[i].first; i++)
		if (c <= ranges[i].last)
			return true;
	return false;
}

bool utf8_is_invisible(uint32_t ch)
{
	return IN(invisible, ch);
}

bool utf8_is_selector(uint32_t ch)
{
	return IN(selectors, ch);
}

bool utf8_is_joiner(uint32_t ch)
{
	return IN(joiners, ch);
}
