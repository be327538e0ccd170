/*
 * The numbers of a heap bucket are published by adding future[cycle] to active: at the end of the
 * GC's mark phase, and by any caller that reads the profile (mProf_Flush, memProfileInternal).
 * Allocations are counted in future[cycle + 2], frees by sweeping in future[cycle + 1]
 * (mProf_Malloc, mProf_Free). So the sum active + future[cycle] is the same before and after a
 * flush and does not change until the next cycle. All numbers are read twice. When both readings
 * are equal and the cycle was the same before and after, no thread of the target was just adding a
 * number. The exception is a thread that was off the CPU all the time in between; it still held the
 * lock then, so the lock is checked, too.
 *
 * Of the first reading only the numbers are kept: with their stacks, all buckets of a large program
 * take hundreds of megabytes. The second reading passes the buckets to the callback.
 *
 * The two numbers of a blocking bucket change whenever a goroutine blocks. They are read until two
 * readings are equal, which nearly all are at once.
 */
#include "runtimes/go/numbers/buckets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "base/process/memcache.h"
#include "base/process/process.h"
#include "base/room.h"
#include "runtimes/go/debug.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/bucketlist.h"
#include "runtimes/go/stacks/callers.h"

enum {
	TRIES = 5,
	LOCK_TRIES = 20,
	LOCK_WAIT_NS = 1000 * 1000,
	SLOTS = 3,		       /* memRecord.future */
	CYCLE_END = SLOTS * (2 << 24), /* mProfCycleWrap */
	/* Each P allocates buckets upwards in chunks of 256 KB (persistentalloc), so the list goes
	 * downwards in as many chunks as there are Ps. */
	BLOCK_BYTES = 256 << 10,
	BLOCKS = 64,
	EXPANDED_MAX = 64, /* frames inlined into each other at one pc */
};

/* Heap: allocs, frees, alloc_bytes, free_bytes. Otherwise: the bits of count; cycles. */
struct buckets_numbers {
	uint64_t n[4];
};

struct buckets_reading {
	const struct golive *live;
	struct gocallers *callers;
	enum go_buckets which;
	enum gobuckets_moment moment;
	unsigned minor;
	size_t depth;
	struct memcache *cache; /* owned */
	uint64_t head;
	uint32_t cycle;
	bool all;    /* heap: the sum of all slots, since nothing was published yet */
	bool same;   /* the second reading was equal to the first */
	bool locked; /* the lock was held before, between or after the readings */
	unsigned lock_tries;
	struct buckets_numbers *numbers; /* owned */
	size_t room, count;
	struct gobuckets_stats *stats;
	struct gobucketlist list;
	uint64_t pcs[GO_BUCKET_PCS];
};

/* The error when the target's memory cannot be read. */
static int unreadable(const struct golive *live, struct error *err)
{
	if (live->process && !process_alive(live->process))
		return error_set(err, ERR_GONE, "the process has ended");
	return error_set(err, ERR_FORMAT, "where the profile should be nothing can be read");
}

static int read_at(const struct golive *live, uint64_t addr, void *buf, size_t len,
		   struct error *err)
{
	if (!addr)
		return error_set(err, ERR_NOTFOUND,
				 "where the runtime has it is not found in the program");
	return live->memory->read(live->memory, addr, buf, len) ? unreadable(live, err) : 0;
}

/* 1.18: runtime.mProf.cycle. Later: mProfCycleHolder; its lowest bit shows whether it is
 * flushed. */
static int read_cycle(const struct buckets_reading *r, uint32_t *cycle, struct error *err)
{
	int rc = read_at(r->live, r->live->places.heap_cycle, cycle, sizeof(*cycle), err);

	if (!rc)
		*cycle >>= r->live->vars.layout->cycle_shift;
	if (!rc && *cycle >= CYCLE_END)
		rc = error_set(err, ERR_FORMAT, "the heap profile's cycle is none");
	return rc;
}

/* Is a thread publishing or reading? A locked runtime.mutex is not 0 up to 1.23 (lock_futex.go);
 * later its lowest bit is set (lock_spinbit.go, mutexLocked). */
static bool is_locked(const struct buckets_reading *r)
{
	const struct golive *live = r->live;
	uint64_t key;

	if (!live->places.heap_lock || memory_read_u64(live->memory, live->places.heap_lock, &key))
		return false;
	return r->minor < 24 ? key != 0 : key & 1;
}

