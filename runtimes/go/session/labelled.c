/* Goroutines wait in a batch with copies of their pcs and stacks until the batch's labels and gs
 * have been read, through two caches of memory that are emptied between batches. */
#include "runtimes/go/session/labelled.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memcache.h"
#include "base/room.h"
#include "base/strset.h"
#include "runtimes/go/labels.h"
#include "runtimes/go/live.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/labelsets.h"

enum {
	TOGETHER = 512, /* goroutines; at most a few ms pass until their labels are read */
	PCS_TOGETHER = 1 << 18,
	BYTES_TOGETHER = 16 << 20, /* of stacks; a single one may be much larger */
	BLOCK = 16 << 10,
	BLOCKS = 256,
};

struct labelled_waiting {
	struct go_goroutine r;
	size_t first, stack; /* indexes of its pcs and frame_ends; of its stack bytes */
	uint32_t set;
	bool unreadable;
};

struct labelled {
	struct goprofile *g;
	struct labelsets *sets;
	labelled_callback *each;
	void *ctx;
	struct memcache *gs, *memory; /* caches of g structs; of labels */
	struct golabels *labels;
	struct strset reasons; /* wait reasons, copied */
	struct labelled_waiting *waiting;
	uint64_t *pcs;
	size_t *ends;
	struct buffer stacks;
	size_t count, room, pc_count, pc_room, end_room;
	bool bytes;
	uint64_t unreadable;
};

static int labelled_init(struct labelled *l)
{
	const struct memory *memory = l->g->live->memory;

	if (strset_init(&l->reasons) || memcache_new(&l->gs, memory, BLOCK, BLOCKS) ||
	    memcache_new(&l->memory, memory, BLOCK, BLOCKS) ||
	    golabels_new(&l->labels, memcache_memory(l->memory), l->g->minor))
		return ERR_NOMEM;
	return 0;
}

static void labelled_release(struct labelled *l)
{
	golabels_free(l->labels);
	memcache_free(l->memory);
	memcache_free(l->gs);
	strset_release(&l->reasons);
	free(l->waiting);
	free(l->pcs);
	free(l->ends);
	buffer_release(&l->stacks);
}

/* Reads the set at the address that the g had. Sets are remembered until the next batch. */
static int labelled_read_set(struct labelled *l, struct labelled_waiting *w)
{
	const struct golabel *labels;
	size_t count;
	int rc;

	w->set = labelsets_at(l->sets, w->r.labels);
	if (w->set || !w->r.labels)
		return 0;
	rc = golabels_read(l->labels, w->r.labels, &labels, &count);
	if (!rc)
		rc = labelsets_add(l->sets, w->r.labels, labels, count, &w->set);
	w->unreadable = rc != 0;
	return rc == ERR_NOMEM ? rc : 0;
}

/* True if the g still has the same address of labels. */
static bool labelled_is_its_own(struct labelled *l, const struct labelled_waiting *w)
{
	uint64_t at = w->r.g + l->g->live->fields.g.labels, labels;

	return !memory_read_u64(memcache_memory(l->gs), at, &labels) && labels == w->r.labels;
}

static int labelled_tell_all(struct labelled *l, struct error *err)
{
	int rc = 0;

	memcache_forget(l->memory);
	labelsets_forget(l->sets);
	for (size_t i = 0; i < l->count; i++)
		if (labelled_read_set(l, &l->waiting[i]))
			return error_nomem(err);
	memcache_forget(l->gs);
	for (size_t i = 0; i < l->count && !rc; i++) {
		struct labelled_waiting *w = &l->waiting[i];

		w->r.pcs = l->pcs + w->first;
		if (w->r.stack) {
			w->r.stack = l->stacks.data + w->stack;
			w->r.frame_ends = l->ends + w->first;
		}
		if (w->r.labels && (w->unreadable || !labelled_is_its_own(l, w))) {
			l->unreadable++;
			w->set = 0;
		}
		rc = l->each(l->ctx, &w->r, w->set, err);
	}
	l->count = l->pc_count = l->stacks.len = 0;
	return rc;
}

static int labelled_keep_stack(struct labelled *l, struct labelled_waiting *w)
{
	size_t count = w->r.pc_count, bytes = w->r.stack_len;

	w->first = l->pc_count;
	w->stack = l->stacks.len;
	if (!l->bytes)
		w->r.stack = NULL;
	if (room_for((void **)&l->pcs, &l->pc_room, w->first + count, sizeof(*l->pcs)) ||
	    (w->r.stack &&
	     (room_for((void **)&l->ends, &l->end_room, w->first + count, sizeof(*l->ends)) ||
	      buffer_add(&l->stacks, w->r.stack, bytes))))
		return ERR_NOMEM;
	if (count)
		memcpy(l->pcs + w->first, w->r.pcs, count * sizeof(*l->pcs));
	if (count && w->r.stack)
		memcpy(l->ends + w->first, w->r.frame_ends, count * sizeof(*l->ends));
	l->pc_count += count;
	return 0;
}

static int labelled_keep(void *ctx, const struct go_goroutine *r, struct error *err)
{
	struct labelled *l = ctx;
	struct labelled_waiting *w;
	uint32_t reason;

	if (room_for((void **)&l->waiting, &l->room, l->count + 1, sizeof(*l->waiting)))
		return error_nomem(err);
	w = &l->waiting[l->count++];
	*w = (struct labelled_waiting){ .r = *r };
	if (strset_addz(&l->reasons, r->wait_reason, &reason) || labelled_keep_stack(l, w))
		return error_nomem(err);
	w->r.wait_reason = strset_get(&l->reasons, reason);
	if (l->count < TOGETHER && l->pc_count < PCS_TOGETHER && l->stacks.len < BYTES_TOGETHER)
		return 0;
	return labelled_tell_all(l, err);
}

int labelled_read(struct goprofile *g, struct labelled_wants wants, struct labelsets *sets,
		  labelled_callback *each, void *ctx, struct error *err)
{
	struct gogoroutines_options options = { .stacks = true,
						.max_frames = wants.max_frames,
						.held = g->held,
						.held_count = g->held_count,
						.let_go = g->let_go };
	struct labelled l = {
		.g = g, .sets = sets, .each = each, .ctx = ctx, .bytes = wants.bytes
	};
	struct gogoroutines_stats stats = { 0 };
	int rc = labelled_init(&l) ? error_nomem(err) : 0;

	if (!rc)
		rc = gogoroutines_read(g->live, g->callers, &options, labelled_keep, &l, &stats,
				       err);
	if (!rc)
		rc = labelled_tell_all(&l, err);
	if (!rc) {
		stats.reads += memcache_reads(l.gs) + memcache_reads(l.memory);
		stats.bytes += memcache_bytes(l.gs) + memcache_bytes(l.memory);
		rc = goprofile_note_goroutines(g, &stats, l.unreadable, err);
	}
	labelled_release(&l);
	return rc;
}
