/* The cursor is the parser's only state. Texts are decoded into the caller's room, and what cannot
 * be shown becomes '?' there, so no name needs another check. */
#include "base/jsonread.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/printable.h"
#include "base/utf8.h"

enum { DEPTH = 64, NUMBER_ROOM = 48 };

struct jsonread_text {
	char *to;
	size_t len, room; /* room without the NUL */
	bool full;	  /* a character did not fit: all that follow are dropped */
};

static void blanks(struct cursor *c)
{
	while (cursor_left(c) && *c->pos && strchr(" \t\r\n", *c->pos))
		cursor_byte(c);
}

static int jsonread_peek(struct cursor *c)
{
	blanks(c);
	return cursor_left(c) ? *c->pos : -1;
}

bool jsonread_open(struct cursor *c, char open)
{
	blanks(c);
	cursor_expect(c, open);
	return true;
}

bool jsonread_more(struct cursor *c, bool *first, char close)
{
	bool at_first = *first;

	*first = false;
	if (jsonread_peek(c) == close) {
		cursor_byte(c);
		return false;
	}
	if (!at_first)
		cursor_expect(c, ',');
	return !c->failed;
}

/* Adds one character of `len` bytes, or nothing of it. */
static void jsonread_add(struct jsonread_text *t, const char *bytes, size_t len)
{
	t->full |= len > t->room - t->len;
	if (t->full)
		return;
	memcpy(t->to + t->len, bytes, len);
	t->len += len;
}

static void jsonread_add_character(struct jsonread_text *t, uint32_t ch)
{
	char utf8[4];
	size_t len = utf8_put(utf8, ch);
	bool shown = printable_next(utf8, len, &len);

	jsonread_add(t, shown ? utf8 : "?", shown ? len : 1);
}

static uint32_t four_digits(struct cursor *c)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		int digit = cursor_byte(c);

		if (!isxdigit(digit))
			cursor_fail(c, "no hexadecimal digit");
		value = value * 16 +
			(uint32_t)(isdigit(digit) ? digit - '0' : (digit | 32) - 'a' + 10);
	}
	return c->failed ? 0 : value;
}

/* Two \u escapes are one character beyond U+FFFF (RFC 8259, section 7); a lone half is none. */
static uint32_t escaped(struct cursor *c)
{
	uint32_t high = four_digits(c), low;

	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || cursor_left(c) < 6 || c->pos[0] != '\\' || c->pos[1] != 'u')
		return 0xfffd;
	cursor_bytes(c, 2);
	low = four_digits(c);
	return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00)) :
						0xfffd;
}

static void escape(struct cursor *c, struct jsonread_text *t)
{
	int ch = cursor_byte(c);

	if (ch == 'u')
		jsonread_add_character(t, escaped(c));
	else if (ch && strchr("\"\\/", ch))
		jsonread_add_character(t, (uint32_t)ch);
	else if (ch && strchr("bfnrt", ch))
		jsonread_add_character(t, '?');
	else
		cursor_fail(c, "no such escape");
}

/* The character whose first byte was read. */
static void raw(struct cursor *c, struct jsonread_text *t, int first)
{
	const char *start = (const char *)c->pos - 1;
	size_t size;
	bool shown = printable_next(start, cursor_left(c) + 1, &size);

	if (first < ' ')
		cursor_fail(c, "a control character in a string");
	cursor_bytes(c, size - 1);
	jsonread_add(t, shown ? start : "?", shown ? size : 1);
}

void jsonread_text(struct cursor *c, char *text, size_t room)
{
	struct jsonread_text t = { .to = text, .room = room - 1 };
	int ch;

	if (!jsonread_null(c)) {
		cursor_expect(c, '"');
		while (!c->failed && (ch = cursor_byte(c)) != '"') {
			if (c->failed)
				break;
			if (ch == '\\')
				escape(c, &t);
			else
				raw(c, &t, ch);
		}
	}
	text[c->failed ? 0 : t.len] = '\0';
}

void jsonread_key(struct cursor *c, char *key, size_t room)
{
	if (jsonread_peek(c) != '"')
		cursor_fail(c, "no name of a member");
	jsonread_text(c, key, room);
	blanks(c);
	cursor_expect(c, ':');
}

uint64_t jsonread_uint(struct cursor *c)
{
	blanks(c);
	return cursor_number(c, 10);
}

double jsonread_number(struct cursor *c)
{
	char text[NUMBER_ROOM];
	size_t len = 0;
	double value;
	char *end;

	if (jsonread_null(c))
		return NAN;
	while (cursor_left(c) && *c->pos && strchr("+-.0123456789eE", *c->pos)) {
		if (len < sizeof(text) - 1)
			text[len++] = (char)*c->pos;
		cursor_byte(c);
	}
	text[len] = '\0';
	value = strtod(text, &end);
	if (!len || *end || len == sizeof(text) - 1 || !isfinite(value))
		cursor_fail(c, "no number");
	return c->failed ? NAN : value;
}

static bool jsonread_take_word(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	blanks(c);
	if (cursor_left(c) < len || memcmp(c->pos, word, len) != 0)
		return false;
	cursor_bytes(c, len);
	return true;
}

bool jsonread_null(struct cursor *c)
{
	return jsonread_take_word(c, "null");
}

bool jsonread_bool(struct cursor *c)
{
	bool value = jsonread_take_word(c, "true");

	if (!value && !jsonread_take_word(c, "false"))
		cursor_fail(c, "neither true nor false");
	return value;
}

static void skip_within(struct cursor *c, int depth)
{
	int kind = jsonread_peek(c), close = kind == '{' ? '}' : ']';
	char text[8];

	if (depth > DEPTH) {
		cursor_fail(c, "too many values within each other");
	} else if (kind == '{' || kind == '[') {
		for (bool first = jsonread_open(c, (char)kind);
		     jsonread_more(c, &first, (char)close);) {
			if (kind == '{')
				jsonread_key(c, text, sizeof(text));
			skip_within(c, depth + 1);
		}
	} else if (kind == '"') {
		jsonread_text(c, text, sizeof(text));
	} else if (kind == 't' || kind == 'f') {
		jsonread_bool(c);
	} else {
		jsonread_number(c);
	}
}

void jsonread_skip(struct cursor *c)
{
	skip_within(c, 0);
}

bool jsonread_left(struct cursor *c)
{
	return jsonread_peek(c) >= 0;
}

void jsonread_end(struct cursor *c)
{
	if (jsonread_left(c))
		cursor_fail(c, "more than one value");
}
