/*
 * One pass over the pattern, piece by piece. PCRE2 scopes (?i) as Go does, so (?i) or (?-i) is
 * written only before a piece that needs another state than the previous one.
 *
 * Go's parser keeps a stack of pieces, with a visible effect: a repetition applies to the last
 * piece even if something that is not a piece stands between, as in a(?i)*. Therefore the offset
 * of the last piece in the output is kept.
 */
#include "pprof/select/gosyntax.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "pprof/select/goclass.h"

enum { FOLD = 1, MULTILINE = 2, DOT_ALL = 4, UNGREEDY = 8 };
enum { REPEAT_MAX = 1000, RUNE_MAX = 0x10ffff };

struct group {
	size_t at;	/* offset in the output */
	unsigned flags; /* this and `folding`: as they were before the group */
	bool folding;
	unsigned most; /* translation.most, as it was before the group */
};

struct translation {
	const char *pos, *end;
	struct buffer *out;
	struct error *err;
	unsigned flags;	    /* in force at this point of the pattern */
	bool folding;	    /* FOLD is in force at this point of the output */
	bool has_piece;	    /* there is a last piece, which a repetition can apply to */
	size_t piece;	    /* its offset in the output */
	bool is_repeated;   /* it has a repetition already */
	const char *repeat; /* in the pattern: the repetition just before this point, or NULL */
	bool grouping;	    /* every piece that is repeated is put into a group */
	unsigned
		copies; /* how often counted repetitions, also nested ones, repeat the last piece */
	unsigned most;	/* the largest `copies` of the pieces before it in this group */
	size_t depth;
	struct group groups[GOSYNTAX_NESTING];
};

static int gosyntax_fail(struct translation *t, const char *what, const char *from, const char *to)
{
	char piece[64];
	size_t len = (size_t)(to - from);

	len = len < sizeof(piece) ? len : sizeof(piece) - 1;
	memcpy(piece, from, len);
	piece[len] = '\0';
	printable(piece, sizeof(piece));
	return error_set(t->err, ERR_USAGE, "%s: '%s'", what, piece);
}

static int checked(struct translation *t, int rc)
{
	return rc == ERR_NOMEM ? error_nomem(t->err) : rc;
}

static size_t gosyntax_left(const struct translation *t)
{
	return (size_t)(t->end - t->pos);
}

static bool at(const struct translation *t, size_t i, char c)
{
	return gosyntax_left(t) > i && t->pos[i] == c;
}

/* Takes the next character of the pattern; 0 at the end, but callers check that there is one. */
static int gosyntax_next(struct translation *t, uint32_t *rune)
{
	size_t len = 0;

	*rune = gosyntax_left(t) ? utf8_next(t->pos, gosyntax_left(t), &len) : 0;
	if (*rune == UTF8_REPLACEMENT && len == 1)
		return error_set(t->err, ERR_USAGE, "invalid UTF-8");
	t->pos += len;
	return 0;
}

static void end_piece(struct translation *t)
{
	if (t->has_piece && t->copies > t->most)
		t->most = t->copies;
}

/* Begins a piece in the output. */
static int gosyntax_begin(struct translation *t)
{
	bool fold = t->flags & FOLD;

	end_piece(t);
	t->copies = 1;
	if (fold != t->folding && buffer_addf(t->out, fold ? "(?i)" : "(?-i)"))
		return checked(t, ERR_NOMEM);
	t->folding = fold;
	t->piece = t->out->len;
	t->has_piece = true;
	t->is_repeated = false;
	return 0;
}

static int gosyntax_add_piece(struct translation *t, const char *text)
{
	int rc = gosyntax_begin(t);

	return rc ? rc : checked(t, buffer_add(t->out, text, strlen(text)));
}

static int add_literal(struct translation *t, uint32_t rune)
{
	int rc = gosyntax_begin(t);

	if (rc)
		return rc;
	return checked(t, rune < 0x80 && isalnum((int)rune) ?
				  buffer_addf(t->out, "%c", (char)rune) :
				  buffer_addf(t->out, "\\x{%x}", rune));
}

