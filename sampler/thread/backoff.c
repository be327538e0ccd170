/* The wait doubles with each look that found the thread unmoved, up to `most` ticks, and the tick
 * is drawn from one and a half times that. The weight is what was left to draw from. */
#include "sampler/thread/backoff.h"

uint64_t backoff_first(struct backoff *b, uint64_t most, uint64_t random)
{
	b->last = most - 1;
	return random % most;
}

uint64_t backoff_next(struct backoff *b, uint64_t tick, bool unmoved, uint64_t most,
		      uint64_t random)
{
	uint64_t wait = most, ticks;

	b->unmoved = unmoved ? b->unmoved + 1 : 0;
	if (b->unmoved < 32 && 1ull << b->unmoved < wait)
		wait = 1ull << b->unmoved;
	ticks = wait + wait / 2 - (wait > 1);
	b->last = tick + ticks;
	return tick + 1 + random % ticks;
}

uint64_t backoff_left_out(const struct backoff *b, uint64_t tick)
{
	return b->last > tick ? b->last - tick : 0;
}
