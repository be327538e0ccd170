// links: pprof/select pprof/wire
/*
 * A byte that chooses an operation, two texts that end with a NUL, then pprof bytes: filters,
 * pruning, interpreted frames alone and labels as frames on any profile that decodes and is valid. The result must be
 * valid, pass through the encoder, and have no new samples.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/select/filter.h"
#include "pprof/select/interpreted.h"
#include "pprof/select/pattern.h"
#include "pprof/select/prune.h"
#include "pprof/select/tagmatch.h"
#include "pprof/select/tagroot.h"
#include "pprof/validate.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger inputs are skipped: their time is worth more on other inputs. */
enum { TEXT_WORTH = 200 };

static int names(struct profile *p, const struct pattern *one, const struct pattern *two, int how)
{
	struct filter_names f = { how & 1 ? one : NULL, how & 1 ? NULL : one, how & 2 ? two : NULL,
				  how & 2 ? NULL : two };
	struct filter_found found;

	return filter_names(p, &f, &found, NULL);
}

static int by_pattern(struct profile *p, const struct pattern *one, const struct pattern *two,
		      uint8_t how)
{
	struct filter_found found;
	bool matched;

	switch (how >> 2 & 3) {
	case 0:
		return names(p, one, two, how);
	case 1:
		return filter_show_from(p, one, &matched, NULL);
	case 2:
		return filter_labels(p, one, two, &found, NULL);
	default:
		return how & 1 ? prune(p, one, two, NULL) : prune_from(p, one, NULL);
	}
}

static void use_patterns(struct profile *p, const char *one, const char *two, uint8_t how)
{
	struct error err = { 0 };
	struct pattern *a, *b;
	int rc = pattern_new(&a, one, strlen(one), &err);

	must(!rc || (err.text[0] && !a));
	if (rc || pattern_new(&b, two, strlen(two), &err)) {
		pattern_free(a);
		return;
	}
	rc = by_pattern(p, a, b, how);
	must(!rc || rc == ERR_LIMIT);
	pattern_free(a);
	pattern_free(b);
}

static void use_tags(struct profile *p, const char *one, const char *two)
{
	struct tagmatch *a = NULL, *b = NULL;
	struct filter_found found;
	uint32_t *units = labels_units(p);

	if (!tagmatch_new(&a, one, NULL) && !tagmatch_new(&b, two, NULL))
		tagmatch_filter(p, units, a, b, &found, NULL);
	tagmatch_free(a);
	tagmatch_free(b);
	free(units);
}

static void operate(struct profile *p, const char *one, const char *two, uint8_t how)
{
	struct tagroot_found found;

	if (how < 0x80)
		use_patterns(p, one, two, how);
	else if (how < 0xc0)
		use_tags(p, one, two);
	else if (how < 0xd0)
		prune_uninteresting(p, NULL);
	else if (how < 0xe0)
		must(interpreted_only(p, NULL) == 0);
	else
		must(tagroot_add(p, one, two, NULL, &found, NULL) == 0);
}

static void check(const struct profile *p)
{
	struct buffer bytes = { 0 };
	struct profile q;

	must(profile_validate(p, NULL) == 0 && profile_encode(p, &bytes, NULL) == 0);
	must(profile_init(&q) == 0 && profile_decode(&q, bytes.data, bytes.len, NULL) == 0);
	must(q.sample_count == p->sample_count);
	profile_release(&q);
	buffer_release(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *first = size ? memchr(data + 1, 0, size - 1) : NULL;
	const uint8_t *second = first ? memchr(first + 1, 0, size - (size_t)(first + 1 - data)) :
					NULL;
	struct profile p;
	size_t samples;

	if (!second || second - data > TEXT_WORTH)
		return 0;
	must(profile_init(&p) == 0);
	if (!profile_decode(&p, second + 1, size - (size_t)(second + 1 - data), NULL) &&
	    !profile_validate(&p, NULL)) {
		samples = p.sample_count;
		operate(&p, (const char *)data + 1, (const char *)first + 1, *data);
		must(p.sample_count <= samples);
		check(&p);
	}
	profile_release(&p);
	return 0;
}
