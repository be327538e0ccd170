/* Pieces lie one behind the other in one buffer and are searched from the last that was found. What
 * a capture has used of each becomes the plan of the next look, near ranges joined. */
#include "runtimes/common/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"

enum {
	NEAR = 1024,	   /* ranges so near to each other are read as one: the kernel takes longer
			    * to look up another range's pages than to copy this */
	LATEST = 8,	   /* ranges that may be near to a new one */
	BATCH = 256,	   /* pieces of one request of a capture */
	KNOWN_PROBES = 16, /* places at which a known code object may stand */
};

static int read_copied(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	struct interp_copy *c = (struct interp_copy *)m; /* part of one that is not const */
	const void *bytes;
	pid_t tid = c->tid;

	c->tid = 0;
	bytes = interp_copy_need(c, addr, len);
	c->tid = tid;
	if (!bytes)
		return ERR_IO;
	memcpy(buf, bytes, len);
	return 0;
}

void interp_copy_release(struct interp_copy *c)
{
	free(c->pieces);
	free(c->bytes);
	free(c->walk.frames);
	memset(c, 0, sizeof(*c));
}

static size_t copy_within(size_t want, size_t least, size_t most)
{
	return want < least ? least : want < most ? want : most;
}

static int reserve_frames(struct interp_copy *c, size_t room)
{
	struct interp_frame *frames;

	if (room <= c->walk.room)
		return 0;
	frames = malloc(room * sizeof(*frames));
	if (!frames)
		return ERR_NOMEM;
	memset(frames, 1, room * sizeof(*frames));
	free(c->walk.frames);
	c->walk.frames = frames;
	c->walk.room = room;
	return 0;
}

int interp_copy_reserve(struct interp_copy *c, const struct interp_plan *plan)
{
	size_t room = copy_within(plan->bytes + plan->bytes / 2, INTERP_BYTES_FIRST,
				  INTERP_BYTES_MAX);
	char *bytes;

	if (!c->pieces) {
		c->pieces = malloc(INTERP_PIECES * sizeof(*c->pieces));
		if (!c->pieces)
			return ERR_NOMEM;
		memset(c->pieces, 1, INTERP_PIECES * sizeof(*c->pieces));
	}
	if (room > c->room) {
		bytes = malloc(room);
		if (!bytes)
			return ERR_NOMEM;
		memset(bytes, 1, room);
		free(c->bytes);
		c->bytes = bytes;
		c->room = room;
	}
	return reserve_frames(
		c, copy_within(plan->frames * 2, INTERP_FRAMES_FIRST, INTERP_FRAMES_MAX));
}

/* Appends an empty piece. False: there is no room. */
static bool copy_add_piece(struct interp_copy *c, uint64_t addr, size_t len)
{
	size_t aligned = (len + 7) & ~(size_t)7;

	c->wanted += aligned;
	if (c->count == INTERP_PIECES || len > INTERP_BYTES_MAX || aligned > c->room - c->used)
		return false;
	c->pieces[c->count++] = (struct interp_piece){ .addr = addr,
						       .len = (uint32_t)len,
						       .at = (uint32_t)c->used };
	c->used += aligned;
	return true;
}

void interp_copy_begin(struct interp_copy *c, const struct interp_plan *plan)
{
	c->memory = (struct memory){ .read = read_copied };
	c->count = c->hit = c->used = c->wanted = 0;
	c->reads = 0;
	c->tid = 0;
	c->stack = NULL;
	c->walk = (struct interp_walk){ .frames = c->walk.frames, .room = c->walk.room };
	for (size_t i = 0; i < plan->count; i++)
		if (!copy_add_piece(c, plan->ranges[i].addr, plan->ranges[i].len))
			break;
	c->planned = c->count;
}

size_t interp_copy_pieces(const struct interp_copy *c, struct memory_piece *to)
{
	for (size_t i = 0; i < c->planned; i++)
		to[i] = (struct memory_piece){ c->pieces[i].addr, c->bytes + c->pieces[i].at,
					       c->pieces[i].len };
	return c->planned;
}

/* The kernel stops at the first page that is missing. The bytes in front of it are good. */
void interp_copy_filled(struct interp_copy *c, size_t got, pid_t tid, const struct memory *stack)
{
	size_t i = 0;

	while (i < c->count && got >= c->pieces[i].len)
		got -= c->pieces[i++].len;
	if (i < c->count)
		c->pieces[i++].len = (uint32_t)got;
	for (; i < c->count; i++)
		c->pieces[i].len = 0;
	c->tid = tid;
	c->stack = stack;
	c->stack_len = stack ? stack->len : 0;
}

