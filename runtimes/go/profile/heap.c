/*
 * The heap profile (runtime/pprof/protomem.go; pprof.go, writeHeapInternal). The protobuf form is
 * made while buckets are read and needs no copies of them. The text form is sorted.
 */
#include <inttypes.h>

#include "base/error.h"
#include "pprof/gotext/heapscale.h"
#include "pprof/profile.h"
#include "runtimes/go/live.h"
#include "runtimes/go/profile/keptbuckets.h"
#include "runtimes/go/profile/kinds.h"
#include "runtimes/go/session/builder.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/stacktext.h"

struct profile_heap {
	struct goprofile *g;
	struct profile *profile;
	struct builder builder;
	int64_t rate;
	uint32_t bytes; /* string "bytes", the label's key */
};

static int profile_heap_begin(struct profile_heap *h, struct error *err)
{
	struct profile *p = h->profile;
	int rc = goprofile_begin(h->g, &h->builder, p, err);

	if (rc)
		return rc;
	if (profile_add_type(p, "alloc_objects", "count") ||
	    profile_add_type(p, "alloc_space", "bytes") ||
	    profile_add_type(p, "inuse_objects", "count") ||
	    profile_add_type(p, "inuse_space", "bytes") ||
	    profile_string(p, "space", &p->period_type.type) ||
	    profile_string(p, "bytes", &p->period_type.unit))
		return error_nomem(err);
	p->period = h->rate;
	h->bytes = p->period_type.unit;
	return 0;
}

/* Starts the profile again, because the buckets so far are void. */
static int profile_heap_begin_again(struct profile_heap *h, struct error *err)
{
	builder_release(&h->builder);
	profile_release(h->profile);
	if (profile_init(h->profile))
		return error_nomem(err);
	return profile_heap_begin(h, err);
}

/* *hidden: how many frames of the runtime at the beginning of the stack are hidden. If the stack
 * has no other frames, none is hidden. */
static int hide_runtime(struct pcframes *frames, const uint64_t *pcs, size_t count, size_t *hidden)
{
	*hidden = 0;
	for (size_t i = 0; i < count; i++) {
		struct pcframe *f = pcframes_find(frames, pcs[i]);

		if (!f)
			return ERR_NOMEM;
		if (!pcframes_runtime_at_pc(frames, f)) {
			*hidden = i;
			return 0;
		}
	}
	return 0;
}

static int profile_heap_locate(struct profile_heap *h, const struct go_bucket *b,
			       const uint32_t **locations, size_t *count)
{
	size_t hidden;

	if (hide_runtime(&h->g->frames, b->pcs, b->pc_count, &hidden) ||
	    builder_locate(&h->builder, b->pcs + hidden, b->pc_count - hidden, locations, count))
		return ERR_NOMEM;
	return *count ? 0 : builder_locate(&h->builder, b->pcs, b->pc_count, locations, count);
}

/* The value of the label "bytes": up to 1.26 the mean size of all allocations. */
static int64_t object_size(const struct goprofile *g, const struct go_bucket *b)
{
	if (g->minor >= 27)
		return (int64_t)b->size;
	return (int64_t)b->allocs > 0 ? (int64_t)b->alloc_bytes / (int64_t)b->allocs : 0;
}

static int add_bucket(void *ctx, const struct go_bucket *b, struct error *err)
{
	struct profile_heap *h = ctx;
	struct profile_label label = { .key = h->bytes };
	const uint32_t *locations;
	int64_t values[4];
	size_t count;

	if (!b)
		return profile_heap_begin_again(h, err);
	values[0] = (int64_t)b->allocs;
	values[1] = (int64_t)b->alloc_bytes;
	values[2] = (int64_t)(b->allocs - b->frees);
	values[3] = (int64_t)(b->alloc_bytes - b->free_bytes);
	heapscale(&values[0], &values[1], h->rate);
	heapscale(&values[2], &values[3], h->rate);
	label.num = object_size(h->g, b);
	if (profile_heap_locate(h, b, &locations, &count) ||
	    profile_add_sample(h->profile, locations, count, values, &label, label.num != 0))
		return error_nomem(err);
	return 0;
}

