/* The text of one goroutine, from its header to its end. */
#ifndef GOPARSE_GOROUTINE_H
#define GOPARSE_GOROUTINE_H

#include "goparse/header.h"
#include "goparse/dumplines.h"

/* What is read into; kept from goroutine to goroutine. */
struct goroutine_room {
	struct goparse_goroutine g;
	struct goparse_frame *frames; /* of all stacks */
	struct goparse_stack *ancestors;
	size_t frame_count, frame_room, ancestor_room;
	struct header_room header;
	struct goparse_stats *stats; /* where errors go; not owned */
};

enum goroutine_found {
	GOROUTINE_WHOLE, /* room->g is one; the present line is the one behind it */
	GOROUTINE_NONE,	 /* its header could not be read, and only that was passed over */
	GOROUTINE_MORE,	 /* the piece of input is not long enough; errors were added all the same */
};

/* Reads on from a line that header_begins. 0, or ERR_NOMEM. */
int goroutine_read(struct goroutine_room *room, struct dumplines *l, enum goroutine_found *found);

void goroutine_release(struct goroutine_room *room);

/* Adds an error about a line. */
void goroutine_error(struct goparse_stats *stats, const struct dumplines *l, const char *expected);

#endif
