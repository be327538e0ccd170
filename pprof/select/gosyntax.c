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
#include "pprof/select/goclass.h"
#include "pprof/select/gopattern.h"

enum { FOLD = 1, MULTILINE = 2, DOT_ALL = 4, UNGREEDY = 8 };
enum { REPEAT_MAX = 1000 };

struct group {
	size_t at;	/* offset in the output */
	unsigned flags; /* this and `folding`: as they were before the group */
	bool folding;
	unsigned most; /* translation.most, as it was before the group */
};

struct translation {
	struct gopattern in;
	struct buffer *out;
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

static int checked(struct translation *t, int rc)
{
	return rc == ERR_NOMEM ? error_nomem(t->in.err) : rc;
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

/* \pL, \p{Greek}, \P{^Greek}; t->in.pos is at the backslash. */
static int add_unicode_class(struct translation *t)
{
	const char *from = t->in.pos, *name = t->in.pos + 2, *end = name + 1;
	bool opposite = t->in.pos[1] == 'P';
	int rc = ERR_NOTFOUND;

	if (name < t->in.end && *name == '{') {
		name++;
		end = memchr(name, '}', (size_t)(t->in.end - name));
	}
	if (end && end <= t->in.end) {
		t->in.pos = end + (name[-1] == '{');
		if (name < end && *name == '^') {
			opposite = !opposite;
			name++;
		}
		rc = goclass_unicode(name, (size_t)(end - name), opposite, t->flags & FOLD, t->out);
	}
	if (rc == ERR_NOTFOUND)
		return gopattern_fail(&t->in, "invalid character class range", from,
				      end && end < t->in.end ? t->in.pos : t->in.end);
	return checked(t, rc);
}

/* [:alpha:], [:^alpha:]. ERR_NOTFOUND: the bracket is an ordinary character. */
static int add_posix_class(struct translation *t)
{
	const char *from = t->in.pos, *name = t->in.pos + 2;
	const char *end = memmem(name, (size_t)(t->in.end - name), ":]", 2);
	bool opposite;
	int rc;

	if (!end)
		return ERR_NOTFOUND;
	opposite = name < end && *name == '^';
	name += opposite;
	t->in.pos = end + 2;
	/* Names of one letter in the table are \d, \s and \w, not POSIX classes. */
	rc = end - name < 2 ?
		     ERR_NOTFOUND :
		     goclass_ascii(name, (size_t)(end - name), opposite, t->flags & FOLD, t->out);
	if (rc == ERR_NOTFOUND)
		return gopattern_fail(&t->in, "invalid character class range", from, t->in.pos);
	return checked(t, rc);
}

/* Adds the named class at t->in.pos; ERR_NOTFOUND if there is none. */
static int add_class(struct translation *t, bool in_brackets)
{
	char name;

	if (in_brackets && gopattern_left(&t->in) > 2 && gopattern_at(&t->in, 0, '[') &&
	    gopattern_at(&t->in, 1, ':'))
		return add_posix_class(t);
	if (gopattern_left(&t->in) < 2 || *t->in.pos != '\\')
		return ERR_NOTFOUND;
	if (t->in.pos[1] == 'p' || t->in.pos[1] == 'P')
		return add_unicode_class(t);
	if (!memchr("dDsSwW", t->in.pos[1], 6))
		return ERR_NOTFOUND;
	name = (char)tolower(t->in.pos[1]);
	t->in.pos += 2;
	return checked(t, goclass_ascii(&name, 1, t->in.pos[-1] != name, t->flags & FOLD, t->out));
}

static int class_character(struct translation *t, const char *from, uint32_t *rune)
{
	if (!gopattern_left(&t->in))
		return gopattern_fail(&t->in, "missing closing ]", from, t->in.end);
	return *t->in.pos == '\\' ? gopattern_escape(&t->in, rune) : gopattern_next(&t->in, rune);
}

static int add_class_range(struct translation *t, const char *from)
{
	const char *range = t->in.pos;
	uint32_t first, last;
	int rc = class_character(t, from, &first);

	if (rc)
		return rc;
	last = first;
	/* In [a-] the hyphen is a character. */
	if (gopattern_left(&t->in) >= 2 && *t->in.pos == '-' && t->in.pos[1] != ']') {
		t->in.pos++;
		rc = class_character(t, from, &last);
		if (!rc && last < first)
			rc = gopattern_fail(&t->in, "invalid character class range", range,
					    t->in.pos);
	}
	return rc ? rc : checked(t, buffer_addf(t->out, "\\x{%x}-\\x{%x}", first, last));
}

static int add_brackets(struct translation *t)
{
	const char *from = t->in.pos++;
	bool opposite = gopattern_at(&t->in, 0, '^'), first = true;
	int rc = gosyntax_add_piece(t, opposite ? "[^" : "[");

	t->in.pos += opposite;
	for (; !rc && (first || !gopattern_at(&t->in, 0, ']')); first = false) {
		rc = add_class(t, true);
		if (rc == ERR_NOTFOUND)
			rc = add_class_range(t, from);
	}
	t->in.pos += !rc;
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

	if (gopattern_at(&t->in, 0, '?'))
		t->in.pos++; /* lazy: the same texts match */
	if (before)
		return gopattern_fail(&t->in, "invalid nested repetition operator", before,
				      t->in.pos);
	if (!t->has_piece)
		return gopattern_fail(&t->in, "missing argument to repetition operator", from,
				      t->in.pos);
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
	if (p == t->in.end || !isdigit((unsigned char)*p) ||
	    (*p == '0' && p + 1 < t->in.end && isdigit((unsigned char)p[1])))
		return false;
	for (; p < t->in.end && isdigit((unsigned char)*p); p++)
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
	return t->copies > REPEAT_MAX ?
		       gopattern_fail(&t->in, "invalid repeat count", from, t->in.pos) :
		       0;
}

/* {2}, {2,}, {2,5}. In anything else the brace is an ordinary character. */
static int add_braces(struct translation *t)
{
	const char *from = t->in.pos, *p = t->in.pos + 1;
	bool open = false;
	uint32_t min, max;
	char text[32];
	int rc;

	if (!read_count(t, &p, &min))
		goto literal;
	max = min;
	if (p < t->in.end && *p == ',') {
		p++;
		open = p < t->in.end && *p == '}';
		if (!open && !read_count(t, &p, &max))
			goto literal;
	}
	if (p == t->in.end || *p != '}')
		goto literal;
	t->in.pos = p + 1;
	if (min > REPEAT_MAX || max > REPEAT_MAX || min > max)
		return gopattern_fail(&t->in, "invalid repeat count", from, t->in.pos);
	if (open)
		snprintf(text, sizeof(text), "{%u,}", min);
	else
		snprintf(text, sizeof(text), "{%u,%u}", min, max);
	rc = add_repeat(t, from, text);
	return rc ? rc : count_copies(t, max, !open && !max, from);
literal:
	t->in.pos++;
	return add_literal(t, '{');
}

static int open_group(struct translation *t)
{
	struct group *g = &t->groups[t->depth];
	int rc;

	if (t->depth == GOSYNTAX_NESTING)
		return error_set(t->in.err, ERR_LIMIT, "more than %d groups inside each other",
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
		return error_set(t->in.err, ERR_USAGE, "unexpected )");
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
	const char *from = t->in.pos, *p = name;

	while (p < t->in.end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	if (p == t->in.end || *p != '>' || p == name)
		return gopattern_fail(&t->in, "invalid named capture", from,
				      p < t->in.end ? p + 1 : p);
	t->in.pos = p + 1;
	return open_group(t);
}

/* (?i), (?i-s:…), (?:…) (parser.parsePerlFlags); t->in.pos is at the parenthesis. */
static int gosyntax_read_flags(struct translation *t)
{
	static const char names[] = "imsU";
	const char *from = t->in.pos, *p = t->in.pos + 2;
	unsigned flags = t->flags, outer = t->flags;
	bool minus = false, any = false;
	int rc = 0;

	for (; p < t->in.end && *p != ':' && *p != ')'; p++) {
		const char *name = *p ? strchr(names, *p) : NULL;
		unsigned bit = name ? 1u << (name - names) : 0;

		if (!name && (*p != '-' || minus))
			return gopattern_fail(&t->in, "invalid or unsupported Perl syntax", from,
					      p + 1);
		any = name != NULL;
		minus = minus || !name;
		flags = minus ? flags & ~bit : flags | bit;
	}
	if (p == t->in.end || (minus && !any))
		return gopattern_fail(&t->in, "invalid or unsupported Perl syntax", from, p);
	t->in.pos = p + 1;
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
	if (!gopattern_at(&t->in, 1, '?')) {
		t->in.pos++;
		return open_group(t);
	}
	if (gopattern_left(&t->in) > 4 && gopattern_at(&t->in, 2, 'P') &&
	    gopattern_at(&t->in, 3, '<'))
		return open_named_group(t, t->in.pos + 4);
	if (gopattern_left(&t->in) > 3 && gopattern_at(&t->in, 2, '<'))
		return open_named_group(t, t->in.pos + 3);
	return gosyntax_read_flags(t);
}

/* \Q…\E, or \Q to the end of the pattern. */
static int gosyntax_add_quoted(struct translation *t)
{
	const char *end, *behind = t->in.end;
	int rc = 0;

	t->in.pos += 2;
	end = memmem(t->in.pos, gopattern_left(&t->in), "\\E", 2);
	if (end)
		t->in.end = end;
	while (!rc && gopattern_left(&t->in)) {
		uint32_t rune;

		rc = gopattern_next(&t->in, &rune);
		if (!rc)
			rc = add_literal(t, rune);
	}
	t->in.end = behind;
	if (end && !rc)
		t->in.pos = end + 2;
	return rc;
}

/* Assertions are put into groups, because PCRE2 repeats them in no other form. */
static int add_backslash(struct translation *t)
{
	uint32_t rune;
	int rc;

	if (gopattern_left(&t->in) > 1 && memchr("AzbB", t->in.pos[1], 4)) {
		char text[] = { '(', '?', ':', '\\', t->in.pos[1], ')', '\0' };

		t->in.pos += 2;
		return gosyntax_add_piece(t, text);
	}
	if (gopattern_at(&t->in, 1, 'Q'))
		return gosyntax_add_quoted(t);
	if (gopattern_left(&t->in) > 1 && memchr("pPdDsSwW", t->in.pos[1], 8)) {
		rc = gosyntax_add_piece(t, "[");
		rc = rc ? rc : add_class(t, false);
		return rc ? rc : checked(t, buffer_add(t->out, "]", 1));
	}
	rc = gopattern_escape(&t->in, &rune);
	return rc ? rc : add_literal(t, rune);
}

static int translate_piece(struct translation *t)
{
	const char *from = t->in.pos;
	uint32_t rune;
	int rc;

	switch (*t->in.pos) {
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
		t->in.pos++;
		return add_repeat(t, from, (char[]){ *from, '\0' });
	}
	rc = gopattern_next(&t->in, &rune);
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
	struct translation t = { .in = { text, text + len, err },
				 .out = out,
				 .grouping = matcher == GOSYNTAX_ALL_AT_ONCE,
				 .most = 1 };
	int rc = 0;

	if (len > GOSYNTAX_MAX)
		return error_set(err, ERR_LIMIT, "longer than %d bytes", GOSYNTAX_MAX);
	while (!rc && gopattern_left(&t.in)) {
		const char *before = t.repeat;

		rc = translate_piece(&t);
		if (t.repeat == before)
			t.repeat = NULL;
	}
	if (!rc && t.depth)
		rc = gopattern_fail(&t.in, "missing closing )", text, text + len);
	return rc;
}
