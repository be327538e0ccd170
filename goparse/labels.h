/* A goroutine's pprof labels in its header: {"key": "value", other: "x"}. */
#ifndef GOPARSE_LABELS_H
#define GOPARSE_LABELS_H

#include "goparse/header.h"

/* Takes the braces and what is between them off the text, the labels into room->labels,
 * *count of them. Where they are broken *good becomes false, those before are kept and the
 * text stays at the place. 0, or ERR_NOMEM. */
int labels_parse(struct goparse_text *t, struct header_room *room, size_t *count, bool *good);

#endif
