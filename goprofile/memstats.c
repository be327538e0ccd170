/* Source: runtime/pprof/pprof.go (writeHeapInternal, addMaxRSS) of Go 1.18 to 1.27. */
#include "goprofile/memstats.h"

#include <stdio.h>
#include <stdlib.h>

#include "goprofile/inside.h"
#include "goruntime/gocounters.h"
#include "goruntime/golive.h"
#include "goruntime/gomemstats.h"
#include "target/process.h"

struct printing {
	struct buffer *out;
	struct gometric_value counters[GOMETRIC_COUNT];
	struct gomemstats stats;
	int rc;
};

static void put(struct printing *p, const char *name, uint64_t number)
{
	if (!p->rc)
		p->rc = buffer_addf(p->out, "# %s = %" PRIu64 "\n", name, number);
}

static void put_pair(struct printing *p, const char *name, uint64_t inuse, uint64_t sys)
{
	if (!p->rc)
		p->rc = buffer_addf(p->out, "# %s = %" PRIu64 " / %" PRIu64 "\n", name, inuse, sys);
}

static void put_counter(struct printing *p, const char *name, enum gometric which)
{
	if (!p->counters[which].why_not)
		put(p, name, p->counters[which].number);
}

static void put_objects(struct printing *p)
{
	const struct gometric_value *made = &p->counters[GOMETRIC_ALLOC_OBJECTS];
	const struct gometric_value *freed = &p->counters[GOMETRIC_FREE_OBJECTS];

	if (!made->why_not && !freed->why_not)
		put(p, "HeapObjects", made->number - freed->number);
}

static void put_ring(struct printing *p, const char *name, const uint64_t ring[GO_PAUSES])
{
	if (!p->rc)
		p->rc = buffer_addf(p->out, "# %s = [", name);
	for (int i = 0; i < GO_PAUSES && !p->rc; i++)
		p->rc = buffer_addf(p->out, "%s%" PRIu64, i ? " " : "", ring[i]);
	if (!p->rc)
		p->rc = buffer_add(p->out, "]\n", 2);
}

/* The fewest digits that are this number (%v of a float64; strconv, "shortest"). */
static void put_fraction(struct printing *p, const char *name, double value)
{
	char text[40];

	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) >= value && strtod(text, NULL) <= value)
			break;
	}
	if (!p->rc)
		p->rc = buffer_addf(p->out, "# %s = %s\n", name, text);
}

/* Go says here how much memory the process ever had (addMaxRSS); VmHWM is that. */
static void put_peak(struct printing *p, const struct process *process)
{
	struct buffer status = { 0 };
	unsigned long kb;
	const char *at;

	if (!process_read(process, "status", &status, NULL) && !buffer_add(&status, "", 1)) {
		at = strstr((const char *)status.data, "VmHWM:");
		if (at && sscanf(at, "VmHWM: %lu", &kb) == 1)
			put(p, "MaxRSS", kb * 1024);
	}
	buffer_release(&status);
}

static void put_heap(struct printing *p)
{
	const struct gomemstats *s = &p->stats;

	put_counter(p, "HeapAlloc", GOMETRIC_HEAP);
	if (s->has_memory) {
		put(p, "HeapSys", s->heap_sys);
		put(p, "HeapIdle", s->heap_idle);
		put(p, "HeapInuse", s->heap_inuse);
		put(p, "HeapReleased", s->heap_released);
	}
	put_objects(p);
}

static void put_others(struct printing *p)
{
	const struct gomemstats *s = &p->stats;

	if (!s->has_memory)
		return;
	put_pair(p, "Stack", s->stack_inuse, s->stack_sys);
	if (s->has_inuse) {
		put_pair(p, "MSpan", s->mspan_inuse, s->mspan_sys);
		put_pair(p, "MCache", s->mcache_inuse, s->mcache_sys);
	}
	put(p, "BuckHashSys", s->buckhash_sys);
	put(p, "GCSys", s->gc_sys);
	put(p, "OtherSys", s->other_sys);
}

static void put_collections(struct printing *p)
{
	const struct gomemstats *s = &p->stats;

	put_counter(p, "NextGC", GOMETRIC_HEAP_GOAL);
	if (s->has_pauses) {
		put(p, "LastGC", s->last_gc);
		put_ring(p, "PauseNs", s->pause_ns);
		put_ring(p, "PauseEnd", s->pause_end);
	}
	put_counter(p, "NumGC", GOMETRIC_GC_CYCLES);
	put_counter(p, "NumForcedGC", GOMETRIC_GC_FORCED);
	if (s->has_pauses)
		put_fraction(p, "GCCPUFraction", s->gc_cpu_fraction);
}

int memstats_add(struct goprofile *g, struct buffer *out)
{
	struct printing p = { .out = out, .rc = buffer_addf(out, "\n# runtime.MemStats\n") };
	struct gocounters counters = { 0 };

	gocounters_read(&counters, &g->live->vars, g->live->memory, p.counters);
	gocounters_release(&counters);
	gomemstats_read(g->live, &p.stats);
	put_counter(&p, "Alloc", GOMETRIC_HEAP);
	put_counter(&p, "TotalAlloc", GOMETRIC_ALLOC_BYTES);
	if (p.stats.has_memory)
		put(&p, "Sys", p.stats.sys);
	put(&p, "Lookups", 0); /* no release counts them */
	put_counter(&p, "Mallocs", GOMETRIC_ALLOC_OBJECTS);
	put_counter(&p, "Frees", GOMETRIC_FREE_OBJECTS);
	put_heap(&p);
	put_others(&p);
	put_collections(&p);
	if (!p.rc)
		p.rc = buffer_addf(out, "# DebugGC = false\n"); /* unused, says its documentation */
	put_peak(&p, g->process);
	return p.rc;
}
