/* A stack in a line: "sync.(*WaitGroup).Wait < main.(*Pool).drain pool.go:71 < main.main …". */
#ifndef CLI_GOPARSE_WHERE_H
#define CLI_GOPARSE_WHERE_H

#include <stddef.h>

#include "goparse/goparse.h"

struct buffer;

/* Append to the line that the buffer holds, whose end is not to be beyond `width` columns (0:
 * there is no bound): what tells most of a stack, innermost first; a function with its file and
 * line. 0, ERR_NOMEM, ERR_LIMIT (report/text.h). */
int goparse_where(struct buffer *line, const struct goparse_stack *s,
		  struct goparse_text state, unsigned width);
int goparse_place(struct buffer *line, const struct goparse_frame *f, unsigned width);

/* The same of any text of a dump, as far as it may be shown (goparse/excerpt.h). */
int goparse_put(struct buffer *line, struct goparse_text text);

/* The columns of a line so far: its characters. */
size_t goparse_columns(const struct buffer *line);

#endif
