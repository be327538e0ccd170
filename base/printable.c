#include "base/printable.h"

#include <stddef.h>

struct range {
	uint32_t first, last;
};

/* Default_Ignorable_Code_Point (UAX #44; DerivedCoreProperties.txt of Unicode 16), and the marks of
 * annotations, U+FFF9 to U+FFFB, which no font shows either. */
static const struct range invisible[] = {
	{ 0xad, 0xad },	      { 0x34f, 0x34f },	  { 0x61c, 0x61c },	{ 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f }, { 0x200b, 0x200f },	{ 0x202a, 0x202e },
	{ 0x2060, 0x206f },   { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },	{ 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

/* Variation_Selector (PropList.txt) */
static const struct range selectors[] = {
	{ 0x180b, 0x180d },
	{ 0x180f, 0x180f },
	{ 0xfe00, 0xfe0f },
	{ 0xe0100, 0xe01ef },
};

/* ZERO WIDTH NON-JOINER and JOINER, MONGOLIAN VOWEL SEPARATOR */
static const struct range joiners[] = {
	{ 0x180e, 0x180e },
	{ 0x200c, 0x200d },
};

#define IN(ranges, c) is_in(ranges, sizeof(ranges) / sizeof(*(ranges)), c)

static bool is_in(const struct range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count && c >= ranges[i].first; i++)
		if (c <= ranges[i].last)
			return true;
	return false;
}

/* Of a script or a set of signs that has use for selectors and joiners. */
static bool is_beyond_latin(uint32_t c)
{
	enum { COMBINING_END = 0x36f }; /* of the signs that Latin letters carry */

	return c > COMBINING_END && printable_rune(c) && !IN(invisible, c);
}

/* The length of a character at `at` that is in the ranges; 0: there is none. */
static size_t length_in(const struct range *ranges, size_t count, const char *text, size_t len,
			size_t at)
{
	size_t size;

	return at < len && is_in(ranges, count, utf8_next(text + at, len - at, &size)) ? size : 0;
}

#define LENGTH_IN(ranges, text, len, at) \
	length_in(ranges, sizeof(ranges) / sizeof(*(ranges)), text, len, at)

bool printable_beyond_ascii(const char *text, size_t len, size_t *size)
{
	uint32_t c = utf8_next(text, len, size);
	size_t joiner, more;

	if (!printable_rune(c) || (c == UTF8_REPLACEMENT && *size == 1) || IN(invisible, c))
		return false;
	if (!is_beyond_latin(c))
		return true;
	*size += LENGTH_IN(selectors, text, len, *size);
	joiner = LENGTH_IN(joiners, text, len, *size);
	if (joiner && *size + joiner < len &&
	    is_beyond_latin(utf8_next(text + *size + joiner, len - *size - joiner, &more)))
		*size += joiner;
	return true;
}
