/* Fills struct legacy_memstats from the process's memory; pprof/gotext/memstats.c writes it. */
#include "runtimes/go/profile/kinds.h"

#include <stdio.h>
#include <string.h>

#include "base/process/process.h"
#include "pprof/gotext/gotext.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/counters.h"
#include "runtimes/go/numbers/memstats.h"
#include "runtimes/go/session/inside.h"

/* Returns a counter; if it is not known, marks `part` as unknown. */
static uint64_t profile_memstats_take(struct legacy_memstats *s, const struct gometric_value *value,
				      enum legacy_memstats_part part)
{
	if (value->why_not)
		s->unknown |= part;
	return value->number;
}

static void take_counters(struct legacy_memstats *s, struct goprofile *g)
{
	struct gometric_value v[GOMETRIC_COUNT];
	struct gocounters counters = { 0 };

	gocounters_read(&counters, &g->live->vars, g->live->memory, v);
	gocounters_release(&counters);
	s->alloc = s->heap_alloc = profile_memstats_take(s, &v[GOMETRIC_HEAP], LEGACY_ALLOC);
	s->total_alloc = profile_memstats_take(s, &v[GOMETRIC_ALLOC_BYTES], LEGACY_TOTAL_ALLOC);
	s->mallocs = profile_memstats_take(s, &v[GOMETRIC_ALLOC_OBJECTS], LEGACY_MALLOCS);
	s->frees = profile_memstats_take(s, &v[GOMETRIC_FREE_OBJECTS], LEGACY_FREES);
	s->heap_objects = s->mallocs - s->frees;
	s->next_gc = profile_memstats_take(s, &v[GOMETRIC_HEAP_GOAL], LEGACY_NEXT_GC);
	s->num_gc = (uint32_t)profile_memstats_take(s, &v[GOMETRIC_GC_CYCLES], LEGACY_NUM_GC);
	s->num_forced_gc = (uint32_t)profile_memstats_take(s, &v[GOMETRIC_GC_FORCED],
							   LEGACY_NUM_FORCED_GC);
}

static void take_memstats(struct legacy_memstats *s, const struct gomemstats *m)
{
	s->unknown |= (m->has_memory ? 0 : LEGACY_SYSTEM) | (m->has_inuse ? 0 : LEGACY_INUSE);
	s->sys = m->sys;
	s->heap_sys = m->heap_sys;
	s->heap_idle = m->heap_idle;
	s->heap_inuse = m->heap_inuse;
	s->heap_released = m->heap_released;
	s->stack_inuse = m->stack_inuse;
	s->stack_sys = m->stack_sys;
	s->mspan_inuse = m->mspan_inuse;
	s->mspan_sys = m->mspan_sys;
	s->mcache_inuse = m->mcache_inuse;
	s->mcache_sys = m->mcache_sys;
	s->buck_hash_sys = m->buckhash_sys;
	s->gc_sys = m->gc_sys;
	s->other_sys = m->other_sys;
	s->unknown |= m->has_pauses ? 0 : LEGACY_PAUSES;
	s->last_gc = m->last_gc;
	memcpy(s->pause_ns, m->pause_ns, sizeof(s->pause_ns));
	memcpy(s->pause_end, m->pause_end, sizeof(s->pause_end));
	s->gc_cpu_fraction = m->gc_cpu_fraction;
}

/* Go prints the peak of the process's memory here (addMaxRSS), which is VmHWM. */
static void take_peak(struct legacy_memstats *s, const struct process *process)
{
	struct buffer status = { 0 };
	const char *at = NULL;
	unsigned long kb;

	if (!process_read(process, "status", &status, NULL) && !buffer_add(&status, "", 1))
		at = strstr((const char *)status.data, "VmHWM:");
	if (at && sscanf(at, "VmHWM: %lu", &kb) == 1)
		s->max_rss = kb * 1024;
	else
		s->unknown |= LEGACY_MAX_RSS;
	buffer_release(&status);
}

int memstats_add(struct goprofile *g, struct buffer *out)
{
	struct legacy_memstats s = { 0 };
	struct gomemstats m;

	take_counters(&s, g);
	gomemstats_read(g->live, &m);
	take_memstats(&s, &m);
	take_peak(&s, g->process);
	return legacy_memstats_write(&s, out);
}
