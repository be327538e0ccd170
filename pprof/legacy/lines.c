/* cursor_line finds the line; only a carriage return and the bound are added here. */
#include "pprof/legacy/lines.h"

#include "base/error.h"

enum { LINE_MAX_BYTES = 64 << 10 }; /* bufio.MaxScanTokenSize: a line and its newline */

void lines_init(struct lines *l, const void *data, size_t len)
{
	cursor_init(&l->rest, data, len, "line");
	cursor_init(&l->line, NULL, 0, "line");
	l->number = 0;
	l->too_long = false;
}

bool lines_next(struct lines *l)
{
	bool there = !l->too_long && cursor_line(&l->rest, &l->line);

	l->number += there;
	if (there && cursor_left(&l->line) >= LINE_MAX_BYTES) {
		l->too_long = true;
		there = false;
	}
	if (!there)
		cursor_init(&l->line, NULL, 0, "line");
	else if (cursor_left(&l->line) && l->line.end[-1] == '\r')
		l->line.end--;
	return there;
}

int lines_error(const struct lines *l, struct error *err)
{
	if (!l->too_long)
		return 0;
	return error_set(err, ERR_FORMAT, "line %zu: longer than %d bytes", l->number,
			 LINE_MAX_BYTES - 1);
}

int lines_result(const struct lines *l, int rc, struct error *err)
{
	if (rc == ERR_FORMAT)
		error_prefix(err, "line %zu", l->number);
	return rc ? rc : lines_error(l, err);
}