/* All freed objects are counted when all spans are swept and there is no sweeper (mgcsweep.go,
 * activeSweep: sweepDrainedMask, and the number of sweepers). */
static int check_swept(const struct buckets_reading *r, struct error *err)
{
	uint32_t state;
	int rc = read_at(r->live, r->live->places.sweep_active, &state, sizeof(state), err);

	if (!rc && state != UINT32_C(1) << 31)
		rc = error_set(err, ERR_SHORT, "the garbage collector is still sweeping");
	return rc;
}

/* memRecord: active, future[3] of {allocs, frees, alloc_bytes, free_bytes}; the bytes only up to
 * 1.26. */
static struct buckets_numbers heap_numbers(const struct buckets_reading *r)
{
	const struct gobucketlist *l = &r->list;
	size_t words = gobucketlist_record_words(r->live->vars.layout, GO_HEAP) / (1 + SLOTS);
	unsigned slots = r->all ? SLOTS : r->moment == GO_FRESH ? 2 : 1;
	struct buckets_numbers v = { 0 };

	memcpy(v.n, l->record, words * sizeof(*v.n));
	for (unsigned i = 0; i < slots; i++)
		for (size_t w = 0; w < words; w++)
			v.n[w] += l->record[words * (1 + (r->cycle + i) % SLOTS) + w];
	for (size_t w = words; w < 4; w++)
		v.n[w] = v.n[w - 2] * l->size;
	return v;
}

static struct buckets_numbers numbers_of(const struct buckets_reading *r)
{
	struct buckets_numbers v = { 0 };

	if (r->which == GO_HEAP)
		return heap_numbers(r);
	memcpy(v.n, r->list.record, 2 * sizeof(*v.n));
	return v;
}

static void begin_reading(struct buckets_reading *r)
{
	memcache_forget(r->cache);
	gobucketlist_begin(&r->list, memcache_memory(r->cache), r->live->vars.layout, r->which,
			   r->head);
}

static int next_bucket(struct buckets_reading *r, struct error *err)
{
	int rc = gobucketlist_next(&r->list, err);

	if (rc == ERR_NOMEM)
		return error_nomem(err);
	if (rc == ERR_IO)
		return r->live->process && !process_alive(r->live->process) ?
			       unreadable(r->live, err) :
			       ERR_FORMAT;
	return rc;
}

/* First reading: collects all numbers. *any: at least one of them is not 0. */
static int buckets_collect(struct buckets_reading *r, bool *any, struct error *err)
{
	int rc = 0;

	*any = false;
	r->count = 0;
	begin_reading(r);
	while (!rc && (rc = next_bucket(r, err)) > 0) {
		rc = room_for((void **)&r->numbers, &r->room, r->count + 1, sizeof(*r->numbers));
		if (rc)
			return error_nomem(err);
		r->numbers[r->count] = numbers_of(r);
		*any |= r->numbers[r->count].n[0] || r->numbers[r->count].n[1];
		r->count++;
	}
	return rc;
}

/* In published numbers an object is never freed more often than allocated: its two events are
 * counted in slots that are published in their order. */
static int check_heap(const struct buckets_reading *r, struct error *err)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->numbers[i].n[1] > r->numbers[i].n[0] || r->numbers[i].n[0] >> 56 ||
		    r->numbers[i].n[3] > r->numbers[i].n[2])
			return error_set(err, ERR_FORMAT,
					 "the heap profile's numbers cannot be: bucket %zu", i);
	return 0;
}

/* The current bucket's numbers as they are now. Those of a blocking bucket are read until two
 * readings are equal. */
static int buckets_settle(struct buckets_reading *r, size_t i, struct buckets_numbers *v,
			  struct error *err)
{
	uint64_t at = r->list.at + (6 + r->list.pc_count) * sizeof(uint64_t);
	struct buckets_numbers last = r->numbers[i];

	*v = numbers_of(r);
	if (r->which == GO_HEAP)
		return 0;
	for (unsigned tries = 1; memcmp(v, &last, sizeof(last)) && tries < TRIES; tries++) {
		int rc;

		last = *v;
		rc = read_at(r->live, at, v, 2 * sizeof(*v->n), err);
		if (rc)
			return rc;
		r->stats->again++;
		r->stats->reads++;
		r->stats->bytes += 2 * sizeof(*v->n);
	}
	return 0;
}

/* runtime.BlockProfile: int64(count), reported as 1 where it is 0 (golang.org/cl/299991). */
static int set_contentions(const struct buckets_reading *r, const struct buckets_numbers *v,
			   struct go_bucket *b, struct error *err)
{
	double count;

