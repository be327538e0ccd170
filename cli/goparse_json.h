/* Goroutines for programs: a JSON object a line, written as they come (docs/goparse.md). */
#ifndef CLI_GOPARSE_JSON_H
#define CLI_GOPARSE_JSON_H

struct buffer;
struct goparse_goroutine;

/* Appends the goroutine's line; `dump` names where it is from unless NULL. 0 or ERR_NOMEM. */
int goparse_json(struct buffer *b, const struct goparse_goroutine *g, const char *dump);

#endif
