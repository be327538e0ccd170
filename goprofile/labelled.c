#include "goprofile/labelled.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "goprofile/counts.h"
#include "goruntime/gogoroutines.h"
#include "goruntime/golabels.h"
#include "goruntime/golayout.h"
#include "goruntime/golive.h"
#include "target/memcache.h"

enum {
	TOGETHER = 512, /* goroutines; a few ms at most pass until their labels are read */
	BLOCK = 16 << 10,
	BLOCKS = 256,
};

struct labelled_goroutine {
	uint64_t g, labels;
	size_t first, count; /* in pcs */
	uint32_t set;
	bool unavailable, unreadable;
};

int labelled_init(struct labelled *l, const struct golive *live, struct counts *counts)
{
	*l = (struct labelled){ .live = live, .counts = counts };
	return memcache_new(&l->gs, live->memory, BLOCK, BLOCKS) ||
	       memcache_new(&l->memory, live->memory, BLOCK, BLOCKS) ||
	       golabels_new(&l->labels, memcache_memory(l->memory), live->vars.layout->minor) ?
		       ERR_NOMEM : 0;
}

void labelled_release(struct labelled *l)
{
	golabels_free(l->labels);
	memcache_free(l->memory);
	memcache_free(l->gs);
	free(l->waiting);
	free(l->pcs);
	*l = (struct labelled){ 0 };
}

int labelled_add(struct labelled *l, const struct go_goroutine *r, const uint64_t *pcs,
		 size_t count)
{
	struct labelled_goroutine *w;

	if (room_for((void **)&l->waiting, &l->room, l->count + 1, sizeof(*l->waiting)) ||
	    room_for((void **)&l->pcs, &l->pc_room, l->pc_count + count, sizeof(*l->pcs)))
		return ERR_NOMEM;
	w = &l->waiting[l->count++];
	*w = (struct labelled_goroutine){ .g = r->g, .labels = r->labels, .first = l->pc_count,
					  .count = count, .unavailable = !r->has_stack };
	if (count)
		memcpy(l->pcs + l->pc_count, pcs, count * sizeof(*pcs));
	l->pc_count += count;
	return l->count < TOGETHER ? 0 : labelled_flush(l);
}

/* The set that stands where its g said. Sets are remembered until the next flush. */
static int read_set(struct labelled *l, struct labelled_goroutine *w)
{
	struct labelsets *sets = &l->counts->labels;
	const struct golabel *labels;
	size_t count;
	int rc;

	w->set = labelsets_at(sets, w->labels);
	if (w->set)
		return 0;
	rc = golabels_read(l->labels, w->labels, &labels, &count);
	if (!rc)
		return labelsets_add(sets, w->labels, labels, count, &w->set);
	w->unreadable = true;
	return rc == ERR_NOMEM ? rc : 0;
}

static int read_sets(struct labelled *l)
{
	memcache_forget(l->memory);
	labelsets_forget(&l->counts->labels);
	for (size_t i = 0; i < l->count; i++)
		if (read_set(l, &l->waiting[i]))
			return ERR_NOMEM;
	return 0;
}

/* Does its g say so still? */
static bool is_its_own(struct labelled *l, const struct labelled_goroutine *w)
{
	uint64_t labels;

	return !memory_read_u64(memcache_memory(l->gs), w->g + l->live->fields.g.labels, &labels) &&
	       labels == w->labels;
}

int labelled_flush(struct labelled *l)
{
	if (read_sets(l))
		return ERR_NOMEM;
	memcache_forget(l->gs);
	for (size_t i = 0; i < l->count; i++) {
		const struct labelled_goroutine *w = &l->waiting[i];
		bool own = !w->unreadable && is_its_own(l, w);

		l->unreadable += !own;
		if (counts_add(l->counts, l->pcs + w->first, w->count, own ? w->set : 0,
			       w->unavailable))
			return ERR_NOMEM;
	}
	l->count = l->pc_count = 0;
	return 0;
}

void labelled_stats(const struct labelled *l, uint64_t *reads, uint64_t *bytes)
{
	*reads += memcache_reads(l->gs) + memcache_reads(l->memory);
	*bytes += memcache_bytes(l->gs) + memcache_bytes(l->memory);
}
