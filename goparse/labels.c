/*
 * printquoted (src/runtime/print.go) prints strings with \n \r \t \\ \" and, for what is not
 * printable ASCII, \x, \u and \U with 2, 4 and 8 digits. An unescaped string is never longer than
 * its printed form, so room for the length of the text is enough for all.
 */
#include "goparse/labels.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "base/utf8.h"
#include "goparse/text.h"

enum { LABELS_MAX = 4096 };

/* The memory for unescaped strings; the next one goes behind the first `len` bytes. */
struct sink {
	char *text;
	size_t len;
};

static void goparse_labels_add(struct sink *s, char c)
{
	s->text[s->len++] = c;
}

static void add_rune(struct sink *s, uint32_t rune)
{
	s->len += utf8_put(s->text + s->len, rune);
}

static bool goparse_labels_take_digits(struct goparse_text *t, size_t count, uint32_t *rune)
{
	static const char hex[] = "0123456789abcdef";
	const char *digit;

	if (t->len < count)
		return false;
	*rune = 0;
	for (size_t i = 0; i < count; i++) {
		digit = memchr(hex, t->at[i], 16);
		if (!digit)
			return false;
		*rune = *rune << 4 | (uint32_t)(digit - hex);
	}
	t->at += count;
	t->len -= count;
	return true;
}

/* Takes what follows a backslash. */
static bool goparse_labels_take_escape(struct goparse_text *t, struct sink *s)
{
	static const char plain[] = "nrt\\\"", means[] = "\n\r\t\\\"";
	char c = t->len ? *t->at : '\0';
	const char *known = c ? strchr(plain, c) : NULL;
	uint32_t rune;

	if (!c)
		return false;
	t->at++;
	t->len--;
	if (known) {
		goparse_labels_add(s, means[known - plain]);
		return true;
	}
	if (!(c == 'x' && goparse_labels_take_digits(t, 2, &rune)) &&
	    !(c == 'u' && goparse_labels_take_digits(t, 4, &rune)) &&
	    !(c == 'U' && goparse_labels_take_digits(t, 8, &rune)))
		return false;
	add_rune(s, rune);
	return true;
}

static bool goparse_labels_take_quoted(struct goparse_text *t, struct sink *s)
{
	while (t->len && *t->at != '"') {
		char c = *t->at++;

		t->len--;
		if (c != '\\')
			goparse_labels_add(s, c);
		else if (!goparse_labels_take_escape(t, s))
			return false;
	}
	return goparse_text_take(t, LITERAL("\""));
}

/* A string without quotes ends at the character that separates it from the next. Go 1.27 prints an
 * empty one so, too. */
static void take_bare(struct goparse_text *t, struct sink *s)
{
	while (t->len && !memchr(":,{}\"", *t->at, 5)) {
		goparse_labels_add(s, *t->at++);
		t->len--;
	}
}

static bool goparse_labels_take_string(struct goparse_text *t, struct sink *s,
				       struct goparse_text *string)
{
	size_t start = s->len;
	bool there = true;

	if (goparse_text_take(t, LITERAL("\"")))
		there = goparse_labels_take_quoted(t, s);
	else
		take_bare(t, s);
	*string = (struct goparse_text){ s->text + start, s->len - start };
	return there;
}

static bool take_label(struct goparse_text *t, struct sink *s, struct goparse_label *label)
{
	return goparse_labels_take_string(t, s, &label->key) &&
	       goparse_text_take(t, LITERAL(": ")) &&
	       goparse_labels_take_string(t, s, &label->value);
}

int labels_parse(struct goparse_text *t, struct header_room *room, size_t *count, bool *good)
{
	struct sink s = { 0 };
	struct goparse_label label;

	*count = 0;
	if (room_for((void **)&room->text, &room->text_room, t->len, 1))
		return ERR_NOMEM;
	s.text = room->text;
	goparse_text_take(t, LITERAL("{"));
	while (!goparse_text_take(t, LITERAL("}"))) {
		if ((*count && !goparse_text_take(t, LITERAL(", "))) || *count == LABELS_MAX ||
		    !take_label(t, &s, &label)) {
			*good = false;
			return 0;
		}
		if (room_for((void **)&room->labels, &room->label_room, *count + 1,
			     sizeof(*room->labels)))
			return ERR_NOMEM;
		room->labels[(*count)++] = label;
	}
	return 0;
}
