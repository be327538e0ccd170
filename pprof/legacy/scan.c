/* A class of characters is a function, so that a run of any class is taken by one loop. Numbers
 * follow Go's strconv, with its underscores and prefixes. */
#include "pprof/legacy/scan.h"

#include <string.h>

bool is_digit(uint8_t ch)
{
	return ch >= '0' && ch <= '9';
}

bool is_lower_xdigit(uint8_t ch)
{
	return is_digit(ch) || (ch >= 'a' && ch <= 'f');
}

bool is_xdigit(uint8_t ch)
{
	return is_lower_xdigit(ch) || (ch >= 'A' && ch <= 'F');
}

bool is_blank(uint8_t ch)
{
	return ch == ' ';
}

bool is_space(uint8_t ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\f' || ch == '\r';
}

bool is_solid(uint8_t ch)
{
	return !is_space(ch);
}

int scan_peek(const struct cursor *c, size_t at)
{
	return at < cursor_left(c) ? c->pos[at] : -1;
}

bool scan_begins(const struct cursor *c, const char *literal)
{
	size_t len = strlen(literal);

	return cursor_left(c) >= len && memcmp(c->pos, literal, len) == 0;
}

bool scan_equals(const struct cursor *c, const char *literal)
{
	return cursor_left(c) == strlen(literal) && scan_begins(c, literal);
}

bool scan_take(struct cursor *c, const char *literal)
{
	return scan_begins(c, literal) && cursor_bytes(c, strlen(literal));
}

size_t scan_skip(struct cursor *c, scan_class *class)
{
	size_t n = 0, left = cursor_left(c);

	while (n < left && class(c->pos[n]))
		n++;
	cursor_bytes(c, n);
	return n;
}

bool scan_run(struct cursor *c, scan_class *class, struct cursor *run)
{
	struct cursor from = *c;
	size_t n = scan_skip(c, class);

	*run = scan_piece(&from, 0, n);
	return n > 0;
}

bool scan_take_0x(struct cursor *c)
{
	int digit = scan_peek(c, 2);

	return digit >= 0 && is_xdigit((uint8_t)digit) && scan_take(c, "0x");
}

struct cursor scan_piece(const struct cursor *c, size_t from, size_t to)
{
	size_t left = cursor_left(c);
	struct cursor piece;

	if (to > left)
		to = left;
	if (from > to)
		from = to;
	cursor_init(&piece, c->pos + from, to - from, c->what);
	return piece;
}

ptrdiff_t scan_find(const struct cursor *c, const char *literal)
{
	size_t left = cursor_left(c);
	const uint8_t *found = left ? memmem(c->pos, left, literal, strlen(literal)) : NULL;

	return found ? found - c->pos : -1;
}

/* The characters of Go's unicode.IsSpace beyond ASCII, as UTF-8. */
static const char *const wide_spaces[] = {
	"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002",   "\u2003", "\u2004",
	"\u2005", "\u2006", "\u2007", "\u2008", "\u2009",   "\u200a", "\u2028",
	"\u2029", "\u202f", "\u205f", "\u3000", "\xc2\x85",
};

enum { WIDE_SPACES = sizeof(wide_spaces) / sizeof(*wide_spaces) };

/* The length in bytes of the white space character at the front or back of the text; 0: none. */
static size_t space_at(const uint8_t *text, size_t len, bool back)
{
	uint8_t byte = len ? text[back ? len - 1 : 0] : 0;

	if (is_space(byte) || byte == '\v')
		return 1;
	for (size_t i = 0; byte >= 0x80 && i < WIDE_SPACES; i++) {
		size_t n = strlen(wide_spaces[i]);

		if (len >= n && memcmp(back ? text + len - n : text, wide_spaces[i], n) == 0)
			return n;
	}
	return 0;
}

void scan_trim(struct cursor *c)
{
	const uint8_t *text = c->pos;
	size_t len = cursor_left(c), n;

	while ((n = space_at(text, len, false))) {
		text += n;
		len -= n;
	}
	while ((n = space_at(text, len, true)))
		len -= n;
	cursor_init(c, text, len, c->what);
}

bool scan_is_comment(struct cursor line)
{
	scan_trim(&line);
	return !cursor_left(&line) || *line.pos == '#';
}

static unsigned digit_value(uint8_t ch)
{
	if (is_digit(ch))
		return ch - '0';
	ch |= 0x20;
	return ch >= 'a' && ch <= 'z' ? ch - 'a' + 10 : 99;
}

/* strconv.underscoreOK for the digits behind the prefix: each underscore must be between two
 * digits, or between the prefix and a digit. */
static bool underscores_are_right(struct cursor digits, bool prefixed)
{
	bool after_digit = prefixed;

	while (cursor_left(&digits)) {
		bool underscore = cursor_byte(&digits) == '_';

		if (underscore && !after_digit)
			return false;
		after_digit = !underscore;
	}
	return after_digit;
}

/* Takes a number's prefix and returns the base that it names. As in strconv.ParseUint, a 0 before
 * other digits means base 8. */
static unsigned take_base(struct cursor *c)
{
	int letter = scan_peek(c, 1) | 0x20;
	unsigned base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;

	if (scan_peek(c, 0) != '0' || cursor_left(c) < 2)
		return 10;
	cursor_bytes(c, base && cursor_left(c) > 2 ? 2 : 1);
	return base ? base : 8;
}

bool scan_uint(struct cursor c, unsigned base, uint64_t *value)
{
	size_t whole = cursor_left(&c);
	bool any_base = base == 0;

	if (!whole)
		return false;
	if (any_base)
		base = take_base(&c);
	if (any_base && !underscores_are_right(c, cursor_left(&c) < whole))
		return false;
	*value = 0;
	while (cursor_left(&c)) {
		uint8_t ch = cursor_byte(&c);
		unsigned digit = digit_value(ch);

		if (any_base && ch == '_')
			continue;
		if (digit >= base || __builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, digit, value))
			return false;
	}
	return true;
}

bool scan_int(struct cursor c, unsigned base, int64_t *value)
{
	bool negative = scan_take(&c, "-");
	uint64_t magnitude;

	if (!negative)
		scan_take(&c, "+");
	if (!scan_uint(c, base, &magnitude) || magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return false;
	*value = (int64_t)(negative ? 0 - magnitude : magnitude);
	return true;
}
