/* A column is a byte that begins a character of UTF-8: wide characters are counted as one, as by
 * google/pprof. */
#include "pprof/graph/text.h"

#include <stdbool.h>
#include <string.h>

#include "base/printer.h"
#include "pprof/profile.h"

enum { FITTING_MIN = 8 }; /* the least number of columns for a name, however narrow the line */

void text_add_string(struct printer *out, const struct profile *p, unsigned string)
{
	print_foreign_bytes(out, p->strings.entries[string].text, p->strings.entries[string].len);
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

void text_add_fitting(struct printer *out, const char *text, size_t len, unsigned width,
		      size_t reserve)
{
	size_t used = width ? line_columns(out->out) + reserve : 0, room, head, tail;

	room = used + FITTING_MIN < width ? width - used : FITTING_MIN;
	if (!width || text_columns(text, len) <= room) {
		print_foreign_bytes(out, text, len);
		return;
	}
	text_cut(text, len, room, &head, &tail);
	print_foreign_bytes(out, text, head);
	print_to(out, "…");
	print_foreign_bytes(out, text + tail, len - tail);
}
