/* Names are compared with the table, and a list becomes a set of bits. A message for an unknown
 * name lists all that there are. */
#include "rounds/source/capture.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/profile/type.h"

#define RUNTIME(type) &goprofile_ids[GOPROFILE_##type]

const struct capture_info captures[CAPTURE_TYPES] = {
	[CAPTURE_CPU] = { "cpu", "cpu.pprof", NULL, CAPTURE_BY_SAMPLING, NULL, "CPU time" },
	[CAPTURE_WALL] = { "wall", "wall.pprof", NULL, CAPTURE_BY_SAMPLING, NULL,
			   "wall time, waiting threads too" },
	[CAPTURE_HEAP] = { "heap", "heap.pprof", "delta-heap.pprof", CAPTURE_BY_GO, RUNTIME(HEAP),
			   "Go's heap" },
	[CAPTURE_ALLOCS] = { "allocs", "allocs.pprof", "delta-allocs.pprof", CAPTURE_BY_GO,
			     RUNTIME(HEAP), "the same, allocations first" },
	[CAPTURE_INUSE] = { "inuse", "inuse.pprof", NULL, CAPTURE_BY_GO, RUNTIME(HEAP),
			    "Go's heap, what is in use alone" },
	[CAPTURE_ALLOC] = { "alloc", "alloc.pprof", NULL, CAPTURE_BY_GO, RUNTIME(HEAP),
			    "what was allocated in the round alone" },
	[CAPTURE_BLOCK] = { "block", "block.pprof", "delta-block.pprof", CAPTURE_BY_GO,
			    RUNTIME(BLOCK), "Go's blocking" },
	[CAPTURE_MUTEX] = { "mutex", "mutex.pprof", "delta-mutex.pprof", CAPTURE_BY_GO,
			    RUNTIME(MUTEX), "Go's contention of mutexes" },
	[CAPTURE_GOROUTINE] = { "goroutine", "goroutines.pprof", NULL, CAPTURE_BY_GO,
				RUNTIME(GOROUTINE), "Go's goroutines" },
	[CAPTURE_GOROUTINEWAIT] = { "goroutinewait", "goroutineswait.pprof", NULL, CAPTURE_BY_GO,
				    NULL, "how long each of them waits" },
	[CAPTURE_THREADCREATE] = { "threadcreate", "threadcreate.pprof", NULL, CAPTURE_BY_GO,
				   RUNTIME(THREADCREATE), "what made threads" },
	[CAPTURE_CUSTOM] = { "custom", "custom-NAME.pprof", NULL, CAPTURE_BY_GO, NULL,
			     "each profile that the program registered" },
	[CAPTURE_METRICS] = { "metrics", "metrics.json", NULL, CAPTURE_BY_PROC, NULL,
			      "counters, as rates" },
	[CAPTURE_TRACE] = { "trace", "go.trace", NULL, CAPTURE_BY_GO, NULL,
			    "Go's execution trace; by --url only" },
};

static int source_capture_add(const char *name, size_t len, unsigned *set, struct error *err)
{
	char all[256] = "";

	for (int i = 0; i < CAPTURE_TYPES; i++) {
		if (strlen(captures[i].name) == len && !strncmp(captures[i].name, name, len)) {
			*set |= CAPTURE_BIT(i);
			return 0;
		}
	}
	for (int i = 0; i < CAPTURE_TYPES; i++) {
		size_t end = strlen(all);

		snprintf(all + end, sizeof(all) - end, "%s%s", i ? ", " : "", captures[i].name);
	}
	return error_set(err, ERR_USAGE, "no type '%.*s': there are %s", (int)(len < 40 ? len : 40),
			 name, all);
}

int capture_parse(const char *list, unsigned *set, struct error *err)
{
	int rc = 0;

	*set = 0;
	while (!rc) {
		size_t len = strcspn(list, ",");

		rc = source_capture_add(list, len, set, err);
		if (!list[len])
			break;
		list += len + 1;
	}
	return rc;
}

unsigned capture_set(enum capture_collector by)
{
	unsigned set = 0;

	for (int i = 0; i < CAPTURE_TYPES; i++)
		if (captures[i].by == by)
			set |= CAPTURE_BIT(i);
	return set;
}
