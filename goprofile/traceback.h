/*
 * A goroutine as the runtime's tracebacks print it: which of its frames, under which names, and
 * what stands in its header. As goparse/ has it of a text, so that whatever it is made into is
 * the same of both.
 *
 * Source: runtime/traceback.go of Go 1.18 to 1.27 (goroutineheader, traceback1, traceback2,
 * gentraceback up to 1.20, showfuncinfo, printcreatedby).
 */
#ifndef GOPROFILE_TRACEBACK_H
#define GOPROFILE_TRACEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "goparse/goparse.h"
#include "goprofile/ancestry.h"
#include "goprofile/labelsets.h"

struct go_goroutine;
struct goprofile;

/* As many logical frames as are looked at; in those behind nothing is counted. */
enum { TRACEBACK_FRAMES_MAX = 1 << 20 };

struct traceback {
	struct goprofile *g; /* not owned */
	struct goparse_frame *frames;
	size_t frame_count, frame_room;
	struct labelsets sets; /* of labelled_read, for traceback_make */
	struct goparse_label *labels;
	size_t label_room;
	struct buffer text, args;
	struct ancestry ancestry;
	uint64_t bubble, bubble_id; /* the last one */
};

void traceback_init(struct traceback *t, struct goprofile *g);
void traceback_release(struct traceback *t);

/* Good until the next call; names are the goprofile's. Without a wait, which is not to be told
 * from the goroutine alone, with "..." for arguments, and without ancestors, where the stack's bytes are not there; labels (`set`: as labelled_read tells it) are there whether Go would
 * print them or not. ERR_NOMEM. */
int traceback_make(struct traceback *t, const struct go_goroutine *r, uint32_t set,
		   struct goparse_goroutine *out);

#endif
