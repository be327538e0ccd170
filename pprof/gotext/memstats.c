/* Writes the last part of Go's heap text (runtime/pprof, writeHeapInternal): comments for
 * people. */
#include "pprof/gotext/gotext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"

struct gotext_memstats_writing {
	struct buffer *out;
	unsigned unknown;
};

static int gotext_memstats_put(const struct gotext_memstats_writing *w, unsigned parts,
			       const char *name, uint64_t value)
{
	return w->unknown & parts ? 0 : buffer_addf(w->out, "# %s = %" PRIu64 "\n", name, value);
}

static int put_of(const struct gotext_memstats_writing *w, unsigned parts, const char *name,
		  uint64_t used, uint64_t all)
{
	if (w->unknown & parts)
		return 0;
	return buffer_addf(w->out, "# %s = %" PRIu64 " / %" PRIu64 "\n", name, used, all);
}

/* An array of the last 256 pauses. */
static int put_pauses(const struct gotext_memstats_writing *w, const char *name,
		      const uint64_t values[256])
{
	int rc;

	if (w->unknown & LEGACY_PAUSES)
		return 0;
	rc = buffer_addf(w->out, "# %s = [", name);
	for (int i = 0; !rc && i < 256; i++)
		rc = buffer_addf(w->out, i ? " %" PRIu64 : "%" PRIu64, values[i]);
	return rc ? rc : buffer_add(w->out, "]\n", 2);
}

/* Writes the shortest decimal number equal to `value`, like Go's %v, for values below 10. */
static int put_share(const struct gotext_memstats_writing *w, unsigned parts, const char *name,
		     double value)
{
	char text[32];

	if (w->unknown & parts)
		return 0;
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return buffer_addf(w->out, "# %s = %s\n", name, text);
}

static int gotext_memstats_put_memory(const struct legacy_memstats *s,
				      const struct gotext_memstats_writing *w)
{
	return gotext_memstats_put(w, LEGACY_ALLOC, "Alloc", s->alloc) ||
	       gotext_memstats_put(w, LEGACY_TOTAL_ALLOC, "TotalAlloc", s->total_alloc) ||
	       gotext_memstats_put(w, LEGACY_SYSTEM, "Sys", s->sys) ||
	       gotext_memstats_put(w, 0, "Lookups", 0) ||
	       gotext_memstats_put(w, LEGACY_MALLOCS, "Mallocs", s->mallocs) ||
	       gotext_memstats_put(w, LEGACY_FREES, "Frees", s->frees) ||
	       gotext_memstats_put(w, LEGACY_ALLOC, "HeapAlloc", s->heap_alloc) ||
	       gotext_memstats_put(w, LEGACY_SYSTEM, "HeapSys", s->heap_sys) ||
	       gotext_memstats_put(w, LEGACY_SYSTEM, "HeapIdle", s->heap_idle) ||
	       gotext_memstats_put(w, LEGACY_SYSTEM, "HeapInuse", s->heap_inuse) ||
	       gotext_memstats_put(w, LEGACY_SYSTEM, "HeapReleased", s->heap_released) ||
	       gotext_memstats_put(w, LEGACY_MALLOCS | LEGACY_FREES, "HeapObjects",
				   s->heap_objects) ||
	       put_of(w, LEGACY_SYSTEM, "Stack", s->stack_inuse, s->stack_sys) ||
	       put_of(w, LEGACY_SYSTEM | LEGACY_INUSE, "MSpan", s->mspan_inuse, s->mspan_sys) ||
	       put_of(w, LEGACY_SYSTEM | LEGACY_INUSE, "MCache", s->mcache_inuse, s->mcache_sys) ||
	       gotext_memstats_put(w, LEGACY_SYSTEM, "BuckHashSys", s->buck_hash_sys) ||
	       gotext_memstats_put(w, LEGACY_SYSTEM, "GCSys", s->gc_sys) ||
	       gotext_memstats_put(w, LEGACY_SYSTEM, "OtherSys", s->other_sys);
}

static int put_collections(const struct legacy_memstats *s, const struct gotext_memstats_writing *w)
{
	return gotext_memstats_put(w, LEGACY_NEXT_GC, "NextGC", s->next_gc) ||
	       gotext_memstats_put(w, LEGACY_PAUSES, "LastGC", s->last_gc) ||
	       put_pauses(w, "PauseNs", s->pause_ns) || put_pauses(w, "PauseEnd", s->pause_end) ||
	       gotext_memstats_put(w, LEGACY_NUM_GC, "NumGC", s->num_gc) ||
	       gotext_memstats_put(w, LEGACY_NUM_FORCED_GC, "NumForcedGC", s->num_forced_gc) ||
	       put_share(w, LEGACY_PAUSES, "GCCPUFraction", s->gc_cpu_fraction);
}

int legacy_memstats_write(const struct legacy_memstats *s, struct buffer *out)
{
	const struct gotext_memstats_writing w = { out, s->unknown };

	if (buffer_addf(out, "\n# runtime.MemStats\n") || gotext_memstats_put_memory(s, &w) ||
	    put_collections(s, &w) || buffer_addf(out, "# DebugGC = false\n") ||
	    gotext_memstats_put(&w, LEGACY_MAX_RSS, "MaxRSS", s->max_rss))
		return ERR_NOMEM;
	return 0;
}