static int gosyntax_hex_digit(uint32_t c)
{
	return c >= '0' && c <= '9' ? (int)c - '0' :
	       c >= 'a' && c <= 'f' ? (int)c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? (int)c - 'A' + 10 :
				      -1;
}

static bool read_octal(struct translation *t, uint32_t first, uint32_t *rune)
{
	/* A single digit other than 0 would be a reference to a group. */
	if (first != '0' && (!gosyntax_left(t) || *t->pos < '0' || *t->pos > '7'))
		return false;
	*rune = first - '0';
	for (int i = 1; i < 3 && gosyntax_left(t) && *t->pos >= '0' && *t->pos <= '7'; i++)
		*rune = *rune * 8 + (uint32_t)(*t->pos++ - '0');
	return true;
}

static bool read_hex(struct translation *t, uint32_t *rune)
{
	size_t digits = 0;
	bool braces = at(t, 0, '{');

	t->pos += braces;
	*rune = 0;
	while (gosyntax_left(t) && (braces || digits < 2) &&
	       gosyntax_hex_digit((unsigned char)*t->pos) >= 0 && *rune <= RUNE_MAX) {
		*rune = *rune * 16 + (uint32_t)gosyntax_hex_digit((unsigned char)*t->pos++);
		digits++;
	}
	if (!braces)
		return digits == 2;
	return digits && *rune <= RUNE_MAX && at(t, 0, '}') && t->pos++;
}

/* Reads an escaped character, which is neither a class nor an assertion (parser.parseEscape).
 * t->pos is at the backslash. */
static int read_escape(struct translation *t, uint32_t *rune)
{
	static const char names[] = "afnrtv", values[] = "\a\f\n\r\t\v";
	const char *from = t->pos++, *name;
	uint32_t c = 0;
	bool good = false;
	int rc;

	if (!gosyntax_left(t))
		return error_set(t->err, ERR_USAGE, "trailing backslash at end of expression");
	rc = gosyntax_next(t, &c);
	if (rc)
		return rc;
	*rune = c;
	if (c >= '0' && c <= '7')
		good = read_octal(t, c, rune);
	else if (c == 'x')
		good = read_hex(t, rune);
	else if (c && c < 0x80 && (name = strchr(names, (int)c))) {
		*rune = (uint32_t)values[name - names];
		good = true;
	} else
		good = c < 0x80 && !isalnum((int)c);
	return good ? 0 : gosyntax_fail(t, "invalid escape sequence", from, t->pos);
}

/* \pL, \p{Greek}, \P{^Greek}; t->pos is at the backslash. */
static int add_unicode_class(struct translation *t)
{
	const char *from = t->pos, *name = t->pos + 2, *end = name + 1;
	bool opposite = t->pos[1] == 'P';
	int rc = ERR_NOTFOUND;

	if (name < t->end && *name == '{') {
		name++;
		end = memchr(name, '}', (size_t)(t->end - name));
	}
	if (end && end <= t->end) {
		t->pos = end + (name[-1] == '{');
		if (name < end && *name == '^') {
			opposite = !opposite;
			name++;
		}
		rc = goclass_unicode(name, (size_t)(end - name), opposite, t->flags & FOLD, t->out);
	}
	if (rc == ERR_NOTFOUND)
		return gosyntax_fail(t, "invalid character class range", from,
				     end && end < t->end ? t->pos : t->end);
	return checked(t, rc);
}

/* [:alpha:], [:^alpha:]. ERR_NOTFOUND: the bracket is an ordinary character. */
static int add_posix_class(struct translation *t)
{
	const char *from = t->pos, *name = t->pos + 2;
	const char *end = memmem(name, (size_t)(t->end - name), ":]", 2);
	bool opposite;
	int rc;

	if (!end)
		return ERR_NOTFOUND;
	opposite = name < end && *name == '^';
	name += opposite;
	t->pos = end + 2;
	/* Names of one letter in the table are \d, \s and \w, not POSIX classes. */
	rc = end - name < 2 ?
		     ERR_NOTFOUND :
		     goclass_ascii(name, (size_t)(end - name), opposite, t->flags & FOLD, t->out);
	if (rc == ERR_NOTFOUND)
		return gosyntax_fail(t, "invalid character class range", from, t->pos);
	return checked(t, rc);
}

