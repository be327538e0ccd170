/* Goroutines for programs: one JSON object a line, in the order of the dump (docs/goparse.md). */
#ifndef CLI_GOPARSE_JSON_H
#define CLI_GOPARSE_JSON_H

struct buffer;
struct goparse_goroutine;

/* Appends the goroutine's line. `dump`, if not NULL, is the name of its dump. 0 or ERR_NOMEM. */
int goparse_json(struct buffer *b, const struct goparse_goroutine *g, const char *dump);

#endif
