/* Where a goroutine is that runs while somebody holds its thread. */
#ifndef GORUNTIME_GOHELD_H
#define GORUNTIME_GOHELD_H

#include <stdbool.h>
#include <stdint.h>

struct gocallers;
struct gogoroutines_options;
struct golive;
struct gostate;

/* Looks for its thread among those held. The pc is a return address, or with `exact` the next
 * instruction. False: it is not held, or was not on its stack and has not left it, either. */
bool goheld_find(const struct golive *live, struct gocallers *callers,
		 const struct gogoroutines_options *options, const struct gostate *s, uint64_t *pc,
		 uint64_t *sp, bool *exact);

#endif
