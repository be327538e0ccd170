/* Each line is read with a cursor, so a broken one is passed over. The first entry with the number
 * counts, as for getpwuid(3). */
#include "rounds/resource/owner.h"

#include <string.h>

#include "base/cursor.h"

/* Skips to behind the next ':'; the length of what was skipped. */
static size_t skip_field(struct cursor *line)
{
	size_t left = cursor_left(line);
	const uint8_t *colon = left ? memchr(line->pos, ':', left) : NULL;
	size_t len = colon ? (size_t)(colon - line->pos) : left;

	cursor_bytes(line, len);
	cursor_expect(line, ':');
	return len;
}

void owner_name(const void *text, size_t len, int64_t uid, char *name, size_t room)
{
	struct cursor c, line;

	name[0] = '\0';
	cursor_init(&c, text, len, "passwd");
	while (cursor_line(&c, &line)) {
		const char *at = (const char *)line.pos;
		size_t size = skip_field(&line);
		uint64_t number;

		skip_field(&line);
		number = cursor_number(&line, 10);
		cursor_expect(&line, ':');
		if (line.failed || uid < 0 || number != (uint64_t)uid)
			continue;
		if (size < room) {
			memcpy(name, at, size);
			name[size] = '\0';
		}
		return;
	}
}