/* Adds the named class at t->pos; ERR_NOTFOUND if there is none. */
static int add_class(struct translation *t, bool in_brackets)
{
	char name;

	if (in_brackets && gosyntax_left(t) > 2 && at(t, 0, '[') && at(t, 1, ':'))
		return add_posix_class(t);
	if (gosyntax_left(t) < 2 || *t->pos != '\\')
		return ERR_NOTFOUND;
	if (t->pos[1] == 'p' || t->pos[1] == 'P')
		return add_unicode_class(t);
	if (!memchr("dDsSwW", t->pos[1], 6))
		return ERR_NOTFOUND;
	name = (char)tolower(t->pos[1]);
	t->pos += 2;
	return checked(t, goclass_ascii(&name, 1, t->pos[-1] != name, t->flags & FOLD, t->out));
}

static int class_character(struct translation *t, const char *from, uint32_t *rune)
{
	if (!gosyntax_left(t))
		return gosyntax_fail(t, "missing closing ]", from, t->end);
	return *t->pos == '\\' ? read_escape(t, rune) : gosyntax_next(t, rune);
}

static int add_class_range(struct translation *t, const char *from)
{
	const char *range = t->pos;
	uint32_t first, last;
	int rc = class_character(t, from, &first);

	if (rc)
		return rc;
	last = first;
	/* In [a-] the hyphen is a character. */
	if (gosyntax_left(t) >= 2 && *t->pos == '-' && t->pos[1] != ']') {
		t->pos++;
		rc = class_character(t, from, &last);
		if (!rc && last < first)
			rc = gosyntax_fail(t, "invalid character class range", range, t->pos);
	}
	return rc ? rc : checked(t, buffer_addf(t->out, "\\x{%x}-\\x{%x}", first, last));
}

static int add_brackets(struct translation *t)
{
	const char *from = t->pos++;
	bool opposite = at(t, 0, '^'), first = true;
	int rc = gosyntax_add_piece(t, opposite ? "[^" : "[");

	t->pos += opposite;
	for (; !rc && (first || !at(t, 0, ']')); first = false) {
		rc = add_class(t, true);
		if (rc == ERR_NOTFOUND)
			rc = add_class_range(t, from);
	}
	t->pos += !rc;
	return rc ? rc : checked(t, buffer_add(t->out, "]", 1));
}

/* Puts the last piece into a group, so that it can have another repetition: a*(?i)* is (a*)*. */
static int wrap_piece(struct translation *t)
{
	size_t behind = t->out->len - t->piece;

	if (buffer_add(t->out, "(?:)", 4))
		return ERR_NOMEM;
	memmove(t->out->data + t->piece + 3, t->out->data + t->piece, behind);
	memcpy(t->out->data + t->piece, "(?:", 3);
	t->out->data[t->out->len - 1] = ')';
	return 0;
}

static int add_repeat(struct translation *t, const char *from, const char *text)
{
	const char *before = t->repeat;

	if (at(t, 0, '?'))
		t->pos++; /* lazy: the same texts match */
	if (before)
		return gosyntax_fail(t, "invalid nested repetition operator", before, t->pos);
	if (!t->has_piece)
		return gosyntax_fail(t, "missing argument to repetition operator", from, t->pos);
	if (((t->is_repeated || t->grouping) && wrap_piece(t)) ||
	    buffer_add(t->out, text, strlen(text)))
		return checked(t, ERR_NOMEM);
	t->is_repeated = true;
	t->repeat = from;
	return 0;
}

/* A number without leading zeros. One above REPEAT_MAX gives some number above REPEAT_MAX. */
static bool read_count(struct translation *t, const char **pos, uint32_t *n)
{
	const char *p = *pos;

	*n = 0;
	if (p == t->end || !isdigit((unsigned char)*p) ||
	    (*p == '0' && p + 1 < t->end && isdigit((unsigned char)p[1])))
		return false;
	for (; p < t->end && isdigit((unsigned char)*p); p++)
		*n = *n > REPEAT_MAX ? *n : *n * 10 + (uint32_t)(*p - '0');
	*pos = p;
	return true;
}

