/* The text is copied character by character up to the last place where the dots still fit. */
#include "goparse/excerpt.h"

#include <string.h>

#include "base/printable.h"

static const char dots[] = "…";

/* Writes the character at `at`, or its replacement if it cannot be shown. Returns the bytes
 * written; *len is the bytes read. */
static size_t excerpt_put(char *out, const char *at, size_t size, size_t *len)
{
	if (!printable_next(at, size, len)) {
		*out = *at == '\t' ? ' ' : '?';
		return 1;
	}
	memcpy(out, at, *len);
	return *len;
}

void excerpt(struct goparse_text line, char *out, size_t room)
{
	size_t used = 0, fits = 0, at = 0, len;
	char one[PRINTABLE_MAX];

	while (at < line.len) {
		size_t more = excerpt_put(one, line.at + at, line.len - at, &len);

		if (used + more >= room) {
			memcpy(out + fits, dots, sizeof(dots));
			return;
		}
		memcpy(out + used, one, more);
		used += more;
		at += len;
		if (used + sizeof(dots) <= room)
			fits = used;
	}
	out[used] = '\0';
}
