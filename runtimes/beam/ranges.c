/*
 * Where modules are: the sorted list of address ranges that the emulator itself looks addresses up
 * in (erts/emulator/beam/beam_ranges.c).
 *
 * A list is never changed but for the end of a range that is purged; loading and unloading makes
 * another one, in one of three places, and then the_active_code_index says so. The index, the place
 * and the list are read, and the first two again.
 *
 * The list is read after the thread was released, and the stack may be older. So a module counts
 * only if the list before this one, read before the stack was, has it, too. What was loaded since
 * is not named until the next walk.
 */
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "runtimes/beam/runtime.h"
#include "base/sorted.h"

enum { INDICES = 3, PLACE_BYTES = 32 };

struct beam_ranges_head {
	uint32_t active;
	uint64_t modules, count;
};

void beam_ranges_release(struct beam_ranges *r)
{
	free(r->now);
	free(r->before);
	memset(r, 0, sizeof(*r));
}

void beam_ranges_begin(struct beam_runtime *rt)
{
	rt->ranges.read = false;
}

static bool beam_ranges_read_head(const struct beam_runtime *rt, struct beam_ranges_head *h)
{
	uint64_t place[2];

	if (rt->live->read(rt->live, rt->at.active, &h->active, sizeof(h->active)) ||
	    h->active >= INDICES ||
	    rt->live->read(rt->live, rt->at.ranges + h->active * PLACE_BYTES, place, sizeof(place)))
		return false;
	h->modules = place[0];
	h->count = place[1];
	return h->modules && h->count && h->count <= BEAM_RANGES_MAX;
}

static bool is_sorted(const struct beam_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ranges[i].start > ranges[i].end || (i && ranges[i].start < ranges[i - 1].end))
			return false;
	return true;
}

static void make_old(struct beam_ranges *r)
{
	struct beam_range *ranges = r->before;
	size_t room = r->room_before;

	r->before = r->now;
	r->count_before = r->count;
	r->room_before = r->room;
	r->now = ranges;
	r->room = room;
	r->count = 0;
}

bool beam_ranges_read(struct beam_runtime *rt)
{
	struct beam_ranges *r = &rt->ranges;
	struct beam_ranges_head h, again;

	if (r->read)
		return r->good;
	r->read = true;
	if (r->good)
		make_old(r);
	r->good = false;
	if (!beam_ranges_read_head(rt, &h) ||
	    room_for((void **)&r->now, &r->room, h.count, sizeof(*r->now)) ||
	    rt->live->read(rt->live, h.modules, r->now, h.count * sizeof(*r->now)) ||
	    !beam_ranges_read_head(rt, &again) || again.active != h.active ||
	    again.modules != h.modules || again.count != h.count || !is_sorted(r->now, h.count))
		return false;
	r->count = h.count;
	return r->good = true;
}

static const struct beam_range *beam_ranges_find(const struct beam_range *ranges, size_t count,
						 uint64_t addr)
{
	size_t i = sorted_last(ranges, count, sizeof(*ranges), addr);

	return i < count && addr < ranges[i].end ? &ranges[i] : NULL;
}

const struct beam_range *beam_range_find(struct beam_runtime *rt, uint64_t addr)
{
	struct beam_ranges *r = &rt->ranges;
	const struct beam_range *now, *before;

	if (!beam_ranges_read(rt))
		return NULL;
	now = beam_ranges_find(r->now, r->count, addr);
	before = now ? beam_ranges_find(r->before, r->count_before, addr) : NULL;
	return before && before->start == now->start && before->end == now->end ? now : NULL;
}

const struct beam_label *beam_shared_at(const struct beam_runtime *rt, uint64_t addr)
{
	size_t i = sorted_last(rt->labels, rt->label_count, sizeof(*rt->labels), addr);

	return i < rt->label_count && rt->labels[i].start == addr ? &rt->labels[i] : NULL;
}
