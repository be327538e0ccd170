/* The environment's GODEBUG, as the runtime reads it when a program begins. */
#ifndef GORUNTIME_GODEBUG_H
#define GORUNTIME_GODEBUG_H

struct process;

/* A setting's value, a number from 0 on; -1 where it has none (`process` may be NULL).
 * Source: runtime/runtime1.go, parsegodebug: the last one counts. */
long godebug_setting(const struct process *process, const char *name);

#endif
