/* Settings of GODEBUG, as the runtime reads them when a program starts. */
#ifndef RUNTIMES_GO_DEBUG_H
#define RUNTIMES_GO_DEBUG_H

#include <stddef.h>

struct golive;

/* The value of a setting, at least 0, from the environment, otherwise from the settings that the
 * program was built with; -1: it is not set. Of several values of one setting the last one counts.
 * Source: runtime/runtime1.go, parsedebugvars, parsegodebug. */
long godebug_setting(const struct golive *live, const char *name);

/* The maximum number of frames of a stack in the runtime's profiles: 32 up to 1.22
 * (runtime/mprof.go, maxStack), then the setting profstackdepth, by default 128. */
size_t godebug_stack_depth(const struct golive *live);

#endif
