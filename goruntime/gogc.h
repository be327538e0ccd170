/* When a Go program has last collected its garbage. */
#ifndef GORUNTIME_GOGC_H
#define GORUNTIME_GOGC_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct golive;

/* Counts of runtime/mgc.go; they go on from 0 behind 2^32 - 1. */
struct gogc {
	uint32_t begun;	   /* cycles: work.cycles */
	uint32_t finished; /* of these, with marking: memstats.numgc */
	bool swept;	   /* and with sweeping: all that were found dead are freed */
};

/* ERR_NOTFOUND: this program does not say where these are; ERR_FORMAT, ERR_GONE. */
int gogc_read(const struct golive *live, struct gogc *gc, struct error *err);

/* Has a cycle that had not begun at `since` come to its end by `now`, swept? What a heap
 * profile then says of the end of the last cycle is no older than `since`. */
bool gogc_over(const struct gogc *since, const struct gogc *now);

/* Waits until that is so, looking every 10 ms, or for `timeout_ns`; *ended says which. Nothing
 * makes the program collect. Errors as gogc_read. */
int gogc_wait(const struct golive *live, uint64_t timeout_ns, bool *ended, struct error *err);

#endif
