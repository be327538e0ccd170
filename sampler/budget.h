/*
 * How much CPU time the sampling may take, and how it is kept.
 *
 * A round that looks at few threads takes less than it may, and nothing is done. Where
 * ticks cost more, fewer are made: the rate sinks. Where even ten a second cost more,
 * each looks at a random part of the threads. Every sample then stands for as many ticks
 * and threads as were left out for it (budget_weight), so that shares stay true.
 */
#ifndef SAMPLER_BUDGET_H
#define SAMPLER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	double share;	    /* of one CPU */
	uint64_t period_ns; /* of the rate that was asked for */
	double tick_ns;	    /* what a tick costs, lately, */
	double last_ns;	    /* and what the last one has cost */
	double debt_ns;	    /* what was taken beyond the share; below 0: what is left of it */
	double part;	    /* of the threads that a tick looks at, above 0 to 1 */
	unsigned stride;    /* periods from tick to tick */
	uint64_t settled_ns; /* CLOCK_MONOTONIC: until when the debt is reckoned; 0: never */
};

enum { BUDGET_ONE = 256 }; /* the weight of a sample for which nothing was left out */

/* A budget of `share` (0 to 1) of one CPU for that many ticks a second. */
void budget_init(struct budget *b, double share, unsigned rate);

/* A tick has taken so much CPU time, all that was done since the last one included; `now`
 * is CLOCK_MONOTONIC. `whole`: its threads can only be judged together, so all have to be
 * looked at. Afterwards stride and part are those of the next tick. */
void budget_spend(struct budget *b, uint64_t now, uint64_t cpu_ns, bool whole);

/* What a sample of the next tick stands for, in 1/BUDGET_ONE. */
uint32_t budget_weight(const struct budget *b);

#endif
