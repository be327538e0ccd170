/* Each function decodes a character and puts it as UTF-8 at once, into room that the caller has
 * made by the header's bounds. */
#include "runtimes/hotspot/vm/javatext.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

enum { HIDDEN_DIGITS = 16 };

static bool is_high(uint32_t unit)
{
	return unit >> 10 == 0xd800 >> 10;
}

static bool is_low(uint32_t unit)
{
	return unit >> 10 == 0xdc00 >> 10;
}

static uint32_t pair_of(uint32_t high, uint32_t low)
{
	return 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));
}

static char *javatext_put(char *to, uint32_t ch)
{
	return to + utf8_put(to, ch ? ch : UTF8_REPLACEMENT);
}

/* A UTF-16 unit of one to three bytes. *taken is 1 if they are none. */
static uint32_t unit_at(const uint8_t *b, size_t left, size_t *taken)
{
	*taken = 1;
	if (b[0] < 0x80)
		return b[0];
	if (b[0] >> 5 == 6 && left > 1 && b[1] >> 6 == 2) {
		*taken = 2;
		return (b[0] & 0x1fu) << 6 | (b[1] & 0x3f);
	}
	if (b[0] >> 4 == 14 && left > 2 && b[1] >> 6 == 2 && b[2] >> 6 == 2) {
		*taken = 3;
		return (b[0] & 0xfu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3f);
	}
	return UTF8_REPLACEMENT;
}

static uint32_t javatext_char_at(const uint8_t *b, size_t left, size_t *taken)
{
	uint32_t unit = unit_at(b, left, taken), low;
	size_t more;

	if (!is_high(unit) || left == *taken)
		return unit;
	low = unit_at(b + *taken, left - *taken, &more);
	if (!is_low(low))
		return unit;
	*taken += more;
	return pair_of(unit, low);
}

size_t javatext_symbol(const uint8_t *bytes, size_t len, char *to)
{
	char *start = to;
	size_t taken;

	for (; len; bytes += taken, len -= taken)
		to = javatext_put(to, javatext_char_at(bytes, len, &taken));
	*to = '\0';
	return (size_t)(to - start);
}

/* The "+" of a hidden class's name, or NULL: "+0x", and an address. */
static char *hidden_part(char *name, size_t len)
{
	static const char head[] = "+0x";
	size_t size = sizeof(head) - 1 + HIDDEN_DIGITS;
	char *plus = name + len - size;

	if (len <= size || memcmp(plus, head, sizeof(head) - 1) ||
	    strspn(plus + sizeof(head) - 1, "0123456789abcdef") != HIDDEN_DIGITS)
		return NULL;
	return plus;
}

size_t javatext_class(const uint8_t *bytes, size_t len, char *to)
{
	size_t size = javatext_symbol(bytes, len, to);
	char *plus = hidden_part(to, size);

	for (char *c = to; (c = strchr(c, '/')); c++)
		*c = '.';
	if (plus)
		*plus = '/';
	return size;
}

/* The name of a primitive type, or NULL. */
static const char *primitive(uint8_t letter)
{
	static const char *const names['Z' - 'B' + 1] = {
		['B' - 'B'] = "byte",  ['C' - 'B'] = "char",	['D' - 'B'] = "double",
		['F' - 'B'] = "float", ['I' - 'B'] = "int",	['J' - 'B'] = "long",
		['S' - 'B'] = "short", ['Z' - 'B'] = "boolean",
	};

	return letter >= 'B' && letter <= 'Z' ? names[letter - 'B'] : NULL;
}

/* Puts the last part of a class's name, and skips it in the descriptor. NULL: it is none. */
static char *put_simple(const uint8_t **at, const uint8_t *end, char *to)
{
	const uint8_t *stop = memchr(*at, ';', (size_t)(end - *at)), *name = *at;

	if (!stop)
		return NULL;
	for (const uint8_t *b = *at; b < stop; b++)
		if (*b == '/')
			name = b + 1;
	*at = stop + 1;
	return to + javatext_symbol(name, (size_t)(stop - name), to);
}

static char *javatext_put_type(const uint8_t **at, const uint8_t *end, char *to)
{
	size_t arrays = 0;
	const char *name;

	for (; *at < end && **at == '['; (*at)++)
		arrays++;
	if (*at == end)
		return NULL;
	name = primitive(*(*at)++);
	if (name)
		to = stpcpy(to, name);
	else
		to = (*at)[-1] == 'L' ? put_simple(at, end, to) : NULL;
	for (; to && arrays; arrays--)
		to = stpcpy(to, "[]");
	return to;
}

size_t javatext_parameters(const uint8_t *bytes, size_t len, char *to)
{
	const uint8_t *at = bytes, *end = bytes + len;
	char *start = to;

	if (at == end || *at++ != '(')
		return 0;
	*to++ = '(';
	while (at < end && *at != ')') {
		if (to != start + 1)
			to = stpcpy(to, ", ");
		to = javatext_put_type(&at, end, to);
		if (!to)
			return 0;
	}
	if (at == end)
		return 0;
	to = stpcpy(to, ")");
	return (size_t)(to - start);
}

size_t javatext_utf16(const uint16_t *units, size_t count, char *to)
{
	char *start = to;

	for (size_t i = 0; i < count; i++) {
		uint32_t ch = units[i];

		if (is_high(ch) && i + 1 < count && is_low(units[i + 1]))
			ch = pair_of(ch, units[++i]);
		to = javatext_put(to, ch);
	}
	*to = '\0';
	return (size_t)(to - start);
}

size_t javatext_latin1(const uint8_t *bytes, size_t len, char *to)
{
	char *start = to;

	for (size_t i = 0; i < len; i++)
		to = javatext_put(to, bytes[i]);
	*to = '\0';
	return (size_t)(to - start);
}
