/* Buckets copied, because runtime/pprof tells them in another order than the runtime keeps them. */
#ifndef GOPROFILE_KEPTBUCKETS_H
#define GOPROFILE_KEPTBUCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "goruntime/gobuckets.h"

struct keptbuckets {
	struct go_bucket *buckets; /* their pcs are `pcs` + first[i] once they are sorted */
	size_t *first;
	uint64_t *pcs;
	size_t count, room, first_room, pc_count, pc_room;
};

/* {0} is empty. */
void keptbuckets_release(struct keptbuckets *k);

/* A gobuckets_callback; `ctx` is a keptbuckets. ERR_NOMEM. */
int keptbuckets_add(void *ctx, const struct go_bucket *b, struct error *err);

/* Sorts by a number that `of` tells, those that are alike in the order in which they came: Go's
 * sort leaves theirs open. Nothing can be added any more. ERR_NOMEM. */
int keptbuckets_sort(struct keptbuckets *k, int64_t (*of)(const struct go_bucket *b),
		     bool descending);

#endif
