/* What a traceback prints of a pcframe. Internal to traceback.c and ancestry.c. */
#ifndef RUNTIMES_GO_SESSION_TRACED_H
#define RUNTIMES_GO_SESSION_TRACED_H

#include <stdbool.h>
#include <stdint.h>

#include "goparse/goparse.h"

struct ancestry;
struct go_goroutine;
struct goargs;
struct pcframe;
struct traceback;

struct pcframe_traced {
	struct goparse_text name, file;
	struct goparse_text creator; /* the physical function's name; empty: it is not shown */
	bool shown, boundary;	     /* boundary: shown unless it is the first frame */
	bool injected;		     /* its caller did not call it, but was interrupted */
	struct goargs *args;	     /* of the physical function; NULL: not loaded yet */
};

/* The frame of a pc, with its pcframe_traced; NULL: out of memory. */
struct pcframe *traceback_find(struct traceback *t, uint64_t pc);

/* printcreatedby: sets *f to the frame of the go statement with the return address `go_pc`, if that
 * frame is shown. Leaves *f unchanged for goroutine 1 and if go_pc is 0. ERR_NOMEM. */
int traceback_creator(struct traceback *t, uint64_t go_pc, uint64_t goid, struct goparse_frame *f);

void ancestry_release(struct ancestry *a);

/* Reads the ancestors of a goroutine into *a, valid until the next call. There are none if they
 * cannot be read or are no longer its own. ERR_NOMEM. */
int ancestry_read(struct ancestry *a, struct traceback *t, const struct go_goroutine *r);

#endif
