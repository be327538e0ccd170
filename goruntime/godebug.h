/* Settings of GODEBUG, as the runtime reads them when a program begins. */
#ifndef GORUNTIME_GODEBUG_H
#define GORUNTIME_GODEBUG_H

struct golive;

/* A setting's value, a number from 0 on, out of the environment, else as the program was built
 * with it; -1 where it has none. Source: runtime/runtime1.go, parsedebugvars, parsegodebug: the
 * last one counts. */
long godebug_setting(const struct golive *live, const char *name);

#endif
