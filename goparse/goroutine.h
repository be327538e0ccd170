/* Parses the text of one goroutine, from its header to its end. */
#ifndef GOPARSE_GOROUTINE_H
#define GOPARSE_GOROUTINE_H

#include "goparse/dumplines.h"
#include "goparse/header.h"

/* The memory for a goroutine; it is reused for the next one. */
struct goroutine_room {
	struct goparse_goroutine g;
	struct goparse_frame *frames; /* of all its stacks */
	struct goparse_stack *ancestors;
	size_t frame_count, frame_room, ancestor_room;
	struct header_room header;
	struct goparse_stats *stats; /* where errors go; not owned */
};

enum goroutine_found {
	GOROUTINE_WHOLE, /* room->g is complete; the current line is the one behind it */
	GOROUTINE_NONE,	 /* the header could not be read; only the header was skipped */
	GOROUTINE_MORE,	 /* the goroutine goes on behind the piece; errors may have been added */
};

/* Reads a goroutine, beginning at a line for which header_find is true. 0 or ERR_NOMEM. */
int goroutine_read(struct goroutine_room *room, struct dumplines *l, enum goroutine_found *found);

void goroutine_release(struct goroutine_room *room);

/* Adds an error about a line. */
void goroutine_error(struct goparse_stats *stats, const struct dumplines *l, const char *expected);

#endif