/* Nested repetitions count together (regexp/syntax/parse.go, repeatIsValid). `count` is the larger
 * number of the braces; a piece that occurs no times counts once, whatever is in it. */
static int count_copies(struct translation *t, uint32_t count, bool never, const char *from)
{
	if (never)
		t->copies = 1;
	else if (count)
		t->copies *= count;
	return t->copies > REPEAT_MAX ? gosyntax_fail(t, "invalid repeat count", from, t->pos) : 0;
}

/* {2}, {2,}, {2,5}. In anything else the brace is an ordinary character. */
static int add_braces(struct translation *t)
{
	const char *from = t->pos, *p = t->pos + 1;
	bool open = false;
	uint32_t min, max;
	char text[32];
	int rc;

	if (!read_count(t, &p, &min))
		goto literal;
	max = min;
	if (p < t->end && *p == ',') {
		p++;
		open = p < t->end && *p == '}';
		if (!open && !read_count(t, &p, &max))
			goto literal;
	}
	if (p == t->end || *p != '}')
		goto literal;
	t->pos = p + 1;
	if (min > REPEAT_MAX || max > REPEAT_MAX || min > max)
		return gosyntax_fail(t, "invalid repeat count", from, t->pos);
	if (open)
		snprintf(text, sizeof(text), "{%u,}", min);
	else
		snprintf(text, sizeof(text), "{%u,%u}", min, max);
	rc = add_repeat(t, from, text);
	return rc ? rc : count_copies(t, max, !open && !max, from);
literal:
	t->pos++;
	return add_literal(t, '{');
}

static int open_group(struct translation *t)
{
	struct group *g = &t->groups[t->depth];
	int rc;

	if (t->depth == GOSYNTAX_NESTING)
		return error_set(t->err, ERR_LIMIT, "more than %d groups inside each other",
				 GOSYNTAX_NESTING);
	rc = gosyntax_add_piece(t, "(?:");
	*g = (struct group){ t->piece, t->flags, t->folding, t->most };
	t->depth++;
	t->most = 1;
	t->has_piece = false;
	return rc;
}

static int close_group(struct translation *t)
{
	const struct group *g;

	if (!t->depth)
		return error_set(t->err, ERR_USAGE, "unexpected )");
	g = &t->groups[--t->depth];
	end_piece(t);
	t->copies = t->most;
	t->most = g->most;
	t->flags = g->flags;
	t->folding = g->folding;
	t->piece = g->at;
	t->has_piece = true;
	t->is_repeated = false;
	return checked(t, buffer_add(t->out, ")", 1));
}

