/* The header is taken apart from the front, token by token. Attributes are recognized by their
 * words; an unknown one is noted, and the rest is read all the same. */
#include "goparse/header.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "base/utf8.h"
#include "goparse/text.h"

enum { FRONT_MAX = sizeof("goroutine 18446744073709551615 gp=") };

bool header_begins(struct goparse_text line)
{
	return text_starts(line, LITERAL("goroutine ")) || text_is(line, LITERAL("goroutine"));
}

/* "goroutine 18 [" or "goroutine 18 gp=" */
static bool is_front(struct goparse_text t)
{
	uint64_t id;

	return text_take(&t, LITERAL("goroutine ")) && text_take_number(&t, &id) &&
	       (text_starts(t, LITERAL(" [")) || text_starts(t, LITERAL(" gp=")));
}

static bool header_is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* "\033[31m", the colour of what follows (ECMA-48, SGR) */
static bool ends_colour(struct goparse_text t)
{
	if (!text_take_end(&t, LITERAL("m")))
		return false;
	while (t.len && strchr("0123456789;", t.at[t.len - 1]))
		t.len--;
	return text_take_end(&t, LITERAL("\033["));
}

/* True if what is at `at` is the end of a word. An escaped newline is none. */
static bool ends_word(struct goparse_text line, const char *at)
{
	struct goparse_text before = { line.at, (size_t)(at - line.at) };

	if (!before.len || text_take_end(&before, LITERAL("\\n")) ||
	    text_take_end(&before, LITERAL("#012")) || ends_colour(before))
		return false;
	return header_is_word(at[-1]);
}

const char *header_front(struct goparse_text line, size_t most)
{
	static const char word[] = "goroutine ";
	const char *end = line.at + line.len, *at = line.at, *last = end;

	if (most < line.len && line.len - most > sizeof(word) - 1)
		last = line.at + most + sizeof(word) - 1;
	while ((at = memmem(at, (size_t)(last - at), word, sizeof(word) - 1))) {
		if (!ends_word(line, at) &&
		    is_front((struct goparse_text){ at, (size_t)(end - at) }))
			return at;
		at++;
	}
	return NULL;
}

/* Takes colons off the end but for one: a logger has added its own. */
static void trim_colons(struct goparse_text *line)
{
	while (line->len > 1 && line->at[line->len - 1] == ':' && line->at[line->len - 2] == ':')
		line->len--;
}

bool header_find(struct goparse_text line, struct goparse_text *header)
{
	struct goparse_text end = line;
	const char *at;

	*header = line;
	if (header_begins(line))
		return true;
	trim_colons(&end);
	if (!text_take_end(&end, LITERAL("]:")) && !text_take_end(&end, LITERAL("}:")))
		return false;
	at = header_front(line, HEADER_PREFIX_MAX);
	if (at)
		*header = (struct goparse_text){ at, (size_t)(line.at + line.len - at) };
	return at != NULL;
}

uint64_t header_id(struct goparse_text header)
{
	uint64_t id = 0;

	(void)(text_take(&header, LITERAL("goroutine ")) && text_take_number(&header, &id));
	return id;
}

bool header_may_follow(struct goparse_text part)
{
	return part.len < HEADER_PREFIX_MAX + FRONT_MAX || header_begins(part) ||
	       header_front(part, HEADER_PREFIX_MAX) != NULL;
}

/* "nil" or "0x…" */
static bool take_pointer(struct goparse_text *t, uint64_t *pointer)
{
	*pointer = 0;
	return text_take(t, LITERAL("nil")) || text_take_hex(t, pointer);
}

/* Takes " gp=0xc000002380 m=0 mp=0x5b2c60" or " gp=0xc000002380 m=nil", if it is there. */
static bool take_addresses(struct goparse_text *t, struct goparse_goroutine *g)
{
	uint64_t m = 0;
	bool negative;

	if (!text_take(t, LITERAL(" gp=")))
		return true;
	g->has_gp = g->has_m = true;
	g->m = -1;
	if (!take_pointer(t, &g->gp) || !text_take(t, LITERAL(" m=")))
		return false;
	if (text_take(t, LITERAL("nil")))
		return true;
	negative = text_take(t, LITERAL("-"));
	if (!text_take_number(t, &m) || m > INT64_MAX)
		return false;
	g->m = negative ? -(int64_t)m : (int64_t)m;
	return text_take(t, LITERAL(" mp=")) && take_pointer(t, &g->mp);
}

