/*
 * Go's profiles as of one moment, for --stop: all threads of the process are held while they are
 * read (sampler/stop/hold.h). If that moment was not exact, they are read again.
 */
#ifndef ROUNDS_SOURCE_HELDREAD_H
#define ROUNDS_SOURCE_HELDREAD_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct goprofile;
struct process;

/* Reads everything anew at each call. ERR_SHORT: it is called again in another hold. Its other
 * results are returned by heldread_make. */
typedef int heldread_profiles(void *ctx, struct error *err);

/*
 * Calls `read` with the process of `g` held, each time for `bound_ns` at most. `said`, of `room`
 * bytes, tells people how many threads were held for how long, and if the cut was not exact, why:
 * a thread ran that may not be stopped, a goroutine's stack was being moved, the bound was over.
 * If no held read succeeds, `read` is called without a hold, and `said` says so. ERR_PERM,
 * ERR_GONE, ERR_BUSY, ERR_IO, ERR_NOMEM of the hold; errors of `read`.
 */
int heldread_make(struct goprofile *g, const struct process *process, uint64_t bound_ns,
		  heldread_profiles *read, void *ctx, char *said, size_t room, struct error *err);

#endif
