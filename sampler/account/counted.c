/* One table has the events that can be named, with type and config for perf_event_open(2). */
#include "sampler/account/counted.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

/* Rejected: all that perf-list(1) prints, through sysfs: most of it is of one model of a processor,
 * and counts what no stack tells. */
static const struct counted counted_events[] = {
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ NULL, 0, 0 },
};

const struct counted *counted_all(void)
{
	return counted_events;
}

const struct counted *counted_find(const char *name)
{
	for (const struct counted *c = counted_events; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}
