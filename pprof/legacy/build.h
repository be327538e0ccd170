/*
 * Declares what the readers of Go's texts share: a profile under construction. Samples are written
 * to it at once, locations at the end, because comments name their lines.
 */
#ifndef PPROF_LEGACY_BUILD_H
#define PPROF_LEGACY_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/hashindex.h"
#include "pprof/profile.h"

/* A call at a place. */
struct legacy_line {
	uint32_t name, file; /* strings; file 0: unknown */
	int64_t line;	     /* 0: unknown */
};

/* A future location, found by its address. */
struct legacy_place {
	uint64_t address;
	size_t first_line, lines; /* in legacy.lines, innermost call first; 0: no name is known */
};

/* How far the comments of the newest sample have been followed (names.c). */
struct legacy_naming {
	size_t frame;	   /* in legacy.stack: the last one with a comment */
	size_t first_line; /* of that frame */
	bool begun, lost;  /* lost: the comments are not those of the sample's addresses */
};

/* {0} and a profile. */
struct legacy {
	struct profile *p; /* initialised and empty at first; types and period are set directly */
	struct hashindex by_address;
	struct legacy_place *places; /* location i + 1 is made of place i */
	struct legacy_line *lines;
	uint32_t *stack; /* ids of the newest sample's locations, leaf first */
	size_t place_count, line_count, stack_count;
	size_t place_room, line_room, stack_room;
	struct legacy_naming naming;
	int64_t hertz; /* of a contention profile's cycles; 0: not known */
};

void legacy_release(struct legacy *l);

/* Adds a sample. `stack` is " 0xADDRESS" as often as there are frames; its addresses are return
 * addresses, so 1 is subtracted. ERR_FORMAT, also for a cursor that has failed; ERR_NOMEM. */
int legacy_add_sample(struct legacy *l, struct cursor stack, const int64_t *values,
		      const struct profile_label *labels, size_t label_count);

/* Reads a comment behind a sample: a frame's name, file and line, as Go writes them; any other text
 * is ignored. 0 or ERR_NOMEM. */
int legacy_comment(struct legacy *l, struct cursor text);

/* Writes the locations. 0 or ERR_NOMEM. */
int legacy_finish(struct legacy *l);

enum { NOT_THIS = 1 };

/* How to read one kind of text. */
struct legacy_form {
	/* Sets the profile's types by the first line. NOT_THIS if that is of another form, or
	 * ERR_NOMEM. */
	int (*begin)(struct legacy *l, struct cursor line);

	/* Reads another line, which is no comment. ERR_FORMAT, ERR_NOMEM. */
	int (*read)(struct legacy *l, struct cursor line);

	const char *row; /* what such a line should be, for the message */
};

extern const struct legacy_form legacy_counts, legacy_heap, legacy_contention;

#endif
