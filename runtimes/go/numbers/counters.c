/*
 * Bytes and objects are counted in two places. What a P has allocated from the spans that it holds
 * is added to the sums only when it gives a span back; ReadMemStats stops the world to make all Ps
 * do so. Here it is computed: for each span that a P holds, the number of objects that it has now
 * minus the number that it had when the P took it.
 *
 * If the sums are equal before and after that, no span was given back meanwhile, and the result is
 * exact. If they still differ after some tries, the error is at most what the Ps held. A result
 * below the previous one is replaced by the previous one, because the difference is due to that
 * error. While a reader of runtime/metrics moves sums from one place to another
 * (consistentHeapStats.read), they would be counted twice. They are recognized by their sudden
 * growth, and by the pacer's sums, which are not moved.
 */
#include "runtimes/go/numbers/counters.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/memory.h"
#include "base/room.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/find/vars.h"

enum {
	PS_MAX = 4096,
	SPANS = 2 * GO_SIZE_CLASSES, /* of each class one with pointers and one without */
	TRIES = 8,
	DELTAS = 3, /* consistentHeapStats.stats */
	DELTA_BYTES_MAX = 1176,
	SPAN_BYTES = 120, /* bytes of a span that are needed */
	PACER_BYTES = 384,
	GOAL_HEADROOM_MIN = 1 << 20,
	GOAL_HEADROOM_PERCENT = 3, /* memoryLimit…HeapGoalHeadroom… */
	RUNWAY_MIN = 64 << 10,
	IN_FLIGHT = 1 << 20, /* bytes that a P may have added to only one of two sums */
};

static const char NOT_FOUND[] = "its place is not found in the program's code";
static const char NOT_READ[] = "the program's memory cannot be read";
static const char NONSENSE[] = "its value is impossible";
static const char DISAGREE[] = "the runtime's sums disagree";

struct counters_sums {
	uint64_t tiny, large_bytes, large, large_freed_bytes, large_freed;
	uint64_t small[GO_SIZE_CLASSES], small_freed[GO_SIZE_CLASSES];
	uint64_t bytes, freed_bytes; /* the pacer's own sums; not in 1.18 */
};

/* Allocated by Ps and not yet in the sums; in 1.18 the sums have too much instead. */
struct counters_held {
	int64_t objects, bytes;
	uint64_t tiny;
};

/* One reading. */
struct counters_reading {
	const struct govars *v;
	const struct memory *memory;
	const uint64_t *ps;
	size_t count;
	struct gometric_value *values;
};

void gocounters_release(struct gocounters *c)
{
	free(c->ps);
	memset(c, 0, sizeof(*c));
}

static void counters_set(const struct counters_reading *r, enum gometric m, uint64_t number)
{
	r->values[m] = (struct gometric_value){ number, NULL };
}

/* Marks the values from `first` to `last` as not known, unless `why` is NULL. */
static void counters_refuse(const struct counters_reading *r, enum gometric first,
			    enum gometric last, const char *why)
{
	for (int i = (int)first; why && i <= (int)last; i++)
		r->values[i] = (struct gometric_value){ 0, why };
}

static bool counters_get(const struct counters_reading *r, uint64_t addr, void *buf, size_t len)
{
	return !r->memory->read(r->memory, addr, buf, len);
}

/* runtime.allp: pointer, length, capacity. */
static const char *read_ps(struct gocounters *c, struct counters_reading *r)
{
	uint64_t slice[3];

	if (!r->v->allp)
		return NOT_FOUND;
	if (!counters_get(r, r->v->allp, slice, sizeof(slice)))
		return NOT_READ;
	if (!slice[1] || slice[1] > PS_MAX || slice[2] < slice[1])
		return NONSENSE;
	if (room_for((void **)&c->ps, &c->room, slice[1], sizeof(*c->ps)))
		return "out of memory";
	if (!counters_get(r, slice[0], c->ps, slice[1] * sizeof(*c->ps)))
		return NOT_READ;
	r->ps = c->ps;
	r->count = slice[1];
	counters_set(r, GOMETRIC_PROCS, slice[1]);
	return NULL;
}

