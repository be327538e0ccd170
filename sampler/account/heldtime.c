/* Classes as in HdrHistogram: below 32 ns one for each nanosecond, then 32 for each doubling. */
#include "sampler/account/heldtime.h"

static unsigned heldtime_class_of(uint64_t ns)
{
	unsigned log2;

	if (ns < HELDTIME_STEPS)
		return (unsigned)ns;
	log2 = 63 - (unsigned)__builtin_clzll(ns);
	return (log2 - 4) * HELDTIME_STEPS + (unsigned)(ns >> (log2 - 5)) - HELDTIME_STEPS;
}

/* The largest duration in a class. */
static uint64_t upper_end(unsigned class)
{
	unsigned log2 = class / HELDTIME_STEPS + 4;

	if (class < HELDTIME_STEPS)
		return class;
	return (((uint64_t) class % HELDTIME_STEPS + HELDTIME_STEPS + 1) << (log2 - 5)) - 1;
}

void heldtime_add(struct heldtime *h, uint64_t ns)
{
	h->classes[heldtime_class_of(ns)]++;
	h->count++;
	h->sum += ns;
	if (ns > h->max)
		h->max = ns;
}

uint64_t heldtime_percentile(const struct heldtime *h, double percent)
{
	uint64_t rank = (uint64_t)((double)h->count * percent / 100.0 + 0.5), seen = 0;

	if (!rank)
		rank = 1;
	for (unsigned i = 0; i < HELDTIME_CLASSES; i++) {
		seen += h->classes[i];
		if (seen >= rank)
			return upper_end(i) < h->max ? upper_end(i) : h->max;
	}
	return h->max;
}