void interp_copy_end(struct interp_copy *c)
{
	c->tid = 0;
}

static bool copy_holds(const struct interp_piece *p, uint64_t addr, size_t len)
{
	return addr - p->addr <= p->len && len <= p->len - (addr - p->addr);
}

static void note_need(struct interp_piece *p, uint64_t addr, size_t len)
{
	uint32_t end = (uint32_t)(addr - p->addr + len);

	p->needed = end > p->needed ? end : p->needed;
}

/* Frames come in the order of the last time, so the piece that is needed next is near. */
static const void *copy_find(struct interp_copy *c, uint64_t addr, size_t len)
{
	const struct memory *stack = c->stack;

	if (stack && addr - stack->start <= c->stack_len &&
	    len <= c->stack_len - (addr - stack->start))
		return stack->bytes + (addr - stack->start);
	for (size_t n = 0, i = c->hit; n < c->count; n++, i++) {
		struct interp_piece *p;

		i = i < c->count ? i : 0;
		p = &c->pieces[i];
		if (!copy_holds(p, addr, len))
			continue;
		c->hit = i;
		note_need(p, addr, len);
		return c->bytes + p->at + (addr - p->addr);
	}
	return NULL;
}

static bool may_read(const struct interp_copy *c)
{
	return c->tid && c->reads < (c->reads_max ? c->reads_max : INTERP_READS);
}

/* Reads the pieces from `first` on. A missing one keeps no bytes, and those behind it are read by
 * another call. */
static void copy_read_pieces(struct interp_copy *c, size_t first)
{
	while (first < c->count && may_read(c)) {
		struct memory_piece pieces[BATCH];
		size_t count = c->count - first < BATCH ? c->count - first : BATCH, got;

		for (size_t i = 0; i < count; i++)
			pieces[i] = (struct memory_piece){ c->pieces[first + i].addr,
							   c->bytes + c->pieces[first + i].at,
							   c->pieces[first + i].len };
		got = memory_live_gather(c->tid, pieces, count);
		c->reads++;
		for (; count && got >= c->pieces[first].len; count--)
			got -= c->pieces[first++].len;
		if (count)
			c->pieces[first++].len = 0;
	}
	for (; first < c->count; first++)
		c->pieces[first].len = 0;
}

const void *interp_copy_need(struct interp_copy *c, uint64_t addr, size_t len)
{
	const void *bytes = copy_find(c, addr, len);
	size_t first = c->count;

	if (bytes || !c->tid)
		return bytes;
	if (!may_read(c) || !copy_add_piece(c, addr, len)) {
		c->walk.cut = true;
		return NULL;
	}
	copy_read_pieces(c, first);
	c->hit = first;
	return copy_find(c, addr, len);
}

/* Adds a piece for what is missing. A duplicate is found, and adds none. */
static void copy_want(struct interp_copy *c, uint64_t addr, size_t len)
{
	if (len && !copy_find(c, addr, len) && !copy_add_piece(c, addr, len))
		c->walk.cut = true;
}

static void read_wanted(struct interp_copy *c, size_t first)
{
	for (size_t i = first; i < c->count; i++)
		c->pieces[i].needed = c->pieces[i].len;
	copy_read_pieces(c, first);
}

void interp_copy_need_all(struct interp_copy *c, const uint64_t *addrs, size_t count, size_t len)
{
	size_t first = c->count;

	if (!c->tid)
		return;
	for (size_t i = 0; i < count; i++)
		copy_want(c, addrs[i], len);
	read_wanted(c, first);
}

void interp_copy_need_ranges(struct interp_copy *c, const struct interp_range *ranges, size_t count)
{
	size_t first = c->count;

	if (!c->tid)
		return;
	for (size_t i = 0; i < count; i++)
		copy_want(c, ranges[i].addr, ranges[i].len);
	read_wanted(c, first);
}

