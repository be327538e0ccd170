#include "pprof/report/shortname.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char dots[] = "…";

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t columns_of(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += begins_character(*text);
	return count;
}

/* Is the bracket a part of "operator<", "operator<<" or "operator()"? */
static bool is_operator(const char *text, size_t at)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1;

	while (at && text[at] == '<' && text[at - 1] == '<')
		at--;
	return at >= len && !memcmp(text + at - len, word, len);
}

/* The bracket that closes the one at text[open], or 0. */
static size_t closing(const char *text, size_t open)
{
	char opens = text[open], closes = opens == '<' ? '>' : ')';
	size_t depth = 0;

	for (size_t i = open; text[i]; i++) {
		if (text[i] == closes && i > open && text[i - 1] == '-')
			continue; /* -> */
		depth += text[i] == opens;
		if (text[i] == closes && !--depth)
			return i;
	}
	return 0;
}

/* Does a list of arguments begin there? "<unknown>", "(anonymous namespace)" and Go's "(*T)" are
 * names. */
static bool is_list(const char *text, size_t at, char opens)
{
	char before = at ? text[at - 1] : ':';

	if (text[at] != opens || is_operator(text, at))
		return false;
	return opens == '<' ? isalnum((unsigned char)before) || before == '_' :
			      !strchr(": .,*&(", before);
}

/* Replaces what stands in brackets by dots, in place. */
static void fold(char *text, char opens)
{
	size_t to = 0, close;

	for (size_t i = 0; text[i]; i++) {
		bool list = is_list(text, i, opens) && (close = closing(text, i)) != 0;

		text[to++] = text[i];
		if (!list || close - i <= sizeof(dots))
			continue;
		memcpy(text + to, dots, sizeof(dots) - 1);
		to += sizeof(dots) - 1;
		i = close - 1;
	}
	text[to] = '\0';
}

static size_t bytes_of(const char *text, size_t columns)
{
	size_t i = 0;

	for (; text[i]; i++)
		if (begins_character(text[i]) && !columns--)
			break;
	return i;
}

static void cut(char *text, size_t columns)
{
	size_t have = columns_of(text), head, tail;

	if (have <= columns)
		return;
	columns = columns ? columns - 1 : 0;
	head = bytes_of(text, columns / 2);
	tail = bytes_of(text, have - (columns - columns / 2));
	memmove(text + head + sizeof(dots) - 1, text + tail, strlen(text + tail) + 1);
	memcpy(text + head, dots, sizeof(dots) - 1);
}

const char *shortname(const char *name, size_t columns, char *text)
{
	size_t len = strnlen(name, SHORTNAME_MAX - sizeof(dots)); /* room for the dots */

	memcpy(text, name, len);
	text[len] = '\0';
	if (columns_of(text) > columns)
		fold(text, '<');
	if (columns_of(text) > columns)
		fold(text, '(');
	cut(text, columns);
	return text;
}