/* The number of free gs that the scheduler keeps; -1 when it cannot be read. */
static int64_t free_gs(const struct counters_reading *r)
{
	const struct golayout *l = r->v->layout;
	uint64_t at = r->v->sched + l->free_gs;
	int32_t first, second = 0;
	bool lists = l->minor >= 25; /* each list has its own count */

	if (!counters_get(r, at + (lists ? 16 : 24), &first, sizeof(first)) ||
	    (lists && !counters_get(r, at + 32, &second, sizeof(second))) || first < 0 ||
	    second < 0)
		return -1;
	return (int64_t)first + second;
}

static int64_t free_gs_of_ps(const struct counters_reading *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->count; i++) {
		int32_t count;

		if (!counters_get(r, r->ps[i] + r->v->p_free, &count, sizeof(count)) || count < 0)
			return -1;
		sum += count;
	}
	return sum;
}

/* runtime.gcount: all gs minus the free ones and those of the runtime itself. */
static const char *read_goroutines(const struct counters_reading *r)
{
	const struct govars *v = r->v;
	uint64_t all[3];
	int32_t system;
	int64_t free, of_ps, count;

	if (!v->allgs || !v->sched || v->p_free == GO_NO_FIELD)
		return NOT_FOUND;
	of_ps = free_gs_of_ps(r);
	free = free_gs(r);
	if (of_ps < 0 || free < 0 || !counters_get(r, v->allgs, all, sizeof(all)) ||
	    !counters_get(r, v->sched + v->layout->ngsys, &system, sizeof(system)))
		return NOT_READ;
	if (all[1] > INT32_MAX || all[2] < all[1] || system < 0 || (uint64_t)system > all[1])
		return NONSENSE;
	count = (int64_t)all[1] - free - of_ps - system;
	counters_set(r, GOMETRIC_GOROUTINES, count < 1 ? 1 : (uint64_t)count);
	return NULL;
}

/* runtime.mcount: threads that were created minus those that have ended. */
static const char *counters_read_threads(const struct counters_reading *r)
{
	const struct golayout *l = r->v->layout;
	uint64_t made, freed;

	if (!r->v->sched)
		return NOT_FOUND;
	if (!counters_get(r, r->v->sched + l->ms_freed, &freed, sizeof(freed)) ||
	    !counters_get(r, r->v->sched + l->ms_made, &made, sizeof(made)))
		return NOT_READ;
	if (made > INT32_MAX || freed >= made)
		return NONSENSE;
	counters_set(r, GOMETRIC_THREADS, made - freed);
	return NULL;
}

static const char *read_cycles(const struct counters_reading *r)
{
	uint64_t at = r->v->memstats + r->v->layout->last_gc, pause;
	uint32_t cycles[2];

	if (!r->v->memstats)
		return NOT_FOUND;
	if (!counters_get(r, at + 8, &pause, sizeof(pause)) ||
	    !counters_get(r, r->v->memstats + golayout_numgc(r->v->layout), cycles, sizeof(cycles)))
		return NOT_READ;
	if (cycles[1] > cycles[0] || (!cycles[0] && pause))
		return NONSENSE;
	counters_set(r, GOMETRIC_GC_CYCLES, cycles[0]);
	counters_set(r, GOMETRIC_GC_FORCED, cycles[1]);
	counters_set(r, GOMETRIC_GC_PAUSE, pause);
	return NULL;
}

