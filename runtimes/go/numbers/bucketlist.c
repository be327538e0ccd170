/* A bucket takes two reads: its header, then stack and record. A list that leads back into itself
 * is found by Brent's search, without a set of what was seen. */
#include "runtimes/go/numbers/bucketlist.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/go/find/layout.h"

enum {
	HEADER_WORDS = 6, /* next, allnext, typ, hash, size, nstk */
	SIZE_BITS = 47,	  /* of the address space; no object is larger */
};

/* Bound on the words of all stacks together: a million stacks of Go's default maximum depth. */
static const uint64_t WORDS_MAX = UINT64_C(128) << 20;

/* Since 1.27 memRecordCycle has no bytes: they are count times size. */
size_t gobucketlist_record_words(const struct golayout *layout, enum go_buckets which)
{
	return which == GO_HEAP ? 4 * layout->record_bytes / sizeof(uint64_t) : 2;
}

void gobucketlist_begin(struct gobucketlist *l, const struct memory *memory,
			const struct golayout *layout, enum go_buckets which, uint64_t head)
{
	l->memory = memory;
	l->which = which;
	l->layout = layout;
	l->next = head;
	l->mark = 0;
	l->count = l->words = 0;
}

/* The hash of a bucket (runtime/mprof.go, stkbucket). */
static uint64_t bucketlist_hash_of(const uint64_t *pcs, size_t count, uint64_t size)
{
	uint64_t h = 0;

	for (size_t i = 0; i <= count; i++) {
		h += i < count ? pcs[i] : size;
		h += h << 10;
		h ^= h >> 6;
	}
	h += h << 3;
	return h ^ h >> 11;
}

/* Why a bucket's header is not valid; NULL when it is. */
static const char *impossible(const struct gobucketlist *l, const uint64_t *header)
{
	/* 1.18 to 1.22: maxStack. Since 1.23: maxProfStackDepth. */
	uint64_t pcs_max = l->layout->minor < 23 ? 32 : GO_BUCKET_PCS;

	if (header[2] != (uint64_t)l->which)
		return "is of another kind";
	if (header[5] > pcs_max)
		return "has a stack that is too long";
	if (l->which == GO_HEAP ? header[4] - 1 >= UINT64_C(1) << SIZE_BITS : header[4] != 0)
		return "has a size that cannot be";
	return NULL;
}

static int bucketlist_refuse(const struct gobucketlist *l, const char *why, struct error *err)
{
	return error_set(err, ERR_FORMAT,
			 "the profile is not understood: bucket %" PRIu64 " at 0x%" PRIx64 " %s",
			 l->count, l->at, why);
}

/* Moves to the next bucket, with Brent's search for a cycle: the mark is moved after 1, 2, 4, ...
 * steps. */
static int bucketlist_step(struct gobucketlist *l, uint64_t next, struct error *err)
{
	l->count++;
	if (!(l->count & (l->count - 1)))
		l->mark = l->at;
	if (next && next == l->mark)
		return bucketlist_refuse(l, "leads back to one before it", err);
	if (l->count > GO_BUCKETS_MAX || l->words > WORDS_MAX)
		return error_set(err, ERR_LIMIT,
				 "the profile has more than %d stacks, or they are too long",
				 GO_BUCKETS_MAX);
	l->next = next;
	return 1;
}

int gobucketlist_next(struct gobucketlist *l, struct error *err)
{
	size_t record = gobucketlist_record_words(l->layout, l->which);
	uint64_t header[HEADER_WORDS];
	const char *why;
	int rc;

	l->at = l->next;
	if (!l->at)
		return 0;
	if (l->at % 8)
		return bucketlist_refuse(l, "is not aligned", err);
	rc = l->memory->read(l->memory, l->at, header, sizeof(header));
	if (rc)
		return rc == ERR_NOMEM ? rc : (bucketlist_refuse(l, "cannot be read", err), ERR_IO);
	why = impossible(l, header);
	if (why)
		return bucketlist_refuse(l, why, err);
	l->size = header[4];
	l->pc_count = header[5];
	l->words += l->pc_count;
	rc = l->memory->read(l->memory, l->at + sizeof(header), l->body,
			     (l->pc_count + record) * sizeof(*l->body));
	if (rc)
		return rc == ERR_NOMEM ? rc : (bucketlist_refuse(l, "cannot be read", err), ERR_IO);
	if (bucketlist_hash_of(l->body, l->pc_count, l->size) != header[3])
		return bucketlist_refuse(l, "has another hash than its stack", err);
	l->record = l->body + l->pc_count;
	return bucketlist_step(l, header[1], err);
}
