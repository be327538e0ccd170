/*
 * A step of unlog.h: gives the signs back that a page, a chat or a terminal shows a dump with:
 * no-break spaces become blanks, HTML's entities their characters (`&#43;0x1d`), and colours go.
 *
 * The first header and what follows it tell. Go prints none of these, but a path may have any of
 * them: a kind that is not there stays as it is.
 *
 * It also notes the first line in which a header is that cannot be read, for the user to be told.
 */
#include "goparse/log/steps.h"

#include <string.h>

#include "base/utf8.h"
#include "goparse/excerpt.h"
#include "goparse/text.h"

enum { AHEAD = 4096, HEADER_MAX = 512, SIGN_MAX = 16 };

#define WORD "goroutine"
#define NBSP "\xc2\xa0"

static bool signs_holds(struct goparse_text t, const char *word)
{
	return memmem(t.at, t.len, word, strlen(word)) != NULL;
}

/* Signs. */

/* What a sign stands for, and its length. False: it is none. */
typedef bool find_sign(struct goparse_text t, uint32_t *ch, size_t *len);

static bool find_number(struct goparse_text t, uint32_t *ch, size_t *len)
{
	struct goparse_text rest = t;
	unsigned base = 10;

	if (!goparse_text_take(&rest, LITERAL("&#")))
		return false;
	if (goparse_text_take(&rest, LITERAL("x")) || goparse_text_take(&rest, LITERAL("X")))
		base = 16;
	for (*ch = 0; rest.len && rest.at[0] != ';' && *ch <= 0x10ffff;
	     goparse_text_take(&rest, rest.at, 1)) {
		unsigned digit = text_digit((char)(rest.at[0] >= 'A' && rest.at[0] <= 'F' ?
							   rest.at[0] | 0x20 :
							   rest.at[0]));

		if (digit >= base)
			return false;
		*ch = *ch * base + digit;
	}
	*len = (size_t)(rest.at - t.at) + 1;
	return rest.len && *len > 3 && *ch && *ch <= 0x10ffff;
}

static bool find_entity(struct goparse_text t, uint32_t *ch, size_t *len)
{
	static const struct {
		const char *name;
		uint32_t ch;
	} names[] = { { "&lt;", '<' },	 { "&gt;", '>' },    { "&amp;", '&' },
		      { "&quot;", '"' }, { "&apos;", '\'' }, { "&nbsp;", 0xa0 } };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		*len = strlen(names[i].name);
		*ch = names[i].ch;
		if (text_starts(t, names[i].name, *len))
			return true;
	}
	return find_number(t, ch, len);
}

/* "\033[31m" */
static size_t colour_length(struct goparse_text t)
{
	size_t len = 2;

	if (!text_starts(t, LITERAL("\033[")))
		return 0;
	while (len < t.len && len < SIGN_MAX - 1 &&
	       strchr("0123456789;", t.at[len] ? t.at[len] : 'm'))
		len++;
	return len < t.len && t.at[len] == 'm' ? len + 1 : 0;
}

/* Puts what the sign at the text's beginning stands for. *len: of the sign, 0 if it is none. */
static int put_sign(struct signs *g, struct goparse_text t, size_t *len)
{
	struct buffer *out = &g->stage.out;
	uint32_t ch;
	char text[4];

	*len = 0;
	if (g->spaces && text_starts(t, LITERAL(NBSP)))
		*len = 2;
	if (g->latin && t.at[0] == '\xa0')
		*len = 1;
	if (*len)
		return buffer_add(out, " ", 1);
	if (g->entities && find_entity(t, &ch, len))
		return buffer_add(out, text, utf8_put(text, ch == 0xa0 ? ' ' : ch));
	*len = g->colours ? colour_length(t) : 0;
	return 0;
}

static bool may_be_sign(const struct signs *g, char c)
{
	return (c == '&' && g->entities) || (c == '\033' && g->colours) ||
	       (c == '\xc2' && g->spaces) || (c == '\xa0' && g->latin);
}

static int translate(struct signs *g)
{
	struct stage *s = &g->stage;
	size_t end = s->ended || s->len - s->at < SIGN_MAX ? s->len : s->len - SIGN_MAX,
	       from = s->at, len = 0;
	int rc = 0;

	while (!rc && s->at < end) {
		if (!may_be_sign(g, s->window[s->at])) {
			s->at++;
			continue;
		}
		rc = buffer_add(&s->out, s->window + from, s->at - from);
		from = s->at;
		rc = rc ? rc : put_sign(g, stage_rest(s), &len);
		s->at += len + !len;
		from += len;
	}
	return rc ? rc : buffer_add(&s->out, s->window + from, s->at - from);
}

/* Headers. */

/* A blank, or what is shown as one. */
static bool take_space(struct signs *g, struct goparse_text *t)
{
	if (goparse_text_take(t, LITERAL(" ")))
		return true;
	if (goparse_text_take(t, LITERAL("&nbsp;")) || goparse_text_take(t, LITERAL("&#160;")))
		return g->entities = true;
	if (goparse_text_take(t, LITERAL(NBSP)))
		return g->spaces = true;
	return goparse_text_take(t, LITERAL("\xa0")) && (g->latin = true);
}