	memcpy(&count, &v->n[0], sizeof(count));
	if (!(count >= 0 && count < 0x1p62))
		return error_set(err, ERR_FORMAT, "a count in the profile is none");
	b->count = (int64_t)count;
	if (!b->count && r->which == GO_BLOCK)
		b->count = 1;
	memcpy(&b->cycles, &v->n[1], sizeof(b->cycles));
	return 0;
}

/* Appends a pc of a stack and, unless it is the last one, the frames that it implies: an inlined
 * function is followed by its callers, up to one that is the next in the stack itself. As in
 * runtime.CallersFrames (symtab.go, Frames.Next, since 1.23). */
static int expand_pc(struct buckets_reading *r, size_t i, size_t *count, struct error *err)
{
	uint64_t pc = r->list.body[i], frames[EXPANDED_MAX];
	struct gocallers_frame f;
	size_t got = 0, k;

	if (!gocallers_frame(r->callers, pc, &f))
		return 0; /* C, or the ^0 that marks a logical stack up to 1.26 */
	r->pcs[(*count)++] = pc;
	if (i + 1 == r->list.pc_count || !f.inlined)
		return 0;
	if (gocallers_expand(r->callers, &pc, 1, 0, frames, EXPANDED_MAX, &got))
		return error_nomem(err);
	for (k = got && frames[0] == pc; k < got && *count < r->depth; k++) {
		if (frames[k] == r->list.body[i + 1])
			break;
		r->pcs[(*count)++] = frames[k];
	}
	return 0;
}

/* Sets b's stack. Heap stacks, and up to 1.22 all stacks, are logical already. */
static int buckets_set_stack(struct buckets_reading *r, struct go_bucket *b, struct error *err)
{
	size_t count = 0;
	int rc = 0;

	b->pcs = r->list.body;
	b->pc_count = r->list.pc_count;
	if (r->which == GO_HEAP || r->minor < 23)
		return 0;
	for (size_t i = 0; !rc && i < r->list.pc_count && count < r->depth; i++)
		rc = expand_pc(r, i, &count, err);
	b->pcs = r->pcs;
	b->pc_count = count;
	return rc;
}

static int tell_one(struct buckets_reading *r, size_t i, gobuckets_callback *each, void *ctx,
		    struct error *err)
{
	struct go_bucket b = { .size = r->list.size };
	struct buckets_numbers v;
	int rc = buckets_settle(r, i, &v, err);

	if (!rc && r->which == GO_HEAP) {
		b.allocs = v.n[0], b.frees = v.n[1];
		b.alloc_bytes = v.n[2], b.free_bytes = v.n[3];
		r->same &= !memcmp(&v, &r->numbers[i], sizeof(v));
	} else if (!rc) {
		rc = set_contentions(r, &v, &b, err);
	}
	if (!rc)
		rc = buckets_set_stack(r, &b, err);
	return rc ? rc : each(ctx, &b, err);
}

/* Second reading: passes the buckets to `each`. r->same: its heap numbers are those of the
 * first. */
static int buckets_tell(struct buckets_reading *r, gobuckets_callback *each, void *ctx,
			struct error *err)
{
	int rc = 0;

	r->same = true;
	begin_reading(r);
	for (size_t i = 0; i < r->count && !rc; i++) {
		rc = next_bucket(r, err);
		if (rc <= 0)
			return rc ? rc : error_set(err, ERR_FORMAT, "the profile got shorter");
		rc = tell_one(r, i, each, ctx, err);
	}
	return rc;
}

static int begin_heap(struct buckets_reading *r, struct error *err)
{
	int rc;

	/* The wait is short: a thread keeps the lock only if it is stopped while we read. */
	for (; r->lock_tries < LOCK_TRIES && is_locked(r); r->lock_tries++)
		nanosleep(&(struct timespec){ .tv_nsec = LOCK_WAIT_NS }, NULL);
	r->locked = is_locked(r);
	rc = read_cycle(r, &r->cycle, err);
	if (!rc && r->moment == GO_FRESH)
		rc = check_swept(r, err);
	if (!rc)
		rc = read_at(r->live, r->live->places.heap, &r->head, sizeof(r->head), err);
	r->all = false;
	return rc;
}

/* *good: the reading ended in the cycle in which it began, and the numbers did not change. Numbers
 * that are not published yet cannot be compared: each was true at some moment. */
