/* Shares fall by steps of 1/8 of a power of two; a histogram of the steps says how far
 * down one can go. A node's share is at most its parent's, and so is its step, so what is
 * kept is a tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/flame.h"

enum { STEPS = 512, STEPS_PER_HALF = 8 };

/* 0 for all of the total, STEPS for nothing. */
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

/* How many entries of a histogram, from its beginning, fit together. */
static size_t fitting(const size_t *histogram, size_t count, size_t limit)
{
	size_t sum = 0, i = 0;

	while (i < count && sum + histogram[i] <= limit)
		sum += histogram[i++];
	return i;
}

/* The nodes of step 0 alone are too many: the nearest to the root. */
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