/* (?P<name>…), (?<name>…): the name is not used. */
static int open_named_group(struct translation *t, const char *name)
{
	const char *from = t->pos, *p = name;

	while (p < t->end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	if (p == t->end || *p != '>' || p == name)
		return gosyntax_fail(t, "invalid named capture", from, p < t->end ? p + 1 : p);
	t->pos = p + 1;
	return open_group(t);
}

/* (?i), (?i-s:…), (?:…) (parser.parsePerlFlags); t->pos is at the parenthesis. */
static int gosyntax_read_flags(struct translation *t)
{
	static const char names[] = "imsU";
	const char *from = t->pos, *p = t->pos + 2;
	unsigned flags = t->flags, outer = t->flags;
	bool minus = false, any = false;
	int rc = 0;

	for (; p < t->end && *p != ':' && *p != ')'; p++) {
		const char *name = *p ? strchr(names, *p) : NULL;
		unsigned bit = name ? 1u << (name - names) : 0;

		if (!name && (*p != '-' || minus))
			return gosyntax_fail(t, "invalid or unsupported Perl syntax", from, p + 1);
		any = name != NULL;
		minus = minus || !name;
		flags = minus ? flags & ~bit : flags | bit;
	}
	if (p == t->end || (minus && !any))
		return gosyntax_fail(t, "invalid or unsupported Perl syntax", from, p);
	t->pos = p + 1;
	if (*p == ':') {
		rc = open_group(t);
		if (!rc)
			t->groups[t->depth - 1].flags = outer;
	}
	t->flags = flags;
	return rc;
}

static int add_parenthesis(struct translation *t)
{
	if (!at(t, 1, '?')) {
		t->pos++;
		return open_group(t);
	}
	if (gosyntax_left(t) > 4 && at(t, 2, 'P') && at(t, 3, '<'))
		return open_named_group(t, t->pos + 4);
	if (gosyntax_left(t) > 3 && at(t, 2, '<'))
		return open_named_group(t, t->pos + 3);
	return gosyntax_read_flags(t);
}

/* \Q…\E, or \Q to the end of the pattern. */
static int gosyntax_add_quoted(struct translation *t)
{
	const char *end, *behind = t->end;
	int rc = 0;

	t->pos += 2;
	end = memmem(t->pos, gosyntax_left(t), "\\E", 2);
	if (end)
		t->end = end;
	while (!rc && gosyntax_left(t)) {
		uint32_t rune;

		rc = gosyntax_next(t, &rune);
		if (!rc)
			rc = add_literal(t, rune);
	}
	t->end = behind;
	if (end && !rc)
		t->pos = end + 2;
	return rc;
}

/* Assertions are put into groups, because PCRE2 repeats them in no other form. */
static int add_backslash(struct translation *t)
{
	static const struct {
		char name;
		const char *text;
	} assertions[] = {
		{ 'A', "(?:\\A)" },
		{ 'z', "(?:\\z)" },
		{ 'b', "(?:\\b)" },
		{ 'B', "(?:\\B)" },
	};
	uint32_t rune;
	int rc;

	for (size_t i = 0; i < 4; i++)
		if (at(t, 1, assertions[i].name)) {
			t->pos += 2;
			return gosyntax_add_piece(t, assertions[i].text);
		}
	if (at(t, 1, 'Q'))
		return gosyntax_add_quoted(t);
	if (gosyntax_left(t) > 1 && memchr("pPdDsSwW", t->pos[1], 8)) {
		rc = gosyntax_add_piece(t, "[");
		rc = rc ? rc : add_class(t, false);
		return rc ? rc : checked(t, buffer_add(t->out, "]", 1));
	}
	rc = read_escape(t, &rune);
	return rc ? rc : add_literal(t, rune);
}

static int translate_piece(struct translation *t)
{
	const char *from = t->pos;
	uint32_t rune;
	int rc;

	switch (*t->pos) {
	case '\\':
		return add_backslash(t);
	case '[':
		return add_brackets(t);
	case '(':
		return add_parenthesis(t);
	case '{':
		return add_braces(t);
	case '*':
	case '+':
	case '?':
		t->pos++;
		return add_repeat(t, from, (char[]){ *from, '\0' });
	}
	rc = gosyntax_next(t, &rune);
	if (rc)
		return rc;
	switch (rune) {
	case '|':
		end_piece(t);
		t->has_piece = false;
		return checked(t, buffer_add(t->out, "|", 1));
	case ')':
		return close_group(t);
	case '^':
		return gosyntax_add_piece(t, t->flags & MULTILINE ? "(?m:^)" : "(?:\\A)");
	case '$':
		return gosyntax_add_piece(t, t->flags & MULTILINE ? "(?m:$)" : "(?:\\z)");
	case '.':
		return gosyntax_add_piece(t, t->flags & DOT_ALL ? "." : "\\N");
	default:
		return add_literal(t, rune);
	}
}

int gosyntax_translate(const char *text, size_t len, enum gosyntax_for matcher, struct buffer *out,
		       struct error *err)
{
	struct translation t = { .pos = text,
				 .end = text + len,
				 .out = out,
				 .err = err,
				 .grouping = matcher == GOSYNTAX_ALL_AT_ONCE,
				 .most = 1 };
	int rc = 0;

	if (len > GOSYNTAX_MAX)
		return error_set(err, ERR_LIMIT, "longer than %d bytes", GOSYNTAX_MAX);
	while (!rc && gosyntax_left(&t)) {
		const char *before = t.repeat;

		rc = translate_piece(&t);
		if (t.repeat == before)
			t.repeat = NULL;
	}
	if (!rc && t.depth)
		rc = gosyntax_fail(&t, "missing closing )", text, text + len);
	return rc;
}