/* Takes the text up to the end of a state or an attribute. */
static struct goparse_text take_words(struct goparse_text *t)
{
	struct goparse_text words = { t->at, 0 };

	while (words.len < t->len && !memchr(",]{", t->at[words.len], 3))
		words.len++;
	t->at += words.len;
	t->len -= words.len;
	return words;
}

/* Takes the flags that the runtime adds to a state in parentheses. */
static unsigned take_flags(struct goparse_text *state)
{
	unsigned flags = 0, before;

	do {
		before = flags;
		if (text_take_end(state, LITERAL(" (scan)")))
			flags |= GOPARSE_SCAN;
		else if (text_take_end(state, LITERAL(" (leaked)")))
			flags |= GOPARSE_LEAKED;
		else if (text_take_end(state, LITERAL(" (durable)")))
			flags |= GOPARSE_DURABLE;
		else if (text_take_end(state, LITERAL(" (synctest)")))
			flags |= GOPARSE_SYNCTEST;
	} while (flags != before);
	return flags;
}

static uint64_t minutes(uint64_t n)
{
	uint64_t ns;

	return __builtin_mul_overflow(n, (uint64_t)60000000000, &ns) ? UINT64_MAX : ns;
}

/* "2 minutes", "locked to thread", "synctest bubble 3", "synctest group 3" */
static bool attribute(struct goparse_text t, struct goparse_goroutine *g)
{
	uint64_t n;

	if (text_is(t, LITERAL("locked to thread")))
		return g->locked = true;
	if (text_take(&t, LITERAL("synctest bubble ")))
		return text_take_number(&t, &g->bubble) && !t.len;
	if (text_take(&t, LITERAL("synctest group ")))
		return text_take_number(&t, &g->group) && !t.len;
	if (!text_take_number(&t, &n) || !text_is(t, LITERAL(" minutes")))
		return false;
	g->wait_ns = minutes(n);
	return true;
}

/* Reads "goroutine 18 gp=… [chan receive". */
static bool parse_front(struct goparse_text *t, struct goparse_goroutine *g)
{
	if (!text_take(t, LITERAL("goroutine ")) || !text_take_number(t, &g->stack.id) ||
	    !take_addresses(t, g) || !text_take(t, LITERAL(" [")))
		return false;
	g->state = take_words(t);
	text_take_end(&g->state, LITERAL(" labels:"));
	g->flags = take_flags(&g->state);
	return g->state.len;
}

/*
 * Labels: {"key": "value", other: "x"}. printquoted (src/runtime/print.go) prints strings with \n
 * \r \t \\ \" and, for what is not printable ASCII, \x, \u and \U with 2, 4 and 8 digits. An
 * unescaped string is never longer than its printed form, so room for the length of the text is
 * enough for all.
 */

enum { LABELS_MAX = 4096 };

/* The memory for unescaped strings; the next one goes behind the first `len` bytes. */
struct sink {
	char *text;
	size_t len;
};

static void header_add(struct sink *s, char c)
{
	s->text[s->len++] = c;
}

static void add_rune(struct sink *s, uint32_t rune)
{
	s->len += utf8_put(s->text + s->len, rune);
}

static bool header_take_digits(struct goparse_text *t, size_t count, uint32_t *rune)
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
static bool header_take_escape(struct goparse_text *t, struct sink *s)
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
		header_add(s, means[known - plain]);
		return true;
	}
	if (!(c == 'x' && header_take_digits(t, 2, &rune)) &&
	    !(c == 'u' && header_take_digits(t, 4, &rune)) &&
	    !(c == 'U' && header_take_digits(t, 8, &rune)))
		return false;
	add_rune(s, rune);
	return true;
}

static bool header_take_quoted(struct goparse_text *t, struct sink *s)
{
	while (t->len && *t->at != '"') {
		char c = *t->at++;

		t->len--;
		if (c != '\\')
			header_add(s, c);
		else if (!header_take_escape(t, s))
			return false;
	}
	return text_take(t, LITERAL("\""));
}

