/* What stands between the thread that a tick has found and the request to stop it. */
#ifndef SAMPLER_CAPTURE_PREPARING_H
#define SAMPLER_CAPTURE_PREPARING_H

#include <stdbool.h>
#include <stdint.h>

struct slot;
struct sought;
struct thread;
struct ticker_figures;
struct ticking;

/* Has the thread been held for more than that share of the time since it was first seen? `now`:
 * CLOCK_MONOTONIC, ns. */
bool held_for_long(double pause_share, const struct thread *thread, uint64_t now);

/* Called by a ticker while the roster is locked for reading: prepares a slot for the thread that
 * was found. NULL, counted: the thread is to be left alone now, or nothing is free. The slot's
 * left_alone is set if the thread is in a call that a stop might cut short, its `taken` if it could
 * be read without a stop: then it goes back as it is. Its `at_rest` is set if its registers could
 * be read: then it needs no stop (resting.h). */
struct slot *prepare_sample(struct ticking *with, struct sought *s, struct ticker_figures *figures);

#endif
