/*
 * A sweep over the starts: at each address the open range that was added last is on top of a heap.
 * Between two starts only the end of the top matters, so there are at most twice as many pieces as
 * ranges, and the time is O(n log n).
 */
#include "base/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "base/sorted.h"

struct base_ranges_entry {
	struct range range;
	size_t rank; /* order of addition: the highest wins */
};

struct base_ranges_sweep {
	const struct base_ranges_entry *entries; /* sorted by start */
	const struct base_ranges_entry **open;	 /* a heap, the highest rank on top */
	size_t open_count;
	struct ranges pieces;
};

void ranges_release(struct ranges *r)
{
	free(r->all);
	memset(r, 0, sizeof(*r));
}

int ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint32_t of)
{
	if (end <= start)
		return 0;
	if (room_for((void **)&r->all, &r->room, r->count + 1, sizeof(*r->all)))
		return ERR_NOMEM;
	r->all[r->count++] = (struct range){ start, end, of };
	return 0;
}

static int inner_last(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->of > y->of ? -1 : x->of < y->of;
}

void ranges_inner_wins(struct ranges *r)
{
	if (r->count)
		qsort(r->all, r->count, sizeof(*r->all), inner_last);
}

static int base_ranges_by_start(const void *a, const void *b)
{
	const struct base_ranges_entry *x = a, *y = b;

	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void base_ranges_push(struct base_ranges_sweep *s, const struct base_ranges_entry *e)
{
	size_t at = s->open_count++;

	for (; at && s->open[(at - 1) / 2]->rank < e->rank; at = (at - 1) / 2)
		s->open[at] = s->open[(at - 1) / 2];
	s->open[at] = e;
}

static void base_ranges_pop(struct base_ranges_sweep *s)
{
	const struct base_ranges_entry *last = s->open[--s->open_count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < s->open_count) {
		if (child + 1 < s->open_count && s->open[child + 1]->rank > s->open[child]->rank)
			child++;
		if (s->open[child]->rank < last->rank)
			break;
		s->open[at] = s->open[child];
		at = child;
	}
	s->open[at] = last;
}

static int base_ranges_emit(struct ranges *pieces, uint64_t start, uint64_t end, uint32_t of)
{
	struct range *last = pieces->count ? &pieces->all[pieces->count - 1] : NULL;

	if (last && last->end == start && last->of == of) {
		last->end = end;
		return 0;
	}
	return ranges_add(pieces, start, end, of);
}

static int base_ranges_sweep(struct base_ranges_sweep *s, size_t count)
{
	uint64_t at = 0;
	size_t next = 0;

	while (next < count || s->open_count) {
		const struct range *top;
		uint64_t end;

		while (s->open_count && s->open[0]->range.end <= at)
			base_ranges_pop(s);
		if (!s->open_count) {
			if (next == count)
				break;
			at = s->entries[next].range.start;
		}
		while (next < count && s->entries[next].range.start <= at)
			base_ranges_push(s, &s->entries[next++]);
		top = &s->open[0]->range;
		end = top->end;
		if (next < count && s->entries[next].range.start < end)
			end = s->entries[next].range.start;
		if (base_ranges_emit(&s->pieces, at, end, top->of))
			return ERR_NOMEM;
		at = end;
	}
	return 0;
}

/* Most tables are sorted and disjoint already, and only this check is needed. */
static int is_settled(const struct ranges *r)
{
	for (size_t i = 1; i < r->count; i++)
		if (r->all[i].start < r->all[i - 1].end)
			return 0;
	return 1;
}

int ranges_settle(struct ranges *r)
{
	struct base_ranges_entry *entries;
	struct base_ranges_sweep s = { 0 };
	int rc = ERR_NOMEM;

	if (is_settled(r))
		return 0;
	entries = malloc(r->count * sizeof(*entries));
	s.open = malloc(r->count * sizeof(*s.open));
	if (entries && s.open) {
		for (size_t i = 0; i < r->count; i++)
			entries[i] = (struct base_ranges_entry){ r->all[i], i };
		qsort(entries, r->count, sizeof(*entries), base_ranges_by_start);
		s.entries = entries;
		rc = base_ranges_sweep(&s, r->count);
	}
	free(entries);
	free(s.open);
	if (rc) {
		ranges_release(&s.pieces);
		return rc;
	}
	free(r->all);
	*r = s.pieces;
	return 0;
}

const struct range *ranges_find(const struct ranges *r, uint64_t addr)
{
	size_t at = SORTED_UPTO(r->all, r->count, end, addr);

	return at < r->count && r->all[at].start <= addr ? &r->all[at] : NULL;
}
