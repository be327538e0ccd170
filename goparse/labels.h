/* A goroutine's pprof labels in its header: {"key": "value", other: "x"}. */
#ifndef GOPARSE_LABELS_H
#define GOPARSE_LABELS_H

#include "goparse/header.h"

/* Takes the braces and what is between them from the text, and stores the labels in room->labels;
 * *count is their number. If they are broken, *good becomes false, the labels before the error are
 * kept, and *t begins at the error. 0 or ERR_NOMEM. */
int labels_parse(struct goparse_text *t, struct header_room *room, size_t *count, bool *good);

#endif
