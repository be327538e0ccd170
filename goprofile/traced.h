/* What a traceback prints of a pcframe. Internal to traceback.c and ancestry.c. */
#ifndef GOPROFILE_TRACED_H
#define GOPROFILE_TRACED_H

#include <stdbool.h>
#include <stdint.h>

#include "goparse/goparse.h"

struct goargs;
struct pcframe;
struct traceback;

struct pcframe_traced {
	struct goparse_text name, file;
	struct goparse_text creator; /* the physical function; none: it is not shown */
	bool shown, boundary; /* boundary: but not as the first one */
	bool injected;	      /* its caller has not called it, but was interrupted */
	struct goargs *args;  /* of the physical function here; NULL: not asked yet */
};

/* The frame of a pc, with its pcframe_traced; NULL when out of memory. */
struct pcframe *traceback_find(struct traceback *t, uint64_t pc);

/* printcreatedby: who ran the go statement whose return address that is, if it is shown; of
 * goroutine 1, and where there is none (0), nobody. ERR_NOMEM. */
int traceback_creator(struct traceback *t, uint64_t go_pc, uint64_t goid, struct goparse_frame *f);

#endif