static size_t copy_gather(const struct memory *m, struct memory_piece *pieces, size_t count)
{
	struct interp_copy *c = ((const struct interp_needing *)m)->copy;

	for (size_t first = 0, some; first < count; first += some) {
		struct interp_range ranges[BATCH];

		some = count - first < BATCH ? count - first : BATCH;
		for (size_t i = 0; i < some; i++)
			ranges[i] = (struct interp_range){ pieces[first + i].addr,
							   (uint32_t)pieces[first + i].len };
		interp_copy_need_ranges(c, ranges, some);
	}
	for (struct memory_piece *p = pieces; p < pieces + count; p++)
		if (p->len && c->memory.read(&c->memory, p->addr, p->to, p->len))
			p->len = 0;
	return 1;
}

struct interp_needing interp_copy_needing(struct interp_copy *c)
{
	return (struct interp_needing){ { .gather = copy_gather }, c };
}

bool interp_copy_word(struct interp_copy *c, uint64_t addr, uint64_t *value)
{
	const void *bytes = interp_copy_need(c, addr, sizeof(*value));

	if (bytes)
		memcpy(value, bytes, sizeof(*value));
	return bytes;
}

/* Known code objects. */

static size_t copy_place_of(uint64_t key, unsigned probe)
{
	return (size_t)((key >> 4) * 0x9e3779b97f4a7c15 >> 40) + probe;
}

static bool find_known(const struct interp_known *k, uint64_t key, size_t *at)
{
	for (unsigned i = 0; i < KNOWN_PROBES; i++) {
		*at = copy_place_of(key, i) % INTERP_KNOWN;
		if (atomic_load_explicit(&k->keys[*at], memory_order_relaxed) == key)
			return true;
	}
	return false;
}

bool interp_copy_is_new(const struct interp_copy *c, uint64_t key)
{
	size_t at;

	return !c->known || !find_known(c->known, key, &at);
}

/* Where all places are taken, the code object stays new, and is copied each time. */
void interp_known_add(struct interp_known *k, uint64_t key)
{
	size_t at;

	if (find_known(k, key, &at))
		return;
	for (unsigned i = 0; i < KNOWN_PROBES; i++) {
		at = copy_place_of(key, i) % INTERP_KNOWN;
		if (!atomic_load_explicit(&k->keys[at], memory_order_relaxed)) {
			atomic_store_explicit(&k->keys[at], key, memory_order_relaxed);
			return;
		}
	}
}

void interp_known_remove(struct interp_known *k, uint64_t key)
{
	size_t at;

	if (key && find_known(k, key, &at))
		atomic_store_explicit(&k->keys[at], 0, memory_order_relaxed);
}

/* Plans. */

/* The gap between two near ranges is shorter than a page, so all of it is in the pages of the
 * two. */
static bool copy_is_near(const struct interp_range *r, uint64_t begin, uint64_t end)
{
	return begin <= r->addr + r->len + NEAR && r->addr <= end + NEAR;
}

static void widen(struct interp_range *r, uint64_t begin, uint64_t end)
{
	uint64_t last = r->addr + r->len;

	r->addr = begin < r->addr ? begin : r->addr;
	r->len = (uint32_t)((end > last ? end : last) - r->addr);
}

/* Most of what is near was needed shortly before. */
static void copy_add_range(struct interp_plan *p, uint64_t begin, uint64_t end)
{
	for (size_t n = 1; n <= p->count && n <= LATEST; n++) {
		struct interp_range *r = &p->ranges[p->count - n];

		if (copy_is_near(r, begin, end)) {
			widen(r, begin, end);
			return;
		}
	}
	p->ranges[p->count++] = (struct interp_range){ begin, (uint32_t)(end - begin) };
}

int interp_plan_learn(struct interp_plan *p, const struct interp_copy *c)
{
	size_t bytes = 0;

	if (room_for((void **)&p->ranges, &p->room, INTERP_RANGES, sizeof(*p->ranges)))
		return ERR_NOMEM;
	p->count = 0;
	for (size_t i = 0; i < c->count && p->count < INTERP_RANGES; i++) {
		const struct interp_piece *piece = &c->pieces[i];

		if (piece->needed && piece->len)
			copy_add_range(p, piece->addr, piece->addr + piece->needed);
	}
	for (size_t i = 0; i < p->count; i++)
		bytes += p->ranges[i].len;
	p->bytes = bytes > c->wanted ? bytes : c->wanted;
	p->frames = c->walk.count == c->walk.room ? 2 * c->walk.room : c->walk.count;
	return 0;
}

void interp_plan_release(struct interp_plan *p)
{
	free(p->ranges);
	memset(p, 0, sizeof(*p));
}