/* gcControllerState.memoryLimitHeapGoal of 1.26. 1.19 and 1.20 did not have the percentage. */
static uint64_t limit_goal(const struct golayout *l, const uint8_t *pacer)
{
	const struct golayout_pacer *at = &l->pacer;
	uint64_t free = memory_word(pacer, at->heap_free), marked = memory_word(pacer, at->marked);
	uint64_t alloc = memory_word(pacer, at->heap_free + 8) -
			 memory_word(pacer, at->heap_free + 16);
	uint64_t mapped = memory_word(pacer, at->heap_free + 24);
	uint64_t limit = memory_word(pacer, at->limit);
	uint64_t other = mapped - free - alloc, over = mapped > limit ? mapped - limit : 0;
	uint64_t goal, headroom = 0;

	if (other + over >= limit)
		return marked;
	goal = limit - (other + over);
	if (l->minor >= 21)
		headroom = goal / 100 * GOAL_HEADROOM_PERCENT;
	if (headroom < GOAL_HEADROOM_MIN)
		headroom = GOAL_HEADROOM_MIN;
	goal = goal < headroom || goal - headroom < headroom ? headroom : goal - headroom;
	return goal < marked ? marked : goal;
}

/* gcControllerState.heapGoalInternal of 1.19 to 1.26. */
static uint64_t heap_goal(const struct golayout *l, const uint8_t *pacer)
{
	uint64_t goal = memory_word(pacer, l->pacer.goal), limited, sweep, triggered;

	if (l->minor < 19)
		return goal;
	limited = limit_goal(l, pacer);
	if (limited < goal)
		return limited;
	sweep = memory_word(pacer, l->pacer.sweep_trigger);
	triggered = memory_word(pacer, l->pacer.triggered);
	if (sweep > goal)
		goal = sweep;
	if (triggered != UINT64_MAX && goal < triggered + RUNWAY_MIN)
		goal = triggered + RUNWAY_MIN;
	return goal;
}

/* True when the memory in use is not more than what is mapped. */
static bool counters_is_whole(const struct golayout *l, const uint8_t *pacer)
{
	const uint32_t at = l->pacer.heap_free;

	return l->minor < 19 ||
	       memory_word(pacer, at) + memory_word(pacer, at + 8) - memory_word(pacer, at + 16) <=
		       memory_word(pacer, at + 24);
}

static const char *read_pacer(const struct counters_reading *r)
{
	const struct golayout *l = r->v->layout;
	size_t len = l->minor < 19 ? l->pacer.credit + 8 : l->pacer.heap_free + 32;
	uint8_t pacer[PACER_BYTES];
	bool whole = false;

	if (!r->v->pacer)
		return NOT_FOUND;
	for (int try = 0; try < TRIES && !whole; try++) {
		if (!counters_get(r, r->v->pacer, pacer, len))
			return NOT_READ;
		whole = counters_is_whole(l, pacer);
	}
	if (!whole)
		return NONSENSE;
	counters_set(r, GOMETRIC_HEAP_LIVE, memory_word(pacer, l->pacer.marked));
	counters_set(r, GOMETRIC_HEAP_GOAL, heap_goal(l, pacer));
	return NULL;
}

static void add_delta(struct counters_sums *s, const uint8_t *delta, const struct golayout *l)
{
	uint32_t small = l->tiny + 24, freed = small + GO_SIZE_CLASSES * 8;

	s->tiny += memory_word(delta, l->tiny);
	s->large_bytes += memory_word(delta, l->tiny + 8);
	s->large += memory_word(delta, l->tiny + 16);
	s->large_freed_bytes += memory_word(delta, freed);
	s->large_freed += memory_word(delta, freed + 8);
	for (uint32_t i = 0; i < GO_SIZE_CLASSES; i++) {
		s->small[i] += memory_word(delta, small + i * 8);
		s->small_freed[i] += memory_word(delta, freed + 16 + i * 8);
	}
}

static bool read_sums(const struct counters_reading *r, struct counters_sums *s)
{
	const struct golayout *l = r->v->layout;
	uint8_t deltas[DELTAS * DELTA_BYTES_MAX];
	uint64_t own[2] = { 0, 0 };

	memset(s, 0, sizeof(*s));
	if (!counters_get(r, r->v->memstats + l->heap_stats, deltas, DELTAS * l->delta_bytes) ||
	    (l->minor > 18 &&
	     !counters_get(r, r->v->pacer + l->pacer.heap_free + 8, own, sizeof(own))))
		return false;
	for (int i = 0; i < DELTAS; i++)
		add_delta(s, deltas + (size_t)i * l->delta_bytes, l);
	s->bytes = own[0];
	s->freed_bytes = own[1];
	return true;
}

