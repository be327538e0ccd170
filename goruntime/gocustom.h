/*
 * Profiles that are stacks and nothing else: those that the program made with pprof.NewProfile,
 * and who made threads (runtime/pprof/pprof.go; runtime.allm).
 */
#ifndef GORUNTIME_GOCUSTOM_H
#define GORUNTIME_GOCUSTOM_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct golive;

enum { GO_CUSTOM_MAX = 256, GO_CUSTOM_STACKS_MAX = 1 << 22 };

/* Good until the callback returns; pcs are logical frames, innermost first, none of them 0. */
typedef int gocustom_stack(void *ctx, const uint64_t *pcs, size_t count, struct error *err);
typedef int gocustom_name(void *ctx, const char *name, size_t len, struct error *err);

/* The names of profiles that the program registered (not the runtime's own, which have a function
 * that writes them), any order. None where the program has no such. ERR_FORMAT, ERR_GONE,
 * ERR_NOMEM. */
int gocustom_names(const struct golive *live, gocustom_name *each, void *ctx, struct error *err);

/* The stacks of one of them, as they were at one moment: ERR_FORMAT, too, when it changes faster
 * than it can be read, unless somebody holds the threads. ERR_NOTFOUND: there is none of that
 * name. */
int gocustom_stacks(const struct golive *live, const char *name, gocustom_stack *each, void *ctx,
		    struct error *err);

/* Of each M the stack that made it, empty ones too (runtime.ThreadCreateProfile), in the order of
 * runtime.allm. ERR_NOTFOUND: that was not found. */
int gocustom_threads(const struct golive *live, gocustom_stack *each, void *ctx, struct error *err);

#endif
