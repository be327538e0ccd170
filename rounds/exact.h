/*
 * Go's profiles of one moment, for --stop: read while all threads of the process are held
 * (sampler/hold.h), again where the moment was none.
 */
#ifndef ROUNDS_EXACT_H
#define ROUNDS_EXACT_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct goprofile;
struct process;

/* Reads, from the beginning each time that it is called. What it returns is returned, but for
 * ERR_SHORT, for which it is called again in another hold. */
typedef int exact_read(void *ctx, struct error *err);

/*
 * Has `read` ask the goprofile while its process is held, `bound_ns` at most each time. `said`
 * tells in words, for people: how many threads were held for how long, and if that was no exact
 * cut, why: a thread ran that may not be stopped, a goroutine's stack was just being moved, the
 * bound was over. Where the threads cannot be had in time, it is read without, and said so.
 * ERR_PERM, ERR_GONE, ERR_IO, ERR_NOMEM of the hold; as `read`.
 */
int exact_make(struct goprofile *g, const struct process *process, uint64_t bound_ns,
	       exact_read *read, void *ctx, char *said, size_t room, struct error *err);

#endif