/* Adds the contents of a span that a P holds for allocations of a class. False when it is not such
 * a span. */
static bool add_span(const struct counters_reading *r, uint64_t addr, unsigned class,
		     struct counters_held *held)
{
	const struct golayout *l = r->v->layout;
	uint8_t span[SPAN_BYTES];
	uint64_t elements, bytes;
	int64_t used;

	if (!counters_get(r, addr, span, l->alloc_count + 16))
		return false;
	elements = l->minor < 22 ? memory_word(span, l->elements) : memory_u16(span, l->elements);
	bytes = memory_word(span, l->alloc_count + 8);
	used = memory_u16(span, l->alloc_count);
	if (!elements && !bytes && !used)
		return true; /* runtime.emptymspan: the P holds none */
	if (span[l->alloc_count + 2] != class || bytes != go_class_bytes[class / 2] ||
	    (uint64_t)used > elements)
		return false;
	used -= l->minor > 18 ? memory_u16(span, l->alloc_count + 6) : (int64_t)elements;
	held->objects += used;
	held->bytes += used * (int64_t)bytes;
	return l->minor < 19 || used >= 0;
}

static bool add_p(const struct counters_reading *r, uint64_t p, struct counters_held *held)
{
	const struct golayout *l = r->v->layout;
	uint64_t cache, tiny, spans[SPANS];

	if (!counters_get(r, p + r->v->p_mcache, &cache, sizeof(cache)))
		return false;
	if (!cache)
		return true;
	if (!counters_get(r, cache + l->tiny_allocs, &tiny, sizeof(tiny)) ||
	    !counters_get(r, cache + l->spans, spans, sizeof(spans)))
		return false;
	for (unsigned i = 0; i < SPANS; i++)
		/* The entry of a class that the P has never used is the same empty span. */
		if (!(i && spans[i] == spans[0]) && !add_span(r, spans[i], i, held))
			return false;
	held->tiny += tiny;
	return true;
}

/* Tries several times, because a P may take another span while we read its previous one. */
static bool read_held(const struct counters_reading *r, struct counters_held *held)
{
	memset(held, 0, sizeof(*held));
	for (size_t i = 0; i < r->count; i++) {
		bool good = false;

		for (int try = 0; try < TRIES && !good; try++) {
			struct counters_held more = *held;

			good = add_p(r, r->ps[i], &more);
			if (good)
				*held = more;
		}
		if (!good)
			return false;
	}
	return true;
}

static void total(const struct counters_sums *s, uint64_t *bytes, uint64_t *freed)
{
	*bytes = s->large_bytes;
	*freed = s->large_freed_bytes;
	for (unsigned i = 0; i < GO_SIZE_CLASSES; i++) {
		*bytes += s->small[i] * go_class_bytes[i];
		*freed += s->small_freed[i] * go_class_bytes[i];
	}
}

static bool near(const struct counters_reading *r, uint64_t a, uint64_t b)
{
	uint64_t most = (r->count + 1) * IN_FLIGHT;

	return a - b + most <= 2 * most;
}

/* True when the sums by class and the pacer's sums agree. */
static bool agree(const struct counters_reading *r, const struct counters_sums *s)
{
	uint64_t bytes, freed;

	total(s, &bytes, &freed);
	return r->v->layout->minor < 19 ||
	       (near(r, s->bytes, bytes) && near(r, s->freed_bytes, freed));
}

/* True when `before` can have become `after` in so short a time. */
static bool grown(const struct counters_sums *before, const struct counters_sums *after)
{
	uint64_t bytes, freed, more_bytes, more_freed;

	total(before, &bytes, &freed);
	total(after, &more_bytes, &more_freed);
	return more_bytes >= bytes && more_bytes - bytes <= bytes / 2 && more_freed >= freed &&
	       more_freed - freed <= freed / 2;
}

