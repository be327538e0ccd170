#include "base/json.h"

#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"

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
		size_t n = utf8_length(s, (size_t)(end - s));

		rc = add_sequence(b, s, n);
		s += n ? n : 1;
	}
	return rc ? rc : buffer_add(b, "\"", 1);
}

int json_add_text(struct buffer *b, const char *text)
{
	return text ? json_add_string(b, text, strlen(text)) : buffer_add(b, "null", 4);
}
