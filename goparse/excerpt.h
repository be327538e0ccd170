/* Writes a line of the input in a form that is safe to show. */
#ifndef GOPARSE_EXCERPT_H
#define GOPARSE_EXCERPT_H

#include "goparse/goparse.h"

/* Writes as much of the line as fits into `room` bytes with its NUL, and "…" behind it if it was
 * cut. A tab becomes a space; other control characters and bytes that are not UTF-8 become '?'. */
void excerpt(struct goparse_text line, char *out, size_t room);

#endif
