/* A stack in a line: "sync.(*WaitGroup).Wait < main.(*Pool).drain pool.go:71 < main.main …". */
#ifndef CLI_GOPARSE_WHERE_H
#define CLI_GOPARSE_WHERE_H

struct buffer;
struct goparse_frame;
struct goparse_stack;
struct goparse_text;

/* Append to the line that the buffer holds, whose end is not to be beyond `width` columns (0:
 * there is no bound): what tells most of a stack, innermost first; a function with its file and
 * line. 0, ERR_NOMEM, ERR_LIMIT (report/text.h). */
int goparse_where(struct buffer *line, const struct goparse_stack *s,
		  struct goparse_text state, unsigned width);
int goparse_place(struct buffer *line, const struct goparse_frame *f, unsigned width);

#endif