/* Begins a line behind the header with blanks of which one is a no-break space? */
static bool is_indented(struct goparse_text t)
{
	const char *newline;
	size_t len;

	for (int i = 0; i < 2 && (newline = memchr(t.at, '\n', t.len)); i++) {
		goparse_text_take(&t, t.at, (size_t)(newline + 1 - t.at));
		for (len = 0; len < t.len && t.at[len] == ' '; len++)
			;
		if (len + 2 <= t.len && !memcmp(t.at + len, NBSP, 2))
			return true;
	}
	return false;
}

/* Is a header at the word? If it is, what is in it and behind it tells which signs are there.
 * *plain: it is one as Go prints it. */
static bool signs_is_header(struct signs *g, struct goparse_text t, bool *plain)
{
	static const char *const entities[] = { "&#43;0x",  "&#x2b;0x",
						"&#x2B;0x", "&lt;autogenerated&gt;",
						"&#9;",	    "&#x9;" };
	struct goparse_text rest = t;
	const char *end;
	uint64_t id;

	g->spaces = g->latin = g->entities = false;
	if (!goparse_text_take(&rest, LITERAL(WORD)) || !take_space(g, &rest) ||
	    !text_take_number(&rest, &id) || !take_space(g, &rest) ||
	    !(text_starts(rest, LITERAL("[")) || text_starts(rest, LITERAL("gp="))))
		return false;
	end = memmem(rest.at, rest.len < HEADER_MAX ? rest.len : HEADER_MAX, "]:", 2);
	if (!end)
		return false;
	goparse_text_take(&rest, rest.at, (size_t)(end + 2 - rest.at));
	g->spaces |= is_indented(rest);
	g->colours = colour_length(rest) > 0;
	for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++)
		g->entities |= signs_holds(rest, entities[i]);
	text_trim_end(&rest);
	*plain = !rest.len || rest.at[0] == '\n' || rest.at[0] == '\r';
	g->spaces |= g->entities;
	return true;
}

/* Clues. */

static void signs_note(struct signs *g, unsigned clue, struct goparse_text t)
{
	const char *newline = memchr(t.at, '\n', t.len);

	if (newline)
		t.len = (size_t)(newline - t.at);
	g->clue = clue;
	g->line++;
	excerpt(t, g->excerpt, sizeof(g->excerpt));
}

/* A header within base64: three forms, by where the text stands in its groups of three bytes. */
static const char *find_base64(struct goparse_text t)
{
	static const char *const forms[] = { "Z29yb3V0aW5lI", "dvcm91dGluZS", "nb3JvdXRpbmUg" };
	const char *at = NULL;

	for (size_t i = 0; !at && i < 3; i++)
		at = memmem(t.at, t.len, forms[i], strlen(forms[i]));
	return at;
}

static void count_lines(struct signs *g, struct goparse_text t)
{
	const char *newline;

	while (!g->clue && (newline = memchr(t.at, '\n', t.len))) {
		g->line++;
		goparse_text_take(&t, t.at, (size_t)(newline + 1 - t.at));
	}
}

/* Looks at text without a header. */
static void signs_look(struct signs *g, struct goparse_text t)
{
	const char *at = g->clue ? NULL : find_base64(t);

	count_lines(g, (struct goparse_text){ t.at, at ? (size_t)(at - t.at) : t.len });
	if (at)
		signs_note(g, SIGNS_BASE64,
			   (struct goparse_text){ at, t.len - (size_t)(at - t.at) });
}

/* At the word. */
static void look_at_word(struct signs *g, struct goparse_text t)
{
	struct goparse_text rest = t;

	goparse_text_take(&rest, LITERAL(WORD));
	if (g->clue || !rest.len)
		return;
	if (text_starts(rest, LITERAL("%20")) || text_starts(rest, LITERAL("+")))
		signs_note(g, SIGNS_PERCENT, t);
	else if (goparse_text_take(&rest, LITERAL(" ")) && rest.len && text_digit(rest.at[0]) < 10)
		signs_note(g, SIGNS_ODD, t);
}

/* Input. */

/* Hands on what stands before the word, or all but what may be its beginning. */
static int hand_on_others(struct signs *g)
{
	struct stage *s = &g->stage;
	struct goparse_text rest = stage_rest(s);
	const char *word = memmem(rest.at, rest.len, LITERAL(WORD));
	size_t keep = s->ended || rest.len <= SIGN_MAX ? 0 : SIGN_MAX;

	rest.len = word ? (size_t)(word - rest.at) : rest.len - keep;
	signs_look(g, rest);
	return stage_hand_on(s, rest.len);
}

static int signs_take_word(struct signs *g)
{
	struct stage *s = &g->stage;
	struct goparse_text rest = stage_rest(s), ahead = rest;
	bool plain = false;

	if (!text_starts(rest, LITERAL(WORD)))
		return hand_on_others(g);
	ahead.len = ahead.len < AHEAD ? ahead.len : AHEAD;
	if (signs_is_header(g, ahead, &plain)) {
		g->told = g->spaces || g->latin || g->colours || g->entities;
		s->passes = plain && !g->told;
	}
	if (g->told || s->passes)
		return 0;
	look_at_word(g, ahead);
	return stage_hand_on(s, sizeof(WORD) - 1);
}

static int signs_step(struct stage *s)
{
	struct signs *g = (struct signs *)s; /* its first member */

	return g->told ? translate(g) : signs_take_word(g);
}

int signs_work(struct stage *s)
{
	return stage_each(s, signs_step);
}