/* A string without quotes ends at the character that separates it from the next. Go 1.27 prints an
 * empty one so, too. */
static void take_bare(struct goparse_text *t, struct sink *s)
{
	while (t->len && !memchr(":,{}\"", *t->at, 5)) {
		header_add(s, *t->at++);
		t->len--;
	}
}

static bool header_take_string(struct goparse_text *t, struct sink *s, struct goparse_text *string)
{
	size_t start = s->len;
	bool there = true;

	if (text_take(t, LITERAL("\"")))
		there = header_take_quoted(t, s);
	else
		take_bare(t, s);
	*string = (struct goparse_text){ s->text + start, s->len - start };
	return there;
}

static bool take_label(struct goparse_text *t, struct sink *s, struct goparse_label *label)
{
	return header_take_string(t, s, &label->key) && text_take(t, LITERAL(": ")) &&
	       header_take_string(t, s, &label->value);
}

/* Takes the braces and what is between them from the text, and stores the labels in room->labels;
 * *count is their number. If they are broken, *good becomes false, the labels before the error are
 * kept, and *t begins at the error. 0 or ERR_NOMEM. */
static int labels_parse(struct goparse_text *t, struct header_room *room, size_t *count, bool *good)
{
	struct sink s = { 0 };
	struct goparse_label label;

	*count = 0;
	if (room_for((void **)&room->text, &room->text_room, t->len, 1))
		return ERR_NOMEM;
	s.text = room->text;
	text_take(t, LITERAL("{"));
	while (!text_take(t, LITERAL("}"))) {
		if ((*count && !text_take(t, LITERAL(", "))) || *count == LABELS_MAX ||
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

/* The header. */

/* Go 1.26 prints labels within the bracket, " labels:{…}"; labels behind it are read, too. */
static int parse_labels(struct goparse_text *t, struct goparse_goroutine *g,
			struct header_room *room, bool *good)
{
	int rc = t->len && *t->at == '{' ? labels_parse(t, room, &g->label_count, good) : 0;

	if (g->label_count)
		g->labels = room->labels;
	return rc;
}

/* Reads what follows the state: ", 2 minutes, locked to thread labels:{…}]:" */
static int parse_back(struct goparse_text t, struct goparse_goroutine *g, struct header_room *room,
		      bool *good)
{
	struct goparse_text words;
	int rc;

	while (text_take(&t, LITERAL(", "))) {
		words = take_words(&t);
		text_take_end(&words, LITERAL(" labels:"));
		if (!attribute(words, g))
			*good = false;
	}
	rc = parse_labels(&t, g, room, good);
	if (!rc && text_take(&t, LITERAL("] ")))
		rc = parse_labels(&t, g, room, good);
	else
		*good &= text_take(&t, LITERAL("]"));
	*good &= text_is(t, LITERAL(":"));
	return rc;
}

int header_parse(struct goparse_text line, struct goparse_goroutine *g, struct header_room *room,
		 enum header_found *found)
{
	struct goparse_text rest;
	bool good = true;
	int rc;

	*found = HEADER_NONE;
	trim_colons(&line);
	rest = line;
	if (!text_take_end(&line, LITERAL("]:")) && !text_take_end(&line, LITERAL("}:")))
		return 0;
	if (!parse_front(&rest, g)) {
		*g = (struct goparse_goroutine){ .line = g->line };
		return 0;
	}
	rc = parse_back(rest, g, room, &good);
	*found = good ? HEADER_WHOLE : HEADER_PARTLY;
	return rc;
}

void header_release(struct header_room *room)
{
	free(room->labels);
	free(room->text);
	*room = (struct header_room){ 0 };
}

bool header_ancestor_begins(struct goparse_text line)
{
	return text_starts(line, LITERAL("[originating from goroutine "));
}

bool header_ancestor(struct goparse_text line, uint64_t *id)
{
	return text_take(&line, LITERAL("[originating from goroutine ")) &&
	       text_take_number(&line, id) && text_is(line, LITERAL("]:"));
}
