/*
 * This relies on the order in which a cycle changes the counts (runtime/mgc.go, the same from 1.18
 * to 1.27): gcStart stops the world, finishes the sweep of the previous cycle and increments
 * work.cycles. gcMarkTermination stops the world again, calls gcSweep, which resets sweep.active,
 * and only then increments memstats.numgc. So if numgc is read first and sweep.active after it, and
 * sweep.active is drained, the cycle that numgc counted last is swept, even if another one has
 * begun since.
 */
#include "runtimes/go/numbers/gc.h"

#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "runtimes/go/live.h"

static const uint64_t LOOK_NS = 10000000;

static const uint32_t DRAINED = 1u << 31; /* runtime/mgcsweep.go, sweepDrainedMask; no sweepers */

enum {
	AHEAD = 1,   /* maximum number of cycles that have begun and not ended */
	TRIES = 100, /* readings, until no cycle ends during one */
};

static bool gc_get(const struct golive *live, uint64_t addr, uint32_t *value)
{
	return !live->memory->read(live->memory, addr, value, sizeof(*value));
}

static bool finished(const struct golive *live, uint32_t *count)
{
	return govars_gc_count(&live->vars, live->memory, count);
}

static int not_read(const struct golive *live, struct error *err)
{
	if (!process_alive(live->process))
		return error_set(err, ERR_GONE, "process %d has ended", live->process->pid);
	return error_set(err, ERR_FORMAT, "the counts of GC cycles cannot be read");
}

/* numgc is read before and after the others; if it is the same, all are consistent. */
int gogc_read(const struct golive *live, struct gogc *gc, struct error *err)
{
	const struct goplaces *p = &live->places;
	uint32_t sweep = 0, again = 0;
	int tries = 0;

	if (!live->vars.memstats || !p->gc_cycles || !p->sweep_active)
		return error_set(err, ERR_NOTFOUND,
				 "where this program counts its GC cycles was not "
				 "found");
	do {
		if (!finished(live, &gc->finished) || !gc_get(live, p->sweep_active, &sweep) ||
		    !gc_get(live, p->gc_cycles, &gc->begun) || !finished(live, &again))
			return not_read(live, err);
	} while (gc->finished != again && ++tries < TRIES);
	gc->swept = sweep == DRAINED;
	if (gc->finished != again || gc->begun - gc->finished > AHEAD)
		return error_set(err, ERR_FORMAT,
				 "the counts of GC cycles make no sense: %u begun, "
				 "%u finished",
				 gc->begun, gc->finished);
	return 0;
}

bool gogc_over(const struct gogc *since, const struct gogc *now)
{
	/* A difference, because counts may have wrapped around. */
	return now->swept && (int32_t)(now->finished - since->begun) > 0;
}

int gogc_wait(const struct golive *live, uint64_t timeout_ns, bool *ended, struct error *err)
{
	const struct timespec pause = { 0, (long)LOOK_NS };
	uint64_t began = monotonic_ns();
	struct gogc since, now;
	int rc = gogc_read(live, &since, err);

	*ended = false;
	while (!rc && !*ended && monotonic_ns() - began < timeout_ns) {
		nanosleep(&pause, NULL);
		rc = gogc_read(live, &now, err);
		*ended = !rc && gogc_over(&since, &now);
	}
	return rc;
}
