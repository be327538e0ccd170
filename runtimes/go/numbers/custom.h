/*
 * Profiles that consist only of stacks: those that the program made with pprof.NewProfile, and the
 * stacks that created threads (runtime/pprof/pprof.go; runtime.allm).
 */
#ifndef RUNTIMES_GO_NUMBERS_CUSTOM_H
#define RUNTIMES_GO_NUMBERS_CUSTOM_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct golive;

enum { GO_CUSTOM_MAX = 256, GO_CUSTOM_STACKS_MAX = 1 << 22 };

/* Arguments are valid until the callback returns; pcs are logical frames, innermost first, none of
 * them 0. A return value other than 0 ends the reading, which then returns it. */
typedef int gocustom_stack(void *ctx, const uint64_t *pcs, size_t count, struct error *err);
typedef int gocustom_name(void *ctx, const char *name, size_t len, struct error *err);

/* Passes the names of profiles that the program registered to `each`, in any order. The runtime's
 * own profiles, which have a function that writes them, are left out. ERR_FORMAT, ERR_GONE,
 * ERR_NOMEM. */
int gocustom_names(const struct golive *live, gocustom_name *each, void *ctx, struct error *err);

/* Passes the stacks of one of these profiles, as they were at one moment. ERR_FORMAT, also when the
 * profile changes faster than it can be read, which cannot happen while the threads are held;
 * ERR_NOTFOUND: there is no profile of that name; ERR_GONE, ERR_NOMEM. */
int gocustom_stacks(const struct golive *live, const char *name, gocustom_stack *each, void *ctx,
		    struct error *err);

/* Passes for each M the stack that created it, including empty ones (runtime.ThreadCreateProfile),
 * in the order of runtime.allm. ERR_NOTFOUND: runtime.allm was not found; ERR_FORMAT, ERR_GONE,
 * ERR_NOMEM. */
int gocustom_threads(const struct golive *live, gocustom_stack *each, void *ctx, struct error *err);

#endif