/* Returns the counter, or its last value when it seems to have decreased by less than the possible
 * error. */
static uint64_t forwards(const struct counters_reading *r, uint64_t *last, uint64_t now)
{
	if (now > *last || !near(r, *last, now))
		*last = now;
	return *last;
}

static const char *counters_tell(const struct counters_reading *r, struct gocounters *c,
				 const struct counters_sums *s, const struct counters_held *held)
{
	uint64_t bytes, freed, objects = s->large + s->tiny, gone = s->large_freed + s->tiny;

	total(s, &bytes, &freed);
	for (unsigned i = 0; i < GO_SIZE_CLASSES; i++) {
		objects += s->small[i];
		gone += s->small_freed[i];
	}
	if (r->v->layout->minor > 18) {
		bytes = s->bytes;
		freed = s->freed_bytes;
	}
	bytes = forwards(r, &c->bytes, bytes + (uint64_t)held->bytes);
	objects = forwards(r, &c->objects, objects + (uint64_t)held->objects + held->tiny);
	gone = forwards(r, &c->gone, gone + held->tiny);
	if (bytes < freed || objects < gone || bytes > INT64_MAX || objects > INT64_MAX)
		return NONSENSE;
	counters_set(r, GOMETRIC_HEAP, bytes - freed);
	counters_set(r, GOMETRIC_ALLOC_BYTES, bytes);
	counters_set(r, GOMETRIC_ALLOC_OBJECTS, objects);
	counters_set(r, GOMETRIC_FREE_BYTES, freed);
	counters_set(r, GOMETRIC_FREE_OBJECTS, gone);
	return NULL;
}

static const char *read_allocations(const struct counters_reading *r, struct gocounters *c)
{
	struct counters_sums before, after, best = { 0 };
	struct counters_held held, best_held = { 0 };
	bool exact = false;
	const char *why = NONSENSE;

	if (!r->v->memstats || !r->v->pacer || r->v->p_mcache == GO_NO_FIELD)
		return NOT_FOUND;
	if (!read_sums(r, &after))
		return NOT_READ;
	for (int i = 0; i < TRIES && !exact; i++) {
		bool good = read_held(r, &held);

		before = after;
		if (!read_sums(r, &after))
			return NOT_READ;
		if (!good || !grown(&before, &after))
			continue;
		exact = !memcmp(&before, &after, sizeof(before));
		if (!agree(r, &after)) {
			if (why)
				why = DISAGREE;
			continue;
		}
		best = after;
		best_held = held;
		why = NULL;
	}
	return why ? why : counters_tell(r, c, &best, &best_held);
}

void gocounters_read(struct gocounters *c, const struct govars *v, const struct memory *memory,
		     struct gometric_value values[GOMETRIC_COUNT])
{
	struct counters_reading r = { v, memory, NULL, 0, values };
	const char *no_ps = read_ps(c, &r), *why;

	counters_refuse(&r, GOMETRIC_PROCS, GOMETRIC_PROCS, no_ps);
	why = no_ps ? no_ps : read_goroutines(&r);
	counters_refuse(&r, GOMETRIC_GOROUTINES, GOMETRIC_GOROUTINES, why);
	counters_refuse(&r, GOMETRIC_THREADS, GOMETRIC_THREADS, counters_read_threads(&r));
	counters_refuse(&r, GOMETRIC_GC_CYCLES, GOMETRIC_GC_PAUSE, read_cycles(&r));
	counters_refuse(&r, GOMETRIC_HEAP_LIVE, GOMETRIC_HEAP_GOAL, read_pacer(&r));
	why = no_ps ? no_ps : read_allocations(&r, c);
	counters_refuse(&r, GOMETRIC_HEAP, GOMETRIC_HEAP, why);
	counters_refuse(&r, GOMETRIC_ALLOC_BYTES, GOMETRIC_FREE_OBJECTS, why);
}
