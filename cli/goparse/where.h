/* A stack on a line: "sync.(*WaitGroup).Wait < main.(*Pool).drain pool.go:71 < main.main …". */
#ifndef CLI_GOPARSE_WHERE_H
#define CLI_GOPARSE_WHERE_H

#include <stddef.h>

#include "goparse/goparse.h"

struct buffer;

/* Both append to the line that the buffer holds, which is to have at most `width` columns (0: no
 * limit). goparse_where appends the frames that tell most of a stack, innermost first;
 * goparse_place a function with its file and line. 0, ERR_NOMEM, ERR_LIMIT (pprof/graph/text.h). */
int goparse_where(struct buffer *line, const struct goparse_stack *s, struct goparse_text state,
		  unsigned width);
int goparse_place(struct buffer *line, const struct goparse_frame *f, unsigned width);

/* Appends a text of a dump as it may be shown (goparse/excerpt.h), cut only beyond 4 KiB. Errors as
 * above. */
int goparse_put(struct buffer *line, struct goparse_text text);

/* The number of columns of a line so far: its UTF-8 characters. */
size_t goparse_columns(const struct buffer *line);

#endif
