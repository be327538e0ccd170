/*
 * How much CPU time the sampling may take, and how that limit is kept.
 *
 * A round that looks at few threads stays below the limit. Where ticks cost more, fewer are made:
 * the rate sinks. Where even ten ticks a second cost more, each tick looks at a random part of the
 * threads. Every sample then also stands for the ticks and threads that were left out, so that
 * shares stay true.
 */
#ifndef SAMPLER_ACCOUNT_BUDGET_H
#define SAMPLER_ACCOUNT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	double share;	     /* of one CPU */
	uint64_t period_ns;  /* of the requested rate */
	double tick_ns;	     /* CPU time of a tick, running mean */
	double last_ns;	     /* CPU time of the last tick */
	double debt_ns;	     /* CPU time taken beyond the share; below 0: unused share */
	double part;	     /* the part of the threads that a tick looks at: above 0, at most 1 */
	double stride;	     /* periods from tick to tick, at least 1 */
	uint64_t settled_ns; /* CLOCK_MONOTONIC: when debt_ns was last computed; 0: never */
};

enum { BUDGET_ONE = 256 }; /* the weight of a sample for which nothing was left out */

/* A budget of `share` (0 to 1) of one CPU for `rate` ticks a second. */
void budget_init(struct budget *b, double share, unsigned rate);

/* Accounts `ticks` ticks, at least one: `cpu_ns` is the CPU time that they took, with all that was
 * done since the last call; `now` is CLOCK_MONOTONIC in ns. Afterwards stride and part are those of
 * the next ticks. */
void budget_spend(struct budget *b, uint64_t now, uint64_t cpu_ns, double ticks);

#endif
