/* A walk's frames fall into parts where stack pointers are more than APART bytes apart or in
 * another mapping. Each part but the first is a range; a range that many walks did not use is
 * dropped. */
#include "sampler/thread/stackplan.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/maps.h"
#include "base/room.h"
#include "unwind/stack.h"

enum {
	APART = 64 << 10, /* bytes; a signal's frame with all vector registers is smaller */
	SAVED = 256,	  /* registers that a frame has saved lie right below its end */
	MARGIN = 1024,	  /* and half of a range: the next walk may come from deeper */
	PAGE = 4096,	  /* the smallest page size */
	UNUSED_MOST = 64, /* walks */
};

void stackplan_release(struct stackplan *p)
{
	free(p->ranges);
	memset(p, 0, sizeof(*p));
}

/* Do two frames lie beside each other in one mapping? Two stacks may, too, a guard page between
 * them. */
static bool are_beside(uint64_t inner, uint64_t outer, const struct spans *spans)
{
	struct span span;

	if (outer - inner < PAGE || outer - inner >= APART || !spans)
		return outer - inner < APART;
	return !spans_find(spans, inner, &span) || outer <= span.end;
}

/* The first frame behind `first` that does not lie beside the one before it. */
static size_t end_of_part(const struct stack *walk, const struct spans *spans, size_t first)
{
	size_t i = first + 1;

	while (i < walk->count && are_beside(walk->sps[i - 1], walk->sps[i], spans))
		i++;
	return i;
}

bool stackplan_near(const struct stack *walk, const struct spans *spans, uint64_t *bytes)
{
	size_t end = end_of_part(walk, spans, 0);

	*bytes = end < walk->count ? walk->sps[end - 1] - walk->sps[0] : walk->used;
	return end < walk->count;
}

uint64_t stackplan_bytes(const struct stackplan_range *range, uint64_t mapping_start,
			 uint64_t mapping_end, size_t *len)
{
	uint64_t below = SAVED + MARGIN + (range->high - range->low) / 2;
	uint64_t start = range->low - mapping_start > below ? range->low - below : mapping_start;
	uint64_t end = mapping_end - range->high > SAVED ? range->high + SAVED : mapping_end;

	*len = (size_t)(end - start);
	return start;
}

/* No page lies between them, so no end of a mapping. */
static bool are_near(const struct stackplan_range *r, uint64_t low, uint64_t high)
{
	return low <= r->high + PAGE - 1 && r->low <= high + PAGE - 1;
}

static void stackplan_drop(struct stackplan *p, size_t i)
{
	p->ranges[i] = p->ranges[--p->count];
}

/* Which range has to leave: the one that was not used for the longest time. */
static size_t stackplan_oldest(const struct stackplan *p)
{
	size_t found = 0;

	for (size_t i = 1; i < p->count; i++)
		if (p->ranges[i].unused > p->ranges[found].unused)
			found = i;
	return found;
}

/* What is near to a range is added to it. */
static void stackplan_note(struct stackplan *p, uint64_t low, uint64_t high)
{
	for (size_t i = p->count; i--;) {
		const struct stackplan_range *r = &p->ranges[i];

		if (!are_near(r, low, high))
			continue;
		low = r->low < low ? r->low : low;
		high = r->high > high ? r->high : high;
		stackplan_drop(p, i);
	}
	if (p->count == STACKPLAN_RANGES)
		stackplan_drop(p, stackplan_oldest(p));
	if (!room_for((void **)&p->ranges, &p->room, p->count + 1, sizeof(*p->ranges)))
		p->ranges[p->count++] = (struct stackplan_range){ low, high, 0 };
}

void stackplan_learn(struct stackplan *p, const struct stack *walk, const struct spans *spans)
{
	size_t end = end_of_part(walk, spans, 0);

	for (size_t i = p->count; i--;)
		if (++p->ranges[i].unused > UNUSED_MOST)
			stackplan_drop(p, i);
	for (size_t i = end; i < walk->count; i = end) {
		end = end_of_part(walk, spans, i);
		stackplan_note(p, walk->sps[i], walk->sps[end - 1]);
	}
}
