/* Both texts are taken apart from the front, run by run, and stay equal in kind. Names are marked
 * by characters beforehand, since their digits must not differ. */
#include "goparse/log/lines/runs.h"

#include <string.h>

#include "goparse/text.h"

/* Names. */

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool runs_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The number of a process in "app[1246]:", as syslog writes it. A number in brackets that no colon
 * follows may be a time: "INFO[0012] " of logrus. */
static size_t process_number(struct goparse_text t)
{
	size_t len = 1;

	while (len < t.len && runs_is_digit(t.at[len]))
		len++;
	return t.at[0] == '[' && len > 1 && len + 1 < t.len && t.at[len] == ']' &&
			       t.at[len + 1] == ':' ?
		       len :
		       0;
}

/* The text up to a character that ends names, and a number of a process behind it. */
static size_t token_length(struct goparse_text t)
{
	size_t len = 0;

	while (len < t.len && !strchr(" =()[]|,;\"'/", t.at[len] ? t.at[len] : ' '))
		len++;
	if (len && len < t.len && is_letter(t.at[len - 1]))
		len += process_number((struct goparse_text){ t.at + len, t.len - len });
	return len;
}

/* A name begins with no digit, as "5ms", "3f80" and "2024-05-05T12:00:00Z" do, has two letters
 * beside each other, and is no time: "T12:00:00UTC". */
static bool runs_is_name(struct goparse_text token)
{
	bool letters = false, time = false;

	for (size_t i = 1; i < token.len; i++)
		letters |= is_letter(token.at[i - 1]) && is_letter(token.at[i]);
	for (size_t i = 2; i < token.len; i++)
		time |= runs_is_digit(token.at[i - 2]) && token.at[i - 1] == ':' &&
			runs_is_digit(token.at[i]);
	letters |= memchr(token.at, '[', token.len) != NULL; /* and a process's number */
	return letters && !time && !runs_is_digit(token.at[0]);
}

void runs_set(struct runs *r, struct goparse_text text)
{
	size_t len;

	r->len = text.len < RUNS_MAX ? text.len : RUNS_MAX;
	memmove(r->text, text.at, r->len);
	for (size_t at = 0; at < r->len; at += len) {
		struct goparse_text token = { r->text + at, r->len - at };

		len = token.len = token_length(token);
		len += !len;
		memset(r->named + at, token.len && runs_is_name(token), len);
	}
}

/* Runs. */

enum runs_kind { WORD, BLANK, OTHER };

static enum runs_kind runs_kind_of(char c)
{
	if (runs_is_digit(c) || is_letter(c))
		return WORD;
	return c == ' ' ? BLANK : OTHER;
}

/* The run at the beginning of a text that is not empty. */
static struct goparse_text run_of(struct goparse_text t)
{
	enum runs_kind kind = runs_kind_of(t.at[0]);
	struct goparse_text run = { t.at, 1 };

	while (kind != OTHER && run.len < t.len && runs_kind_of(t.at[run.len]) == kind)
		run.len++;
	return run;
}

static bool has_digit(struct goparse_text word)
{
	size_t i = 0;

	while (i < word.len && !runs_is_digit(word.at[i]))
		i++;
	return i < word.len;
}

/* Blanks before a number may be missing in a line whose number is longer: "[ 9.5]", "[10.0]". */
static void skip_padding(struct goparse_text *prefix, struct goparse_text *line)
{
	struct goparse_text a = run_of(*prefix), b = run_of(*line), number;
	bool blank = runs_kind_of(a.at[0]) == BLANK;
	struct goparse_text *padded = blank ? prefix : line, *other = blank ? line : prefix;

	if (blank == (runs_kind_of(b.at[0]) == BLANK) || padded->len == (blank ? a : b).len)
		return;
	number = *padded;
	text_take(&number, number.at, (blank ? a : b).len);
	if (runs_is_digit(number.at[0]) && runs_is_digit(other->at[0]))
		*padded = number;
}

/* `grep -A` writes a colon behind the name of a file and the number of a line that it has found,
 * and a dash behind those of the lines around it. */
static bool is_grep(struct goparse_text t)
{
	return t.at[0] == ':' || t.at[0] == '-';
}

/* Two runs that are not equal: may they be the same in another line? */
static bool may_differ(const struct runs *r, struct goparse_text a, struct goparse_text b,
		       bool exact)
{
	return (has_digit(a) && has_digit(b) && !(exact && r->named[a.at - r->text])) ||
	       (is_grep(a) && is_grep(b));
}

/* Takes a run of the prefix off both texts. The last blanks are as many in the line, because those
 * that follow are of the dump. */
static bool take_run(const struct runs *r, struct goparse_text *prefix, struct goparse_text *line,
		     bool exact)
{
	struct goparse_text a, b;

	if (!line->len)
		return false;
	skip_padding(prefix, line);
	a = run_of(*prefix);
	b = run_of(*line);
	if (runs_kind_of(a.at[0]) != runs_kind_of(b.at[0]))
		return false;
	if (runs_kind_of(a.at[0]) == BLANK && a.len == prefix->len)
		b.len = b.len < a.len ? 0 : a.len;
	else if (runs_kind_of(a.at[0]) != BLANK && !text_equal(a, b) && !may_differ(r, a, b, exact))
		return false;
	text_take(prefix, a.at, a.len);
	return b.len && text_take(line, b.at, b.len);
}

size_t runs_take_blanks(struct goparse_text *t)
{
	const char *start = t->at;

	while (text_take(t, LITERAL(" ")))
		;
	return (size_t)(t->at - start);
}

bool runs_take(const struct runs *r, struct goparse_text *line, bool exact)
{
	struct goparse_text prefix = { r->text, r->len }, rest = *line;

	if (r->len && text_take(line, r->text, r->len)) /* at the same time */
		return true;
	while (prefix.len && rest.len && take_run(r, &prefix, &rest, exact))
		;
	if (prefix.len && (rest.len || (runs_take_blanks(&prefix), prefix.len)))
		return false;
	*line = rest;
	return r->len;
}

size_t runs_common(const struct runs *r, struct goparse_text line, bool exact,
		   bool fits(struct goparse_text rest))
{
	struct goparse_text prefix = { r->text, r->len };
	size_t len = 0;

	while (prefix.len && line.len) {
		struct goparse_text run = run_of(prefix), whole = run, rest = line;

		if (runs_kind_of(run.at[0]) != WORD && take_run(r, &whole, &rest, exact) &&
		    fits(rest))
			len = (size_t)(run.at + run.len - r->text);
		if (!take_run(r, &prefix, &line, exact))
			break;
	}
	return len;
}
