// links: goparse/profile goparse/summary pprof/wire
/*
 * A dump is converted to a profile; the first byte chooses the options. Each goroutine must be in
 * it, with a frame, and the profile must pass through encoder and decoder unchanged. Then the
 * dump is compared with itself: no goroutine may have moved.
 */
#include <stddef.h>
#include <stdint.h>

#include "goparse/goparse.h"
#include "goparse/profile/waitprofile.h"
#include "goparse/summary/stuck.h"
#include "pprof/labels.h"
#include "pprof/validate.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum option { AGGREGATE = 1, ANCESTORS = 2, DUMP = 4 };

struct making {
	struct waitprofile *w;
	const char *dump;
};

static int add(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct making *m = ctx;

	return waitprofile_add(m->w, g, m->dump, err);
}

static void check_sample(const struct profile *p, const struct profile_sample *s)
{
	must(s->locations > 0);
	for (size_t i = 0; i < s->labels; i++)
		must(!label_is_empty(&p->labels[s->first_label + i]));
}

static void check_profile(const struct profile *p, const struct goparse_stats *stats)
{
	uint64_t goroutines = 0;

	must(profile_validate(p, NULL) == 0);
	for (size_t i = 0; i < p->sample_count; i++) {
		const int64_t *values = p->values + p->samples[i].first_value;

		check_sample(p, &p->samples[i]);
		must(values[0] >= 0);
		goroutines += p->type_count > 1 ? (uint64_t)values[1] : 1;
	}
	must(goroutines == stats->goroutines);
	round_trip(p);
}

static void make_profile(struct goparse *parser, uint8_t options, const uint8_t *text, size_t len)
{
	const struct waitprofile_options o = { .aggregate = options & AGGREGATE,
					       .ancestors = options & ANCESTORS };
	struct making m = { .dump = options & DUMP ? "dump" : NULL };

	must(waitprofile_new(&m.w, &o, NULL) == 0);
	must(goparse_memory(parser, text, len, add, &m, NULL) == 0);
	must(waitprofile_add_errors(m.w, goparse_stats(parser), m.dump, NULL) == 0);
	check_profile(waitprofile_profile(m.w), goparse_stats(parser));
	waitprofile_free(m.w);
}

static int stands_still(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	bool all;

	(void)err;
	must(stuck_add(ctx, g, &all, NULL) == 0);
	must(all || !g->stack.count);
	return 0;
}

static void compare(struct goparse *parser, const uint8_t *text, size_t len)
{
	struct stuck *s;

	must(stuck_new(&s, NULL) == 0);
	for (int i = 0; i < 3; i++) {
		stuck_next_dump(s);
		must(goparse_memory(parser, text, len, stands_still, s, NULL) == 0);
	}
	stuck_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct goparse *parser;

	if (!size)
		return 0;
	must(goparse_new(&parser, NULL) == 0);
	make_profile(parser, data[0], data + 1, size - 1);
	compare(parser, data + 1, size - 1);
	goparse_free(parser);
	return 0;
}