static int end_heap(struct buckets_reading *r, bool *good, struct error *err)
{
	uint32_t cycle;
	int rc = read_cycle(r, &cycle, err);

	if (!rc && r->moment == GO_FRESH)
		rc = check_swept(r, err);
	r->locked |= is_locked(r);
	*good = !rc && cycle == r->cycle && (r->same || r->all) && !r->locked;
	return rc || !*good || r->all ? rc : check_heap(r, err);
}

static int buckets_read_heap(struct buckets_reading *r, gobuckets_callback *each, void *ctx,
			     struct error *err)
{
	bool good = false, any = false;
	int rc = 0;

	for (unsigned i = 0; i < TRIES && !rc && !good; i++) {
		if (i) {
			r->stats->again++;
			rc = each(ctx, NULL, err);
		}
		if (!rc)
			rc = begin_heap(r, err);
		if (!rc)
			rc = buckets_collect(r, &any, err);
		/* runtime/mprof.go, memProfileInternal: "Absolutely no data, suggesting that a
		 * garbage collection has not yet happened". */
		r->all = !any;
		r->locked |= is_locked(r);
		if (!rc)
			rc = buckets_tell(r, each, ctx, err);
		if (!rc)
			rc = end_heap(r, &good, err);
	}
	r->stats->mixed = !good;
	r->stats->all = r->all;
	r->stats->cycle = r->cycle;
	return rc;
}

static int read_blocking(struct buckets_reading *r, gobuckets_callback *each, void *ctx,
			 struct error *err)
{
	const struct goplaces *p = &r->live->places;
	int rc = read_at(r->live, r->which == GO_BLOCK ? p->block : p->mutex, &r->head,
			 sizeof(r->head), err);
	bool any;

	if (!rc)
		rc = buckets_collect(r, &any, err);
	return rc ? rc : buckets_tell(r, each, ctx, err);
}

/* cmd/link/internal/ld/lib.go: where nothing refers to runtime.MemProfile (since 1.23
 * memProfileInternal), the linker leaves it out and sets disableMemoryProfiling. */
static bool linked_without(const struct golive *live)
{
	const char *name = live->vars.layout->minor >= 23 ? "runtime.memProfileInternal" :
							    "runtime.MemProfile";
	uint64_t at = live->places.mem_profile_off;
	struct go_function f;
	uint8_t off;

	if (at && !live->memory->read(live->memory, at, &off, 1))
		return off == 1;
	return live->table && !gopclntab_named(live->table, name, &f);
}

int gobuckets_read(const struct golive *live, struct gocallers *callers, enum go_buckets which,
		   enum gobuckets_moment moment, gobuckets_callback *each, void *ctx,
		   struct gobuckets_stats *stats, struct error *err)
{
	struct buckets_reading *r;
	int rc;

	memset(stats, 0, sizeof(*stats));
	if (which == GO_HEAP && linked_without(live))
		return error_set(err, ERR_NOTFOUND,
				 "the linker left memory profiling out: nothing in the program "
				 "refers to runtime.MemProfile");
	r = calloc(1, sizeof(*r));
	if (!r || memcache_new(&r->cache, live->memory, BLOCK_BYTES, BLOCKS)) {
		free(r);
		return error_nomem(err);
	}
	r->live = live;
	r->callers = callers;
	r->which = which;
	r->moment = moment;
	r->minor = live->vars.layout->minor;
	r->stats = stats;
	r->depth = which == GO_HEAP ? GO_BUCKET_PCS : godebug_stack_depth(live);
	rc = which == GO_HEAP ? buckets_read_heap(r, each, ctx, err) :
				read_blocking(r, each, ctx, err);
	stats->buckets = r->count;
	stats->reads += memcache_reads(r->cache);
	stats->bytes += memcache_bytes(r->cache);
	memcache_free(r->cache);
	free(r->numbers);
	free(r);
	return rc;
}

int gobuckets_rate(const struct golive *live, enum go_buckets which, int64_t *rate,
		   struct error *err)
{
	const struct goplaces *p = &live->places;
	uint64_t at = which == GO_HEAP	? p->heap_rate :
		      which == GO_BLOCK ? p->block_rate :
					  p->mutex_rate;
	int rc = read_at(live, at, rate, sizeof(*rate), err);

	/* runtime/mprof.go, SetMutexProfileFraction: it does not store a negative rate. */
	if (!rc && which == GO_MUTEX && *rate < 0)
		return error_set(err, ERR_FORMAT, "the mutex profile's rate is none");
	return rc;
}
