/* A stack on a line: "sync.(*WaitGroup).Wait < main.(*Pool).drain pool.go:71 < main.main …". */
#ifndef CLI_GOPARSE_WHERE_H
#define CLI_GOPARSE_WHERE_H

#include <stddef.h>

#include "goparse/goparse.h"

struct buffer;
struct printer;

/* Both append to the line that the printer writes, which is to have at most `width` columns (0: no
 * limit). goparse_where appends the frames that tell most of a stack, innermost first;
 * goparse_place a function with its file and line. */
void goparse_where(struct printer *line, const struct goparse_stack *s, struct goparse_text state,
		   unsigned width);
void goparse_place(struct printer *line, const struct goparse_frame *f, unsigned width);

/* Appends a piece of text, shortened as by text_add_fitting. */
void goparse_fit(struct printer *line, const struct printer *piece, unsigned width, size_t reserve);

/* Appends a text of a dump as it may be shown (goparse/excerpt.h), cut only beyond 4 KiB. */
void goparse_put(struct printer *p, struct goparse_text text);

/* The number of columns of a line so far: its UTF-8 characters. */
size_t goparse_columns(const struct buffer *line);

#endif
