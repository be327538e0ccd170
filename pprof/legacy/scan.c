/* What Go does not write is refused. google/pprof's regular expressions match anywhere in a line,
 * cut a damaged stack off, and read a count of 010 as 8. */
#include "pprof/legacy/scan.h"

#include <ctype.h>
#include <string.h>

bool scan_take(struct cursor *c, const char *literal)
{
	size_t len = strlen(literal);

	return cursor_left(c) >= len && !memcmp(c->pos, literal, len) && cursor_bytes(c, len);
}

void scan_expect(struct cursor *c, const char *literal)
{
	if (!scan_take(c, literal))
		cursor_fail(c, literal);
}

static uint64_t scan_digits(struct cursor *c, int base)
{
	const uint8_t *first = c->pos;
	uint64_t v = cursor_number(c, base);

	if (c->pos > first + 1 && *first == '0')
		cursor_fail(c, "a number with a 0 in front");
	for (; first < c->pos; first++)
		if (isupper(*first))
			cursor_fail(c, "a number in capital letters");
	return c->failed ? 0 : v;
}

static int64_t scan_decimal(struct cursor *c, bool negative)
{
	uint64_t v = scan_digits(c, 10);

	if (v > (uint64_t)INT64_MAX + negative)
		cursor_fail(c, "a number of more than 64 bits");
	return c->failed ? 0 : (int64_t)(negative ? 0 - v : v);
}

int64_t scan_count(struct cursor *c)
{
	return scan_decimal(c, false);
}

int64_t scan_number(struct cursor *c)
{
	return scan_decimal(c, scan_take(c, "-"));
}

uint64_t scan_address(struct cursor *c)
{
	return scan_digits(c, 16);
}
