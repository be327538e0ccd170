// links: pprof/wire
/*
 * Two profiles in one input: the first byte chooses the operations, the next two the length of the
 * first profile. The result must pass through encoder and decoder, and merging it once more must
 * change nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "pprof/labels.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/scale.h"
#include "pprof/validate.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 3 };
enum action { COMMON = 1, SUBTRACT = 2, NORMALIZE = 4, LABEL = 8, REMOVE = 32 };

static bool decode(struct profile *p, const uint8_t *data, size_t size)
{
	must(profile_init(p) == 0);
	return profile_decode(p, data, size, NULL) == 0 && profile_validate(p, NULL) == 0;
}

static void encode(const struct profile *p, struct buffer *out)
{
	must(profile_encode(p, out, NULL) == 0);
}

/* Strings are numbered in the order in which they are met, which the first merge changes; after
 * that it stays. */
static void must_be_stable(struct profile *p)
{
	struct buffer one = { 0 }, two = { 0 };

	must(profile_compact(p, NULL) == 0);
	encode(p, &one);
	must(profile_compact(p, NULL) == 0);
	encode(p, &two);
	must(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
	buffer_release(&one);
	buffer_release(&two);
}

static void round_trip(const struct profile *p)
{
	struct buffer one = { 0 }, two = { 0 };
	struct profile q;

	encode(p, &one);
	must(decode(&q, one.data, one.len));
	encode(&q, &two);
	must(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
	must_be_stable(&q);
	must(p->sample_count == q.sample_count && p->location_count == q.location_count &&
	     p->function_count == q.function_count && p->mapping_count == q.mapping_count &&
	     p->label_count == q.label_count && p->stack_count == q.stack_count);
	profile_release(&q);
	buffer_release(&one);
	buffer_release(&two);
}

static void change(struct profile *a, struct profile *b, uint8_t actions)
{
	static const char *const values[] = { "true", "" };

	if (actions & NORMALIZE)
		profile_normalize(a, b, NULL);
	if (actions & LABEL)
		must(profile_set_label(b, "pprof::base", values, 2) == 0);
	if (actions & REMOVE)
		must(profile_remove_label(a, "k") == 0);
	if (actions & SUBTRACT)
		profile_scale(b, -1);
}

static void merge(struct profile *a, struct profile *b, uint8_t actions)
{
	struct profile sum;
	struct merge *m;
	int rc;

	change(a, b, actions);
	must(merge_new(&m, NULL) == 0);
	must(merge_add(m, a, NULL) == 0);
	rc = actions & COMMON ? merge_add_common(m, b, NULL) : merge_add(m, b, NULL);
	if (rc) {
		merge_free(m);
		return;
	}
	must(merge_finish(m, &sum, NULL) == 0);
	must(profile_validate(&sum, NULL) == 0);
	round_trip(&sum);
	profile_release(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile a, b;
	bool good;
	size_t len;

	if (size < HEAD)
		return 0;
	len = (size_t)data[1] << 8 | data[2];
	if (len > size - HEAD)
		len = size - HEAD;
	good = decode(&a, data + HEAD, len);
	good = decode(&b, data + HEAD + len, size - HEAD - len) && good;
	if (good)
		merge(&a, &b, data[0]);
	profile_release(&a);
	profile_release(&b);
	return 0;
}