static int profile_heap_make(struct profile_heap *h, struct error *err)
{
	struct goprofile *g = h->g;
	struct gobuckets_stats stats = { 0 };
	int rc = gobuckets_rate(g->live, GO_HEAP, &h->rate, err);

	if (!rc)
		rc = profile_heap_begin(h, err);
	if (!rc)
		rc = gobuckets_read(g->live, g->callers, GO_HEAP, g->heap, add_bucket, h, &stats,
				    err);
	if (!rc)
		rc = goprofile_note_buckets(g, &stats, err);
	return rc ? rc : goprofile_end(g, &h->builder, err);
}

static int heap_make(struct goprofile *g, const struct goprofile_id *id, struct profile *p,
		     struct error *err)
{
	struct profile_heap h = { .g = g, .profile = p };
	int rc = profile_heap_make(&h, err);

	(void)id;
	builder_release(&h.builder);
	return rc;
}

static int64_t in_use(const struct go_bucket *b)
{
	return (int64_t)(b->alloc_bytes - b->free_bytes);
}

/* Since 1.20 the bytes allocated are printed as one more if they equal the bytes in use, because
 * pprof would take the text for a profile of two columns. */
static int profile_heap_add_heading(struct goprofile *g, const struct keptbuckets *k, int64_t rate,
				    struct buffer *out)
{
	struct go_bucket total = { 0 };
	uint64_t bytes;

	for (size_t i = 0; i < k->count; i++) {
		const struct go_bucket *b = &k->buckets[i];

		total.allocs += b->allocs;
		total.frees += b->frees;
		total.alloc_bytes += b->alloc_bytes;
		total.free_bytes += b->free_bytes;
	}
	bytes = total.alloc_bytes;
	if (g->minor >= 20 && !total.free_bytes)
		bytes++;
	return buffer_addf(out,
			   "heap profile: %" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64
			   "] @ heap/%" PRId64 "\n",
			   (int64_t)(total.allocs - total.frees), in_use(&total),
			   (int64_t)total.allocs, (int64_t)bytes,
			   (int64_t)(2 * (uint64_t)rate)); /* wraps around, as in Go */
}

static int profile_heap_add_record(struct goprofile *g, const struct go_bucket *b,
				   struct buffer *out)
{
	if (buffer_addf(out, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @",
			(int64_t)(b->allocs - b->frees), in_use(b), (int64_t)b->allocs,
			(int64_t)b->alloc_bytes) ||
	    stacktext_pcs(out, b->pcs, b->pc_count) || buffer_add(out, "\n", 1))
		return ERR_NOMEM;
	return stacktext_frames(out, &g->frames, b->pcs, b->pc_count, false);
}

/* Sorted by bytes in use, since 1.23 in ascending order. */
static int profile_heap_write_text(struct goprofile *g, struct keptbuckets *k, int64_t rate,
				   struct buffer *out, struct error *err)
{
	int rc = keptbuckets_sort(k, in_use, g->minor <= 22);

	if (!rc)
		rc = profile_heap_add_heading(g, k, rate, out);
	for (size_t i = 0; i < k->count && !rc; i++)
		rc = profile_heap_add_record(g, &k->buckets[i], out);
	if (!rc)
		rc = memstats_add(g, out);
	return rc ? error_nomem(err) : 0;
}

static int heap_text(struct goprofile *g, const struct goprofile_id *id, struct buffer *out,
		     struct error *err)
{
	struct gobuckets_stats stats = { 0 };
	struct keptbuckets kept = { 0 };
	int64_t rate;
	int rc = gobuckets_rate(g->live, GO_HEAP, &rate, err);

	(void)id;
	if (!rc)
		rc = gobuckets_read(g->live, g->callers, GO_HEAP, g->heap, keptbuckets_add, &kept,
				    &stats, err);
	if (!rc)
		rc = goprofile_note_buckets(g, &stats, err);
	if (!rc)
		rc = profile_heap_write_text(g, &kept, rate, out, err);
	keptbuckets_release(&kept);
	return rc;
}

const struct goprofile_kind goprofile_heap = { heap_make, heap_text };
