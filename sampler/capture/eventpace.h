/*
 * How far the samples of events are apart: the period in time, or how many of what is counted
 * (`record -e`) make a sample, so that samples of one CPU are that far apart on the average.
 */
#ifndef SAMPLER_CAPTURE_EVENTPACE_H
#define SAMPLER_CAPTURE_EVENTPACE_H

#include <stdbool.h>
#include <stdint.h>

struct eventpace {
	uint64_t period_ns, every;		 /* every: so many that are counted make a sample */
	uint64_t period_before_ns, every_before; /* until since_ns, */
	uint64_t since_ns;			 /* CLOCK_MONOTONIC; 0: the pace is the first one */
	uint64_t all;				 /* what was counted until then */
};

/* What the next sample of a CPU is, where what is counted makes samples. */
enum eventpace_state { EVENTPACE_KEPT, EVENTPACE_FIRST, EVENTPACE_NEW };

void eventpace_init(struct eventpace *p, uint64_t period_ns);

/* Sets the period, from now on. */
void eventpace_set(struct eventpace *p, uint64_t period_ns);

/* The same, and sets p->every by what came since the pace was set: `all` were counted on `cpus`
 * CPUs until now. Returns whether p->every has changed; then the caller sets each CPU's state to
 * EVENTPACE_NEW if software counts, else to EVENTPACE_FIRST. */
bool eventpace_set_counted(struct eventpace *p, uint64_t period_ns, uint64_t all, unsigned cpus);

/* The period in which a sample of the time `ns` came. */
uint64_t eventpace_period_at(const struct eventpace *p, uint64_t ns);

/* For how many of what is counted a sample of the time `ns` stands; 0: it is none. `state` is that
 * of its CPU. */
uint64_t eventpace_count_of(const struct eventpace *p, enum eventpace_state *state, uint64_t ns);

#endif
