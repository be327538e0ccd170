/* Names, files and lines of logical frames from pclntab, cached by address. */
#ifndef RUNTIMES_GO_STACKS_FRAMES_H
#define RUNTIMES_GO_STACKS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "base/strset.h"
#include "runtimes/go/stacks/callers.h"

struct gosites;

struct goframes {
	struct gosites *sites; /* not owned */
	struct strset strings;
	struct hashindex index;
	struct goframes_entry *all;
	size_t count, room;
	char *text; /* room for one name */
};

/* `sites` is borrowed. ERR_NOMEM. The caller calls goframes_release in either case. */
int goframes_init(struct goframes *f, struct gosites *sites);
void goframes_release(struct goframes *f);

/* As gocallers_frame. */
bool goframes_at(struct goframes *f, uint64_t pc, struct gocallers_frame *frame);

/* As gocallers_function. */
const char *goframes_function(struct goframes *f, uint64_t address);

/* Changes a name in place to the form of tracebacks (runtime/traceback.go, funcNameForPrint of the
 * release): "F[...]" for an instance of F. It becomes up to 4 bytes longer. Up to 1.20 names are
 * not changed; since 1.27 methods may have type parameters, too. */
void goframes_for_print(char *name, unsigned minor);

#endif
