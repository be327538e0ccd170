/* What has to be watched where timers are those of threads, not of CPUs
 * (sampler/capture/taskevents.h). */
#ifndef SAMPLER_TICK_TASKTIMERS_H
#define SAMPLER_TICK_TASKTIMERS_H

#include <stdbool.h>
#include <stdint.h>

struct round;

/* Has each process its timers? One that was not told of may be older than they are. */
bool tasktimers_reach_all(const struct round *r);

/* Has most time in user space no sample, now and soon? Then tickers find more. */
bool tasktimers_miss_most(const struct round *r, uint64_t now);

#endif
