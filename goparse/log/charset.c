#include "goparse/log/charset.h"

#include <string.h>

#include "base/utf8.h"
#include "goparse/text.h"

enum { SEEN = 64 }; /* bytes in which zeros tell UTF-16 that has no byte order mark */

/* Of ASCII in UTF-16, every second byte is 0: those at odd places if it is little-endian. */
static bool has_zeros(struct goparse_text t, size_t from)
{
	size_t len = t.len < SEEN ? t.len & ~(size_t)1 : SEEN, i = from;

	while (i < len && !t.at[i] && t.at[i ^ 1])
		i += 2;
	return len && i >= len;
}

static enum charset_is detect(struct goparse_text t)
{
	bool mark = t.len >= 2;

	if ((mark && !memcmp(t.at, "\xff\xfe", 2)) || has_zeros(t, 1))
		return CHARSET_UTF16LE;
	if ((mark && !memcmp(t.at, "\xfe\xff", 2)) || has_zeros(t, 0))
		return CHARSET_UTF16BE;
	return memchr(t.at, '\r', t.len) && !memchr(t.at, '\n', t.len) ? CHARSET_RETURNS :
									 CHARSET_PLAIN;
}

static uint32_t unit(const struct charset *c, size_t at)
{
	const unsigned char *b = (const unsigned char *)c->stage.window + at;

	return c->is == CHARSET_UTF16LE ? (uint32_t)(b[0] | b[1] << 8) :
					  (uint32_t)(b[0] << 8 | b[1]);
}

/* Takes a character, a unit or two of them (RFC 2781, 2.2); a byte order mark is none. */
static int take_character(struct charset *c)
{
	struct stage *s = &c->stage;
	uint32_t high = unit(c, s->at), low = s->len - s->at >= 4 ? unit(c, s->at + 2) : 0;
	bool pair = (high & 0xfc00) == 0xd800 && (low & 0xfc00) == 0xdc00;
	uint32_t ch = pair ? 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff)) : high;
	char text[4];

	s->at += pair ? 4 : 2;
	return ch == 0xfeff ? 0 : buffer_add(&s->out, text, utf8_put(text, ch));
}

static int take_utf16(struct charset *c)
{
	struct stage *s = &c->stage;
	int rc = 0;

	while (!rc && s->len - s->at >= 4)
		rc = take_character(c);
	if (!rc && s->ended && s->len - s->at >= 2)
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

static int work(struct stage *s)
{
	struct charset *c = (struct charset *)s; /* its first member */

	if (!s->begun)
		c->is = detect(stage_rest(s));
	if (!s->begun && text_starts(stage_rest(s), LITERAL("\xef\xbb\xbf")))
		s->at += 3;
	if (c->is == CHARSET_RETURNS)
		return take_returns(s);
	if (c->is != CHARSET_PLAIN)
		return take_utf16(c);
	s->passes = true;
	return stage_hand_on(s, s->len - s->at);
}

int charset_read(void *charset, void *buf, size_t len, size_t *got, struct error *err)
{
	return stage_read(&((struct charset *)charset)->stage, work, buf, len, got, err);
}
