/* The last part of Go's heap text (runtime/pprof, writeHeapInternal): comments for people. */
#include "pprof/legacy_memstats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "pprof/legacy_write.h"

static int put(struct buffer *out, const char *name, uint64_t value)
{
	return buffer_addf(out, "# %s = %" PRIu64 "\n", name, value);
}

static int put_of(struct buffer *out, const char *name, uint64_t used, uint64_t all)
{
	return buffer_addf(out, "# %s = %" PRIu64 " / %" PRIu64 "\n", name, used, all);
}

static int put_array(struct buffer *out, const char *name, const uint64_t values[256])
{
	int rc = buffer_addf(out, "# %s = [", name);

	for (int i = 0; !rc && i < 256; i++)
		rc = buffer_addf(out, i ? " %" PRIu64 : "%" PRIu64, values[i]);
	return rc ? rc : buffer_add(out, "]\n", 2);
}

/* The shortest digits that are this number, as Go's %v: for shares, below 1 million. */
static int put_share(struct buffer *out, const char *name, double value)
{
	char text[32];

	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return buffer_addf(out, "# %s = %s\n", name, text);
}

static int put_memory(const struct legacy_memstats *s, struct buffer *out)
{
	return put(out, "Alloc", s->alloc) || put(out, "TotalAlloc", s->total_alloc) ||
	       put(out, "Sys", s->sys) || put(out, "Lookups", s->lookups) ||
	       put(out, "Mallocs", s->mallocs) || put(out, "Frees", s->frees) ||
	       put(out, "HeapAlloc", s->heap_alloc) || put(out, "HeapSys", s->heap_sys) ||
	       put(out, "HeapIdle", s->heap_idle) || put(out, "HeapInuse", s->heap_inuse) ||
	       put(out, "HeapReleased", s->heap_released) ||
	       put(out, "HeapObjects", s->heap_objects) ||
	       put_of(out, "Stack", s->stack_inuse, s->stack_sys) ||
	       put_of(out, "MSpan", s->mspan_inuse, s->mspan_sys) ||
	       put_of(out, "MCache", s->mcache_inuse, s->mcache_sys) ||
	       put(out, "BuckHashSys", s->buck_hash_sys) || put(out, "GCSys", s->gc_sys) ||
	       put(out, "OtherSys", s->other_sys);
}

int legacy_memstats_write(const struct legacy_memstats *s, struct buffer *out)
{
	if (buffer_addf(out, "\n# runtime.MemStats\n") || put_memory(s, out) ||
	    put(out, "NextGC", s->next_gc) || put(out, "LastGC", s->last_gc) ||
	    put_array(out, "PauseNs", s->pause_ns) || put_array(out, "PauseEnd", s->pause_end) ||
	    put(out, "NumGC", s->num_gc) || put(out, "NumForcedGC", s->num_forced_gc) ||
	    put_share(out, "GCCPUFraction", s->gc_cpu_fraction) ||
	    buffer_addf(out, "# DebugGC = %s\n", s->debug_gc ? "true" : "false") ||
	    put(out, "MaxRSS", s->max_rss))
		return ERR_NOMEM;
	return 0;
}
