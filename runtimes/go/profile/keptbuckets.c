/* The pcs of all buckets lie in one array that moves as it grows, so buckets get their pointers
 * into it when they are sorted. Equal numbers keep the runtime's order. */
#include "runtimes/go/profile/keptbuckets.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

void keptbuckets_release(struct keptbuckets *k)
{
	free(k->buckets);
	free(k->first);
	free(k->pcs);
	*k = (struct keptbuckets){ 0 };
}

int keptbuckets_add(void *ctx, const struct go_bucket *b, struct error *err)
{
	struct keptbuckets *k = ctx;

	if (!b) {
		k->count = k->pc_count = 0;
		return 0;
	}
	if (room_for((void **)&k->buckets, &k->room, k->count + 1, sizeof(*k->buckets)) ||
	    room_for((void **)&k->first, &k->first_room, k->count + 1, sizeof(*k->first)) ||
	    room_for((void **)&k->pcs, &k->pc_room, k->pc_count + b->pc_count, sizeof(*k->pcs)))
		return error_nomem(err);
	k->buckets[k->count] = *b;
	k->first[k->count++] = k->pc_count;
	if (b->pc_count)
		memcpy(k->pcs + k->pc_count, b->pcs, b->pc_count * sizeof(*b->pcs));
	k->pc_count += b->pc_count;
	return 0;
}

struct keptbuckets_place {
	int64_t number;
	size_t index;
};

static int keptbuckets_by_number(const void *a, const void *b)
{
	const struct keptbuckets_place *x = a, *y = b;

	if (x->number != y->number)
		return (x->number > y->number) - (x->number < y->number);
	return (x->index > y->index) - (x->index < y->index);
}

int keptbuckets_sort(struct keptbuckets *k, int64_t (*of)(const struct go_bucket *b),
		     bool descending)
{
	struct go_bucket *sorted = calloc(k->count + 1, sizeof(*sorted));
	struct keptbuckets_place *places = calloc(k->count + 1, sizeof(*places));

	if (!sorted || !places) {
		free(sorted);
		free(places);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < k->count; i++) {
		int64_t number = of(&k->buckets[i]);

		k->buckets[i].pcs = k->pcs + k->first[i];
		places[i] = (struct keptbuckets_place){ descending ? ~number : number, i };
	}
	qsort(places, k->count, sizeof(*places), keptbuckets_by_number);
	for (size_t i = 0; i < k->count; i++)
		sorted[i] = k->buckets[places[i].index];
	free(places);
	free(k->buckets);
	k->buckets = sorted;
	return 0;
}
