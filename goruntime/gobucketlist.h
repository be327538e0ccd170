/*
 * A list of the runtime's buckets, walked through foreign memory and believed bucket by
 * bucket: its hash, which covers all of its stack and its size, is computed again.
 *
 * Sources: runtime/mprof.go of Go 1.18 to 1.27 (bucket, memRecord, blockRecord, stkbucket).
 */
#ifndef GORUNTIME_GOBUCKETLIST_H
#define GORUNTIME_GOBUCKETLIST_H

#include <stddef.h>
#include <stdint.h>

#include "goruntime/gobuckets.h"

struct error;
struct golayout;
struct memory;

enum {
	GO_BUCKET_PCS = 1024,	/* maxProfStackDepth */
	GO_BUCKET_RECORD = 16,	/* words of the longest record */
	GO_BUCKETS_MAX = 1 << 22,
};

struct gobucketlist {
	const struct memory *memory;
	enum go_buckets which;
	const struct golayout *layout; /* of the release; not owned */
	uint64_t next;	     /* address of the next bucket; 0: the end */
	uint64_t mark;	     /* an earlier one; who comes to it again goes round in circles */
	uint64_t count, words; /* of buckets; of their stacks */
	/* The present one: */
	uint64_t at, size, pc_count;
	uint64_t body[GO_BUCKET_PCS + GO_BUCKET_RECORD];
	const uint64_t *record; /* behind the pcs, in body */
};

/* `head`: address of the first bucket, 0 for none. */
void gobucketlist_begin(struct gobucketlist *l, const struct memory *memory,
			const struct golayout *layout, enum go_buckets which, uint64_t head);

/* The next bucket: 1, or 0 at the end. ERR_FORMAT when it is none, or was there before;
 * ERR_LIMIT when there are more than GO_BUCKETS_MAX; ERR_IO when it cannot be read; ERR_NOMEM. */
int gobucketlist_next(struct gobucketlist *l, struct error *err);

/* Words of a record in that release: memRecord (active, future[3]) or blockRecord. */
size_t gobucketlist_record_words(const struct golayout *layout, enum go_buckets which);

#endif
