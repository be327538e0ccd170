/* The struct holds what stays between readings: the process's memory, the places of its variables,
 * and the counters' own caches. */
#include "runtimes/go/numbers/metrics.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/process/process.h"
#include "runtimes/go/find/vars.h"
#include "runtimes/go/numbers/counters.h"

struct gometrics {
	struct memory_live memory;
	struct govars vars;
	struct gocounters counters;
};

int gometrics_new(struct gometrics **out, const struct process *process, struct error *err)
{
	struct gometrics *g = calloc(1, sizeof(*g));
	int rc;

	if (!g)
		return error_nomem(err);
	memory_live_init(&g->memory, process->pid);
	rc = govars_find(&g->vars, process, &g->memory.memory, err);
	if (rc) {
		free(g);
		return rc;
	}
	*out = g;
	return 0;
}

void gometrics_free(struct gometrics *g)
{
	if (!g)
		return;
	gocounters_release(&g->counters);
	free(g);
}

const char *gometrics_version(const struct gometrics *g)
{
	return g->vars.version;
}

void gometrics_read(struct gometrics *g, struct gometric_value values[GOMETRIC_COUNT])
{
	gocounters_read(&g->counters, &g->vars, &g->memory.memory, values);
}
