/*
 * Makes a goroutine as the runtime's tracebacks print it: which of its frames, under which names,
 * and with which header. The form is that of goparse/, so that everything made from it is the same
 * as from a dump's text.
 *
 * Source: runtime/traceback.go of Go 1.18 to 1.27 (goroutineheader, traceback1, traceback2,
 * gentraceback up to 1.20, showfuncinfo, printcreatedby).
 */
#ifndef RUNTIMES_GO_SESSION_TRACEBACK_H
#define RUNTIMES_GO_SESSION_TRACEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "goparse/goparse.h"
#include "runtimes/go/session/labelsets.h"

struct go_goroutine;
struct goprofile;

/* The most logical frames of a stack that are read; those beyond are not counted as elided. */
enum { TRACEBACK_FRAMES_MAX = 1 << 20 };

/* The ancestors of a goroutine (ancestry.c); {0} is empty. */
struct ancestry {
	struct goparse_stack *stacks; /* the creator's first */
	struct goparse_frame *frames;
	size_t count, room, frame_count, frame_room;
};

struct traceback {
	struct goprofile *g; /* not owned */
	struct goparse_frame *frames;
	size_t frame_count, frame_room;
	struct labelsets sets; /* filled by labelled_read, for traceback_make */
	struct goparse_label *labels;
	size_t label_room;
	struct buffer text, args;
	struct ancestry ancestry;
	uint64_t bubble, bubble_id; /* of the last goroutine that had one */
};

void traceback_init(struct traceback *t, struct goprofile *g);
void traceback_release(struct traceback *t);

/* Fills *out from a goroutine. It is valid until the next call; names belong to the goprofile. The
 * wait is not set, because it is not known from the goroutine alone. Without r->stack (the bytes of
 * the stack) arguments are "..." and there are no ancestors. `set` is that of a labelled_callback;
 * its labels are set whether Go would print them or not. ERR_NOMEM. */
int traceback_make(struct traceback *t, const struct go_goroutine *r, uint32_t set,
		   struct goparse_goroutine *out);

#endif
