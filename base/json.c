#include "base/json.h"

#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

static int is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* The length of the UTF-8 sequence at `s`; 0 if it is not valid. The second byte distinguishes
 * overlong forms, surrogates and values beyond U+10FFFF from valid sequences (The Unicode Standard,
 * table 3-7). */
static size_t sequence(const unsigned char *s, size_t left)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
		     s[0] < 0xf5 ? 4 : 0;

	if (len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if (!is_continuation(s[i]))
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static int add_sequence(struct buffer *b, const unsigned char *s, size_t len)
{
	if (!len)
		return buffer_add(b, "\\ufffd", 6);
	if (*s == '"' || *s == '\\')
		return buffer_addf(b, "\\%c", *s);
	if (*s < 0x20 || *s == 0x7f)
		return buffer_addf(b, "\\u%04x", *s);
	return buffer_add(b, s, len);
}

int json_add_string(struct buffer *b, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len;
	int rc = buffer_add(b, "\"", 1);

	while (!rc && s < end) {
		size_t n = sequence(s, (size_t)(end - s));

		rc = add_sequence(b, s, n);
		s += n ? n : 1;
	}
	return rc ? rc : buffer_add(b, "\"", 1);
}

int json_add_text(struct buffer *b, const char *text)
{
	return text ? json_add_string(b, text, strlen(text)) : buffer_add(b, "null", 4);
}
