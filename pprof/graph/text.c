/* A column is a byte that begins a character of UTF-8: wide characters are counted as one, as by
 * google/pprof. */
#include "pprof/graph/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"

enum { FITTING_MIN = 8 }; /* the least number of columns for a name, however narrow the line */

int text_add(struct buffer *out, const char *text, size_t len)
{
	return out->len + len > TEXT_MAX ? ERR_LIMIT : buffer_add_printable(out, text, len);
}

int text_add_string(struct buffer *out, const struct profile *p, unsigned string)
{
	return text_add(out, p->strings.entries[string].text, p->strings.entries[string].len);
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t text_columns(const char *text, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += begins_character(text[i]);
	return count;
}

int text_width(const char *text, int columns)
{
	size_t len = strlen(text);

	return columns + (int)(len - text_columns(text, len));
}

/* The columns of the unfinished line at the end of `out`; a colour at its beginning takes none. */
static size_t line_columns(const struct buffer *out)
{
	const char *data = (const char *)out->data, *end;
	size_t start = out->len;

	while (start && data[start - 1] != '\n')
		start--;
	end = start < out->len && data[start] == '\x1b' ?
		      memchr(data + start, 'm', out->len - start) :
		      NULL;
	start = end ? (size_t)(end + 1 - data) : start;
	return text_columns(data + start, out->len - start);
}

size_t text_prefix(const char *text, size_t len, size_t count)
{
	size_t i = 0;

	for (; i < len; i++)
		if (begins_character(text[i]) && !count--)
			break;
	return i;
}

void text_cut(const char *text, size_t len, size_t columns, size_t *head, size_t *tail)
{
	size_t all = columns ? columns - 1 : 0; /* the dots take one */

	*head = text_prefix(text, len, all / 2);
	*tail = text_prefix(text, len, text_columns(text, len) - (all - all / 2));
}

int text_add_fitting(struct buffer *out, const char *text, size_t len, unsigned width,
		     size_t reserve)
{
	size_t used, room, head, tail;
	int rc;

	if (!width)
		return text_add(out, text, len);
	used = line_columns(out) + reserve;
	room = used + FITTING_MIN < width ? width - used : FITTING_MIN;
	if (text_columns(text, len) <= room)
		return text_add(out, text, len);
	text_cut(text, len, room, &head, &tail);
	rc = text_add(out, text, head);
	rc = rc ? rc : buffer_add(out, "…", sizeof("…") - 1);
	return rc ? rc : text_add(out, text + tail, len - tail);
}

int text_addf(struct buffer *out, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = buffer_vaddf(out, fmt, ap);
	va_end(ap);
	return !rc && out->len > TEXT_MAX ? ERR_LIMIT : rc;
}

int text_result(int rc, struct error *err)
{
	if (rc == ERR_LIMIT)
		return error_set(err, rc, "the report is longer than %d MiB", TEXT_MAX >> 20);
	return rc ? error_nomem(err) : 0;
}
