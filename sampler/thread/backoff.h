/*
 * When a thread is looked at, and what that look stands for.
 *
 * A thread that stays asleep is looked at less and less often. Once it has moved, it is looked at
 * in each tick again. So long bursts would have more samples for their time than short ones, which
 * are often over before the next look. A look's weight makes up for that: the next look is equally
 * likely at each of n ticks, so the k-th of them has it with a probability of 1/(n - k + 1) if none
 * before it had, and the sample counts n - k + 1 times (Horvitz and Thompson, 1952). The sum is
 * true in the mean for bursts of any length.
 *
 * Rejected: a due tick in the second half of the wait only. What begins and ends in the first half
 * then has no look, and no weight can make up for it.
 */
#ifndef SAMPLER_THREAD_BACKOFF_H
#define SAMPLER_THREAD_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

struct backoff {
	uint32_t unmoved; /* looks in a row in which the thread had not run */
	uint64_t last;	  /* the last tick at which the next look may come */
};

/* Plans the first look, at one of the ticks from 0 to `most` - 1, and returns that tick. `random`:
 * 64 random bits. */
uint64_t backoff_first(struct backoff *b, uint64_t most, uint64_t random);

/* Plans the look after the one of `tick`, and returns its tick. It comes after three quarters of
 * the wait in the mean; the wait doubles with each look that finds the thread unmoved, to `most`
 * ticks. */
uint64_t backoff_next(struct backoff *b, uint64_t tick, bool unmoved, uint64_t most,
		      uint64_t random);

/* How many ticks without a look the planned one stands for if it comes in `tick`. */
uint64_t backoff_left_out(const struct backoff *b, uint64_t tick);

#endif
