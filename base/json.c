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

static int add_character(struct buffer *b, uint32_t c, const char *bytes, size_t len)
{
	if (c == UTF8_REPLACEMENT && len == 1)
		return buffer_add(b, "\\ufffd", 6);
	if (c == '"' || c == '\\')
		return buffer_addf(b, "\\%c", (int)c);
	if (!printable_rune(c))
		return buffer_addf(b, "\\u%04x", c);
	return buffer_add(b, bytes, len);
}

void json_add_string(struct json *j, const char *text, size_t len)
{
	json_add(j, "\"");
	for (size_t at = 0, n; !j->rc && at < len; at += n) {
		uint32_t c = utf8_next(text + at, len - at, &n);

		j->rc = add_character(j->out, c, text + at, n);
	}
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
