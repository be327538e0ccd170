/* Reads the characters of a pattern as Go's parser does (regexp/syntax/parse.go). */
#include "pprof/select/gopattern.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/printable.h"
#include "base/utf8.h"

enum { RUNE_MAX = 0x10ffff };

int gopattern_fail(struct gopattern *p, const char *what, const char *from, const char *to)
{
	char piece[64];
	size_t len = (size_t)(to - from);

	len = len < sizeof(piece) ? len : sizeof(piece) - 1;
	memcpy(piece, from, len);
	piece[len] = '\0';
	printable(piece, sizeof(piece));
	return error_set(p->err, ERR_USAGE, "%s: '%s'", what, piece);
}

size_t gopattern_left(const struct gopattern *p)
{
	return (size_t)(p->end - p->pos);
}

bool gopattern_at(const struct gopattern *p, size_t i, char c)
{
	return gopattern_left(p) > i && p->pos[i] == c;
}

int gopattern_next(struct gopattern *p, uint32_t *rune)
{
	size_t len = 0;

	*rune = gopattern_left(p) ? utf8_next(p->pos, gopattern_left(p), &len) : 0;
	if (*rune == UTF8_REPLACEMENT && len == 1)
		return error_set(p->err, ERR_USAGE, "invalid UTF-8");
	p->pos += len;
	return 0;
}

static bool read_octal(struct gopattern *p, uint32_t first, uint32_t *rune)
{
	/* A single digit other than 0 would be a reference to a group. */
	if (first != '0' && (!gopattern_left(p) || *p->pos < '0' || *p->pos > '7'))
		return false;
	*rune = first - '0';
	for (int i = 1; i < 3 && gopattern_left(p) && *p->pos >= '0' && *p->pos <= '7'; i++)
		*rune = *rune * 8 + (uint32_t)(*p->pos++ - '0');
	return true;
}

static bool read_hex(struct gopattern *p, uint32_t *rune)
{
	size_t digits = 0;
	bool braces = gopattern_at(p, 0, '{');

	p->pos += braces;
	for (*rune = 0; gopattern_left(p) && (braces || digits < 2) &&
			isxdigit((unsigned char)*p->pos) && *rune <= RUNE_MAX;
	     digits++, p->pos++)
		*rune = *rune * 16 + (*p->pos <= '9' ? (uint32_t)*p->pos - '0' :
						       ((uint32_t)*p->pos | 0x20) - 'a' + 10);
	if (!braces)
		return digits == 2;
	return digits && *rune <= RUNE_MAX && gopattern_at(p, 0, '}') && p->pos++;
}

int gopattern_escape(struct gopattern *p, uint32_t *rune)
{
	static const char names[] = "afnrtv", values[] = "\a\f\n\r\t\v";
	const char *from = p->pos++, *name;
	uint32_t c = 0;
	bool good = false;
	int rc;

	if (!gopattern_left(p))
		return error_set(p->err, ERR_USAGE, "trailing backslash at end of expression");
	rc = gopattern_next(p, &c);
	if (rc)
		return rc;
	*rune = c;
	if (c >= '0' && c <= '7')
		good = read_octal(p, c, rune);
	else if (c == 'x')
		good = read_hex(p, rune);
	else if (c && c < 0x80 && (name = strchr(names, (int)c))) {
		*rune = (uint32_t)values[name - names];
		good = true;
	} else
		good = c < 0x80 && !isalnum((int)c);
	return good ? 0 : gopattern_fail(p, "invalid escape sequence", from, p->pos);
}
