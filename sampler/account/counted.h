/*
 * What perf events can count instead of time on a CPU (perf_event_open(2)): software events that
 * every kernel has, and counters of the processor, which virtual machines often lack.
 */
#ifndef SAMPLER_ACCOUNT_COUNTED_H
#define SAMPLER_ACCOUNT_COUNTED_H

#include <stdint.h>

struct counted {
	const char *name; /* as in perf-list(1); the sample type, whose unit is "count" */
	uint32_t type;	  /* perf_event_attr.type */
	uint64_t config;
};

/* Of that name; NULL: there is none. */
const struct counted *counted_find(const char *name);

/* All of them, in the order in which users are shown them; ends with NULL names. */
const struct counted *counted_all(void);

#endif
