/*
 * The block and mutex profiles (runtime/pprof/pprof.go, printCountCycleProfile and
 * writeProfileInternal): where goroutines waited or made others wait, how often and how long.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/gotext/heapscale.h"
#include "pprof/profile.h"
#include "runtimes/go/profile/keptbuckets.h"
#include "runtimes/go/profile/kinds.h"
#include "runtimes/go/profile/type.h"
#include "runtimes/go/session/builder.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/stacktext.h"

struct delay {
	struct goprofile *g;
	enum go_buckets which;
	struct keptbuckets kept;
	int64_t frequency; /* cycles per second */
	int64_t rate;	   /* of the mutex profile, else 1 */
	uint64_t *pcs;	   /* of the current stack */
	size_t room;
};

static enum go_buckets delay_buckets(const struct goprofile_id *id)
{
	return id->type == GOPROFILE_MUTEX ? GO_MUTEX : GO_BLOCK;
}

static int64_t cycles_of(const struct go_bucket *b)
{
	return b->cycles;
}

/* Since 1.23 runtime/pprof passes stacks through CallersFrames (expandInlinedFrames), which leaves
 * out frames outside Go and makes one frame at 0 if no other is left. */
static int stack_of(struct delay *d, const struct go_bucket *b, const uint64_t **pcs, size_t *count)
{
	*pcs = b->pcs;
	*count = b->pc_count;
	if (d->g->minor < 23)
		return 0;
	if (room_for((void **)&d->pcs, &d->room, b->pc_count + 1, sizeof(*d->pcs)))
		return ERR_NOMEM;
	*pcs = d->pcs;
	*count = 0;
	for (size_t i = 0; i < b->pc_count; i++) {
		const struct pcframe *f = pcframes_find(&d->g->frames, b->pcs[i]);

		if (!f)
			return ERR_NOMEM;
		if (f->go)
			d->pcs[(*count)++] = f->at + 1;
	}
	if (!*count)
		d->pcs[(*count)++] = 1;
	return 0;
}

static int delay_read_all(struct delay *d, struct error *err)
{
	struct goprofile *g = d->g;
	struct gobuckets_stats stats = { 0 };
	double frequency;
	int rc = gobuckets_frequency(g->live, &g->options.frequency, &frequency, err);

	if (rc)
		return rc;
	d->frequency = heapscale_truncated(frequency);
	d->rate = 1;
	if (d->which == GO_MUTEX)
		rc = gobuckets_rate(g->live, GO_MUTEX, &d->rate, err);
	if (!rc)
		rc = gobuckets_read(g->live, g->callers, d->which, GO_PUBLISHED, keptbuckets_add,
				    &d->kept, &stats, err);
	if (!rc)
		rc = goprofile_note_buckets(g, &stats, err);
	if (!rc && keptbuckets_sort(&d->kept, cycles_of, true))
		rc = error_nomem(err);
	return rc;
}

/* Up to 1.19 the runtime counted samples, and runtime/pprof scaled them (scaleMutexProfile); since
 * 1.20 the runtime itself scales them. */
static int delay_add_samples(struct delay *d, struct builder *b)
{
	bool scale = d->which == GO_MUTEX && d->g->minor <= 19;
	double ghz = (double)d->frequency / 1e9;
	const uint32_t *locations;
	const uint64_t *pcs;
	size_t count;

	for (size_t i = 0; i < d->kept.count; i++) {
		const struct go_bucket *bucket = &d->kept.buckets[i];
		double nanoseconds = (double)bucket->cycles / ghz;
		int64_t values[2] = { bucket->count, heapscale_truncated(nanoseconds) };

		if (scale) {
			values[0] = (int64_t)((uint64_t)values[0] * (uint64_t)d->rate);
			values[1] = heapscale_truncated(nanoseconds * (double)d->rate);
		}
		if (stack_of(d, bucket, &pcs, &count) ||
		    builder_locate(b, pcs, count, &locations, &count) ||
		    profile_add_sample(b->profile, locations, count, values, NULL, 0))
			return ERR_NOMEM;
	}
	return 0;
}

static void delay_release(struct delay *d)
{
	keptbuckets_release(&d->kept);
	free(d->pcs);
}

static int delay_make(struct goprofile *g, const struct goprofile_id *id, struct profile *p,
		      struct error *err)
{
	struct delay d = { .g = g, .which = delay_buckets(id) };
	struct builder b = { 0 };
	int rc = delay_read_all(&d, err);

	if (!rc)
		rc = goprofile_begin(g, &b, p, err);
	if (!rc && (profile_add_contentions(p) || delay_add_samples(&d, &b)))
		rc = error_nomem(err);
	if (!rc)
		rc = goprofile_end(g, &b, err);
	builder_release(&b);
	delay_release(&d);
	return rc;
}

static int delay_add_text(struct delay *d, struct buffer *out)
{
	const uint64_t *pcs;
	size_t count;

	if (buffer_addf(out, "--- %s:\ncycles/second=%" PRId64 "\n",
			d->which == GO_MUTEX ? "mutex" : "contention", d->frequency) ||
	    (d->which == GO_MUTEX && buffer_addf(out, "sampling period=%" PRId64 "\n", d->rate)))
		return ERR_NOMEM;
	for (size_t i = 0; i < d->kept.count; i++) {
		const struct go_bucket *b = &d->kept.buckets[i];

		if (stack_of(d, b, &pcs, &count) ||
		    buffer_addf(out, "%" PRId64 " %" PRId64 " @", b->cycles, b->count) ||
		    stacktext_pcs(out, pcs, count) || buffer_add(out, "\n", 1) ||
		    stacktext_frames(out, &d->g->frames, pcs, count, true))
			return ERR_NOMEM;
	}
	return 0;
}

static int delay_text(struct goprofile *g, const struct goprofile_id *id, struct buffer *out,
		      struct error *err)
{
	struct delay d = { .g = g, .which = delay_buckets(id) };
	int rc = delay_read_all(&d, err);

	if (!rc && delay_add_text(&d, out))
		rc = error_nomem(err);
	delay_release(&d);
	return rc;
}

const struct goprofile_kind goprofile_delay = { delay_make, delay_text };
