/* A line of the input as it may be shown. */
#ifndef GOPARSE_EXCERPT_H
#define GOPARSE_EXCERPT_H

#include "goparse/goparse.h"

/* As much of the line as fits into `room` bytes with its NUL, "…" behind it when that is not
 * all. A tab becomes a blank, other control characters and bytes that are no UTF-8 '?'. */
void excerpt(struct goparse_text line, char *out, size_t room);

#endif
