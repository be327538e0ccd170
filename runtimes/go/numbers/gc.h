/* Finds out when a Go program has last collected its garbage. */
#ifndef RUNTIMES_GO_NUMBERS_GC_H
#define RUNTIMES_GO_NUMBERS_GC_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct golive;

/* Counts of runtime/mgc.go; they wrap around at 2^32. */
struct gogc {
	uint32_t begun;	   /* cycles: work.cycles */
	uint32_t finished; /* of these, the cycles that have ended marking: memstats.numgc */
	bool swept;	   /* the last of these is swept: all objects found dead are freed */
};

/* Reads the counts. ERR_NOTFOUND: where they are was not found in this program; ERR_FORMAT,
 * ERR_GONE. */
int gogc_read(const struct golive *live, struct gogc *gc, struct error *err);

/* True when a cycle that had not begun at `since` has ended and is swept at `now`. A heap profile
 * of the end of the last cycle is then no older than `since`. */
bool gogc_over(const struct gogc *since, const struct gogc *now);

/* Waits until gogc_over is true, checking every 10 ms, or until `timeout_ns` have passed; *ended
 * tells which. The program is not made to collect. Errors as gogc_read. */
int gogc_wait(const struct golive *live, uint64_t timeout_ns, bool *ended, struct error *err);

#endif
