/* The ends are in an array, made from characters as they are read in pieces, and searched by
 * halves. A carriage return at the end of a piece waits for the next one. */
#include "runtimes/v8/heap/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

enum { LINE_SEPARATOR = 0x2028, PARAGRAPH_SEPARATOR = 0x2029 };

void v8_lines_release(struct v8_lines *l)
{
	free(l->ends);
	*l = (struct v8_lines){ 0 };
}

int v8_lines_add(struct v8_lines *l, uint32_t end)
{
	if (l->count && end < l->ends[l->count - 1])
		return ERR_FORMAT;
	if (room_for((void **)&l->ends, &l->room, l->count + 1, sizeof(*l->ends)))
		return ERR_NOMEM;
	l->ends[l->count++] = end;
	return 0;
}

/* A carriage return ends a line unless a newline follows. */
static int scan_one(struct v8_lines *l, uint16_t ch)
{
	if (l->cr && ch != '\n' && v8_lines_add(l, l->at - 1))
		return ERR_NOMEM;
	l->cr = ch == '\r';
	if ((ch == '\n' || ch == LINE_SEPARATOR || ch == PARAGRAPH_SEPARATOR) &&
	    v8_lines_add(l, l->at))
		return ERR_NOMEM;
	l->at++;
	return 0;
}

int v8_lines_scan(struct v8_lines *l, const void *chars, size_t count, bool wide)
{
	const uint8_t *bytes = chars;
	uint16_t ch;

	for (size_t i = 0; i < count; i++) {
		if (wide)
			memcpy(&ch, bytes + 2 * i, sizeof(ch));
		else
			ch = bytes[i];
		if (scan_one(l, ch))
			return ERR_NOMEM;
	}
	return 0;
}

int v8_lines_finish(struct v8_lines *l)
{
	if (l->cr && v8_lines_add(l, l->at - 1))
		return ERR_NOMEM;
	l->cr = false;
	return v8_lines_add(l, l->at);
}

bool v8_lines_find(const struct v8_lines *l, uint32_t offset, uint32_t *line, uint32_t *column)
{
	size_t low = 0, high = l->count;

	while (low < high) { /* the first end that is not before it */
		size_t middle = low + (high - low) / 2;

		if (l->ends[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == l->count)
		return false;
	*line = (uint32_t)low;
	*column = offset - (low ? l->ends[low - 1] + 1 : 0);
	return true;
}
