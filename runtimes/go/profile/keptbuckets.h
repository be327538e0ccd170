/* Copies of buckets, to be written in another order than that in which the runtime has them. */
#ifndef RUNTIMES_GO_PROFILE_KEPTBUCKETS_H
#define RUNTIMES_GO_PROFILE_KEPTBUCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "runtimes/go/numbers/buckets.h"

struct keptbuckets {
	struct go_bucket *buckets; /* after sorting, their pcs point into `pcs` */
	size_t *first;
	uint64_t *pcs;
	size_t count, room, first_room, pc_count, pc_room;
};

/* {0} is empty. */
void keptbuckets_release(struct keptbuckets *k);

/* Adds a bucket; a gobuckets_callback. `ctx` is a struct keptbuckets. ERR_NOMEM. */
int keptbuckets_add(void *ctx, const struct go_bucket *b, struct error *err);

/* Sorts by the number that `of` returns. Buckets with equal numbers keep their order, which Go's
 * sort leaves undefined. After that no bucket can be added. ERR_NOMEM. */
int keptbuckets_sort(struct keptbuckets *k, int64_t (*of)(const struct go_bucket *b),
		     bool descending);

#endif
