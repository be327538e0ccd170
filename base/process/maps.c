/* A line is read with a cursor, field by field, so that an unexpected form is an error with its
 * offset instead of a wrong mapping. */
#include "base/process/maps.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

/* START-END PROT OFFSET MAJOR:MINOR INODE [blanks PATH]. The path goes to the
 * end of the line; a newline in it is written as \012 by the kernel. */
int maps_next(struct cursor *c, struct maps_line *line, struct error *err)
{
	const uint8_t *prot;
	struct cursor text;

	if (!cursor_line(c, &text))
		return 0;
	line->start = cursor_number(&text, 16);
	cursor_expect(&text, '-');
	line->end = cursor_number(&text, 16);
	if (line->end <= line->start)
		cursor_fail(&text, "empty address range");
	cursor_expect(&text, ' ');
	prot = cursor_bytes(&text, 4);
	memcpy(line->prot, prot ? (const char *)prot : "----", 4);
	line->prot[4] = '\0';
	cursor_expect(&text, ' ');
	line->offset = cursor_number(&text, 16);
	cursor_expect(&text, ' ');
	line->major = (uint32_t)cursor_number(&text, 16);
	cursor_expect(&text, ':');
	line->minor = (uint32_t)cursor_number(&text, 16);
	cursor_expect(&text, ' ');
	line->inode = cursor_number(&text, 10);
	cursor_blanks(&text);
	line->path = (const char *)text.pos;
	line->path_len = cursor_left(&text);
	if (text.failed) {
		/* The message needs the offset in the whole text. */
		text.failed_at += (size_t)(text.start - c->start);
		return cursor_error(&text, err);
	}
	return 1;
}
