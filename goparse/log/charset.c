/*
 * The first step of unlog.h: UTF-16, as PowerShell's `>` writes it, and UTF-32 become UTF-8, and
 * carriage returns in a text without newlines become newlines.
 *
 * The charset is told by a byte order mark, or by where zeros stand in the first 64 bytes, as dumps
 * are ASCII for the most part.
 */
#include "goparse/log/steps.h"

#include <string.h>

#include "base/utf8.h"
#include "goparse/text.h"

enum { SEEN = 64 }; /* bytes in which zeros tell a charset that has no byte order mark */

/* Of ASCII in units of `width` bytes, one byte of each unit is not 0: the last if it is
 * big-endian. */
static bool charset_has_zeros(struct goparse_text t, size_t width, bool big_endian)
{
	size_t len = (t.len < SEEN ? t.len : SEEN) & ~(width - 1), i = 0;

	while (i < len && !t.at[i] == (i % width != (big_endian ? width - 1 : 0)))
		i++;
	return len && i >= len;
}

static bool has_mark(struct goparse_text t, size_t width, bool big_endian)
{
	static const char big[] = "\0\0\xfe\xff", little[] = "\xff\xfe\0\0";

	return text_starts(t, big_endian ? big + 4 - width : little, width);
}

/* The mark of UTF-16 begins that of UTF-32. */
static void detect(struct charset *c, struct goparse_text t)
{
	for (c->width = 4; c->width > 1; c->width /= 2)
		for (int big = 0; big < 2; big++) {
			c->big_endian = big;
			c->is = CHARSET_UTF;
			if (has_mark(t, c->width, big) || charset_has_zeros(t, c->width, big))
				return;
		}
	c->is = memchr(t.at, '\r', t.len) && !memchr(t.at, '\n', t.len) ? CHARSET_RETURNS :
									  CHARSET_PLAIN;
}

static uint32_t unit(const struct charset *c, size_t at)
{
	const unsigned char *b = (const unsigned char *)c->stage.window + at;
	uint32_t value = 0;

	for (size_t i = 0; i < c->width; i++)
		value = value << 8 | b[c->big_endian ? i : c->width - 1 - i];
	return value;
}

/* Takes a character, in UTF-16 a unit or two of them (RFC 2781, 2.2); a byte order mark is none. */
static int take_character(struct charset *c)
{
	struct stage *s = &c->stage;
	uint32_t high = unit(c, s->at),
		 low = c->width == 2 && s->len - s->at >= 4 ? unit(c, s->at + 2) : 0;
	bool pair = (high & 0xfc00) == 0xd800 && (low & 0xfc00) == 0xdc00;
	uint32_t ch = pair ? 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff)) : high;
	char text[4];

	s->at += pair ? 4 : c->width;
	return ch == 0xfeff ? 0 : buffer_add(&s->out, text, utf8_put(text, ch));
}

static int take_utf(struct charset *c)
{
	struct stage *s = &c->stage;
	int rc = 0;

	while (!rc && s->len - s->at >= 4)
		rc = take_character(c);
	if (!rc && s->ended && s->len - s->at >= c->width)
		rc = take_character(c);
	if (s->ended)
		s->at = s->len;
	return rc;
}

static int take_returns(struct stage *s)
{
	for (size_t i = s->at; i < s->len; i++)
		if (s->window[i] == '\r')
			s->window[i] = '\n';
	return stage_hand_on(s, s->len - s->at);
}

int charset_work(struct stage *s)
{
	struct charset *c = (struct charset *)s; /* its first member */

	if (!s->begun)
		detect(c, stage_rest(s));
	if (!s->begun && text_starts(stage_rest(s), LITERAL("\xef\xbb\xbf")))
		s->at += 3;
	if (c->is == CHARSET_RETURNS)
		return take_returns(s);
	if (c->is != CHARSET_PLAIN)
		return take_utf(c);
	s->passes = true;
	return 0;
}
