/*
 * Assigns addresses to the mappings that hold them, by google/pprof's rules
 * (Profile.remapMappingIDs).
 *
 * An address belongs to the first mapping in the list that holds it. If no mapping does, the
 * first one that would hold the address after an extension downwards, by its file offset, is
 * extended and keeps its new start. Else the address belongs to a mapping of everything,
 * which is made when it is first needed.
 *
 * google/pprof tries all mappings for each address. A hostile file can have millions of
 * both, so here the ends of all ranges cut the address space into pieces, and two segment
 * trees over the pieces keep the least mapping number of each piece. Looking up an address
 * or adding a range takes O(log n). One tree has the mappings as they are, the other the
 * ranges below mappings with an offset. Nothing is ever removed from a tree: a mapping that
 * was extended is in the first tree wherever it is in the second, and the first is searched
 * first. This does not hold for mappings that end before they begin, which no kernel writes.
 * The few of this kind are kept in a list that is searched linearly.
 */

#include "pprof/legacy/build.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"

enum { NONE = UINT32_MAX, ODD_MAX = 256 };

struct cover {
	uint64_t *ends; /* sorted, each once; piece i is [ends[i], ends[i + 1]) */
	size_t count;
	uint32_t *holds, *below; /* trees of 2 * count: numbers of mappings, or NONE */
	uint32_t odd[ODD_MAX];	 /* mappings that end before they begin and may be extended */
	size_t odd_count;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool extends_below(const struct profile_mapping *m)
{
	return m->offset && m->offset <= m->start;
}

/* The last piece that begins at or below the address; the first begins at 0. */
static size_t piece_of(const struct cover *c, uint64_t address)
{
	size_t low = 0, high = c->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (c->ends[middle] <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void put_min(uint32_t *least, uint32_t number)
{
	if (number < *least)
		*least = number;
}

static void cover_add_range(const struct cover *c, uint32_t *tree, uint64_t start, uint64_t limit,
			    uint32_t number)
{
	size_t from, to;

	if (limit <= start)
		return;
	from = piece_of(c, start) + c->count;
	to = piece_of(c, limit) + c->count;
	for (; from < to; from /= 2, to /= 2) {
		if (from & 1)
			put_min(&tree[from++], number);
		if (to & 1)
			put_min(&tree[--to], number);
	}
}

static uint32_t first_at(const struct cover *c, const uint32_t *tree, uint64_t address)
{
	uint32_t least = NONE;

	for (size_t node = piece_of(c, address) + c->count; node; node /= 2)
		put_min(&least, tree[node]);
	return least;
}

static void sort_ends(struct cover *c, const struct legacy *l)
{
	size_t kept = 1, all = 0;

	c->ends[all++] = 0;
	for (size_t i = 0; i < l->mapping_count; i++) {
		const struct profile_mapping *m = &l->mappings[i];

		c->ends[all++] = m->start;
		c->ends[all++] = m->limit;
		c->ends[all++] = extends_below(m) ? m->start - m->offset : m->start;
	}
	qsort(c->ends, all, sizeof(*c->ends), by_value);
	for (size_t i = 1; i < all; i++)
		if (c->ends[i] != c->ends[kept - 1])
			c->ends[kept++] = c->ends[i];
	c->count = kept;
}

/* Adds the range below a mapping into which the mapping may be extended. */
static int add_below(struct cover *c, const struct legacy *l, uint32_t number)
{
	const struct profile_mapping *m = &l->mappings[number];

	if (!extends_below(m))
		return 0;
	if (m->limit >= m->start) {
		cover_add_range(c, c->below, m->start - m->offset, m->start, number);
		return 0;
	}
	if (c->odd_count == ODD_MAX)
		return error_set(l->err, ERR_FORMAT, "more than %d mappings end before they begin",
				 ODD_MAX);
	c->odd[c->odd_count++] = number;
	return 0;
}

static int cover_init(struct cover *c, const struct legacy *l)
{
	size_t most = 3 * l->mapping_count + 1;
	int rc = 0;

	*c = (struct cover){ .ends = malloc(most * sizeof(*c->ends)),
			     .holds = malloc(2 * most * sizeof(*c->holds)),
			     .below = malloc(2 * most * sizeof(*c->below)) };
	if (!c->ends || !c->holds || !c->below || l->mapping_count >= NONE - 1)
		return ERR_NOMEM;
	sort_ends(c, l);
	for (size_t i = 0; i < 2 * c->count; i++)
		c->holds[i] = c->below[i] = NONE;
	for (uint32_t i = 0; !rc && i < l->mapping_count; i++) {
		cover_add_range(c, c->holds, l->mappings[i].start, l->mappings[i].limit, i);
		rc = add_below(c, l, i);
	}
	return rc;
}

static void cover_release(struct cover *c)
{
	free(c->ends);
	free(c->holds);
	free(c->below);
}

static uint32_t first_below(const struct cover *c, const struct legacy *l, uint64_t address)
{
	uint32_t least = first_at(c, c->below, address);

	for (size_t i = 0; i < c->odd_count; i++) {
		const struct profile_mapping *m = &l->mappings[c->odd[i]];

		if (extends_below(m) && address < m->start && address >= m->start - m->offset)
			put_min(&least, c->odd[i]);
	}
	return least;
}

static void cover_extend(const struct cover *c, struct profile_mapping *m, uint32_t number)
{
	cover_add_range(c, c->holds, m->start - m->offset, m->limit, number);
	m->start -= m->offset;
	m->offset = 0;
}

static int add_everything(struct legacy *l)
{
	if (room_for((void **)&l->mappings, &l->mapping_room, l->mapping_count + 1,
		     sizeof(*l->mappings)))
		return ERR_NOMEM;
	l->mappings[l->mapping_count++] = (struct profile_mapping){ .limit = UINT64_MAX };
	return 0;
}

int legacy_cover(struct legacy *l, const uint64_t *addresses, size_t count, uint32_t *ids)
{
	size_t real = l->mapping_count;
	struct cover c;
	int rc = cover_init(&c, l);

	for (size_t i = 0; !rc && i < count; i++) {
		uint32_t number = addresses[i] ? first_at(&c, c.holds, addresses[i]) : NONE;

		/* Once the mapping of everything exists, no mapping is extended any more. */
		if (addresses[i] && number == NONE && l->mapping_count == real) {
			number = first_below(&c, l, addresses[i]);
			if (number != NONE)
				cover_extend(&c, &l->mappings[number], number);
			else
				rc = add_everything(l);
		}
		if (addresses[i])
			ids[i] = (number == NONE ? (uint32_t)real : number) + 1;
	}
	cover_release(&c);
	return rc;
}
