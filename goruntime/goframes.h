/* Names, files and lines of logical frames, as the table has them; remembered by address. */
#ifndef GORUNTIME_GOFRAMES_H
#define GORUNTIME_GOFRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "base/strset.h"
#include "goruntime/gocallers.h"

struct gosites;

struct goframes {
	struct gosites *sites; /* not owned */
	struct strset strings;
	struct hashindex index;
	struct goframes_entry *all;
	size_t count, room;
	char *text; /* room for one name */
};

/* ERR_NOMEM; release in any case. */
int goframes_init(struct goframes *f, struct gosites *sites);
void goframes_release(struct goframes *f);

/* As gocallers_frame. */
bool goframes_at(struct goframes *f, uint64_t pc, struct gocallers_frame *frame);

/* As gocallers_function. */
const char *goframes_function(struct goframes *f, uint64_t address);

/* A name as tracebacks have it (runtime/traceback.go, funcNameForPrint of a release): "F[...]"
 * for an instance of F; in place, up to 4 bytes longer than before. Up to 1.20 names are as they
 * are, from 1.27 on methods may have parameters, too. */
void goframes_for_print(char *name, unsigned minor);

#endif
