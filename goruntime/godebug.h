/* Settings of GODEBUG, as the runtime reads them when a program begins. */
#ifndef GORUNTIME_GODEBUG_H
#define GORUNTIME_GODEBUG_H

#include <stddef.h>

struct golive;

/* A setting's value, a number from 0 on, out of the environment, else as the program was built
 * with it; -1 where it has none. Source: runtime/runtime1.go, parsedebugvars, parsegodebug: the
 * last one counts. */
long godebug_setting(const struct golive *live, const char *name);

/* How many frames a stack has at most in the runtime's profiles: 32 up to 1.22 (runtime/mprof.go,
 * maxStack), then as the setting profstackdepth says, 128 if that is not there. */
size_t godebug_stack_depth(const struct golive *live);

#endif
