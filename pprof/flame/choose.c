/* Shares are grouped into steps of 1/8 of a power of two. A histogram of the steps says how many
 * steps fit into FLAME_NODES nodes. A node's share is at most its parent's, and its step at least
 * its parent's, so the nodes that are kept form a tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/flame/flame.h"

enum { STEPS = 512, STEPS_PER_HALF = 8 };

/* 0: the node has all of the total. STEPS: it has nothing. */
static unsigned step_of(const struct flame *f, uint32_t node)
{
	const int64_t *mine = f->tree.total + node * f->tree.columns, *all = f->tree.total;
	double share = 0;

	for (size_t i = 0; i < f->tree.columns; i++)
		if (all[i] && (double)mine[i] / (double)all[i] > share)
			share = (double)mine[i] / (double)all[i];
	if (share <= 0)
		return STEPS;
	share = -log2(share) * STEPS_PER_HALF;
	return share < 0 ? 0 : share >= STEPS - 1 ? STEPS - 1 : (unsigned)share;
}

/* How many entries of a histogram, from its beginning, sum to at most `limit`. */
static size_t fitting(const size_t *histogram, size_t count, size_t limit)
{
	size_t sum = 0, i = 0;

	while (i < count && sum + histogram[i] <= limit)
		sum += histogram[i++];
	return i;
}

/* If step 0 alone has too many nodes, keeps the ones nearest to the root. */
static int choose_by_depth(struct flame *f, const uint16_t *steps)
{
	size_t depths = 0, *histogram;
	size_t kept;

	for (uint32_t i = 0; i < f->tree.count; i++)
		if (f->tree.nodes[i].depth >= depths)
			depths = f->tree.nodes[i].depth + 1;
	histogram = calloc(depths, sizeof(*histogram));
	if (!histogram)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < f->tree.count; i++)
		histogram[f->tree.nodes[i].depth] += steps[i] == 0;
	kept = fitting(histogram, depths, FLAME_NODES);
	for (uint32_t i = 0; i < f->tree.count; i++)
		f->kept[i] = steps[i] == 0 && f->tree.nodes[i].depth < kept;
	free(histogram);
	return 0;
}

int flame_choose(struct flame *f)
{
	uint16_t *steps = malloc(f->tree.count * sizeof(*steps));
	size_t histogram[STEPS] = { 0 }, kept;
	int rc = 0;

	f->kept = calloc(f->tree.count, sizeof(*f->kept));
	if (!steps || !f->kept) {
		free(steps);
		return ERR_NOMEM;
	}
	for (uint32_t i = 0; i < f->tree.count; i++) {
		steps[i] = (uint16_t)(i ? step_of(f, i) : 0);
		if (steps[i] < STEPS)
			histogram[steps[i]]++;
	}
	kept = fitting(histogram, STEPS, FLAME_NODES);
	for (uint32_t i = 0; i < f->tree.count; i++)
		f->kept[i] = steps[i] < kept;
	if (!kept)
		rc = choose_by_depth(f, steps);
	free(steps);
	for (uint32_t i = 0; i < f->tree.count; i++)
		f->kept_count += f->kept[i];
	return rc;
}
