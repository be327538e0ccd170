/* Finds where a running goroutine is while its thread is held. */
#ifndef RUNTIMES_GO_STACKS_HELD_H
#define RUNTIMES_GO_STACKS_HELD_H

#include <stdbool.h>
#include <stdint.h>

struct gocallers;
struct gogoroutines_options;
struct golive;
struct gostate;

/* Looks for the goroutine's thread among the held ones. *pc is a return address, or if *exact is
 * true the next instruction. False: the thread is not held, or the goroutine is neither on its own
 * stack nor has left it in a way that saves sched. */
bool goheld_find(const struct golive *live, struct gocallers *callers,
		 const struct gogoroutines_options *options, const struct gostate *s, uint64_t *pc,
		 uint64_t *sp, bool *exact);

#endif
