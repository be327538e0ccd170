/* memchr(3) finds the newline. A last line without one counts only if no more input follows. */
#include "goparse/dumplines.h"

#include <string.h>

#include "goparse/text.h"

static void dumplines_load(struct dumplines *l)
{
	size_t left = (size_t)(l->end - l->next);
	const char *newline = left ? memchr(l->next, '\n', left) : NULL;

	l->start = l->next;
	if (!newline && (l->more || !left)) {
		l->have = l->more ? LINES_MORE : LINES_END;
		l->line = (struct goparse_text){ l->next, 0 };
		return;
	}
	l->have = LINES_LINE;
	l->line = (struct goparse_text){ l->next, newline ? (size_t)(newline - l->next) : left };
	l->next = newline ? newline + 1 : l->end;
	text_trim_end(&l->line);
}

void dumplines_init(struct dumplines *l, const char *piece, size_t len, bool more, uint64_t number)
{
	*l = (struct dumplines){
		.next = piece, .end = piece + len, .more = more, .number = number
	};
	dumplines_load(l);
}

void dumplines_next(struct dumplines *l)
{
	if (l->have != LINES_LINE)
		return;
	l->number++;
	dumplines_load(l);
}
