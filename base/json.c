/* A string's characters are written as they are if printable.h allows it, the others as \u escapes,
 * so that a foreign name cannot act on the terminal that shows the JSON. */
#include "base/json.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/printable.h"
#include "base/utf8.h"

void json_add(struct json *j, const char *text)
{
	if (!j->rc)
		j->rc = buffer_add(j->out, text, strlen(text));
}

void json_addf(struct json *j, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!j->rc)
		j->rc = buffer_vaddf(j->out, fmt, ap);
	va_end(ap);
}

/* \u escapes have 16 bits, so a character beyond has two (RFC 8259, section 7). */
static int add_escaped(struct buffer *b, uint32_t c)
{
	if (c > 0xffff)
		return buffer_addf(b, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
	return buffer_addf(b, "\\u%04x", c);
}

static int base_json_add_character(struct buffer *b, const char *text, size_t len, size_t *size)
{
	bool shown = printable_next(text, len, size);

	if (*text == '"' || *text == '\\')
		return buffer_addf(b, "\\%c", *text);
	return shown ? buffer_add(b, text, *size) : add_escaped(b, utf8_next(text, len, size));
}

void json_add_string(struct json *j, const char *text, size_t len)
{
	json_add(j, "\"");
	for (size_t at = 0, n; !j->rc && at < len; at += n)
		j->rc = base_json_add_character(j->out, text + at, len - at, &n);
	json_add(j, "\"");
}

void json_add_text(struct json *j, const char *text)
{
	if (text)
		json_add_string(j, text, strlen(text));
	else
		json_add(j, "null");
}

void json_add_time(struct json *j, int64_t ns, int digits)
{
	static const int64_t ns_per_s = 1000000000;
	int64_t rest = ns % ns_per_s;
	time_t seconds = ns / ns_per_s;
	char text[32];
	struct tm tm;

	if (rest < 0) {
		rest += ns_per_s;
		seconds--;
	}
	for (int i = digits; i < 9; i++)
		rest /= 10;
	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	json_addf(j, "\"%s.%0*ldZ\"", text, digits, rest);
}
