/*
 * Walks a list of the runtime's buckets in the target's memory and checks each bucket: its hash,
 * which covers its whole stack and its size, is computed again.
 *
 * Sources: runtime/mprof.go of Go 1.18 to 1.27 (bucket, memRecord, blockRecord, stkbucket).
 */
#ifndef RUNTIMES_GO_NUMBERS_BUCKETLIST_H
#define RUNTIMES_GO_NUMBERS_BUCKETLIST_H

#include <stddef.h>
#include <stdint.h>

#include "runtimes/go/numbers/buckets.h"

struct error;
struct golayout;
struct memory;

enum {
	GO_BUCKET_PCS = 1024,  /* maxProfStackDepth */
	GO_BUCKET_RECORD = 16, /* words of the longest record */
	GO_BUCKETS_MAX = 1 << 22,
};

struct gobucketlist {
	const struct memory *memory;
	enum go_buckets which;
	const struct golayout *layout; /* of the target's release; not owned */
	uint64_t next;		       /* address of the next bucket; 0: the end */
	uint64_t mark;		       /* an earlier bucket; meeting it again shows a cycle */
	uint64_t count, words;	       /* number of buckets so far, and of words in their stacks */
	/* The current bucket: */
	uint64_t at, size, pc_count;
	uint64_t body[GO_BUCKET_PCS + GO_BUCKET_RECORD];
	const uint64_t *record; /* in body, behind the pcs */
};

/* Starts at the bucket at address `head`; 0: the list is empty. `memory` and `layout` are
 * borrowed. */
void gobucketlist_begin(struct gobucketlist *l, const struct memory *memory,
			const struct golayout *layout, enum go_buckets which, uint64_t head);

/* Reads the next bucket. Returns 1, or 0 at the end. ERR_FORMAT: it is not a valid bucket, or was
 * there before; ERR_LIMIT: more than GO_BUCKETS_MAX buckets, or too many words in their stacks;
 * ERR_IO: it cannot be read; ERR_NOMEM. */
int gobucketlist_next(struct gobucketlist *l, struct error *err);

/* The number of words of a record in the release: memRecord (active, future[3]) or blockRecord. */
size_t gobucketlist_record_words(const struct golayout *layout, enum go_buckets which);

#endif
