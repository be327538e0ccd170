/* A goprofile of the made-up program. Its maps are our own; its buckets come from an array. */
#ifndef TESTS_UNIT_GOPROFILE_MADE_UP_PROCESS_H
#define TESTS_UNIT_GOPROFILE_MADE_UP_PROCESS_H

#include <criterion/criterion.h>
#include <unistd.h>

#include "base/process/modmap.h"
#include "base/process/process.h"
#include "pprof/profile.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/counters.h"
#include "runtimes/go/profile/make.h"
#include "runtimes/go/profile/type.h"
#include "runtimes/go/session/inside.h"
#include "tests/unit/runtimes/go/profile/made_up.h"

static struct process self;
static struct golive live;
static struct goprofile g;

static const struct go_bucket *buckets;
static size_t bucket_count, void_count; /* reported, and then again after a NULL */
static int64_t rate;
static enum go_buckets told;
static struct gobuckets_stats bucket_stats;

int gobuckets_read(const struct golive *l, struct gocallers *callers, enum go_buckets which,
		   enum gobuckets_moment moment, gobuckets_callback *each, void *ctx,
		   struct gobuckets_stats *stats, struct error *err)
{
	int rc = 0;

	(void)l, (void)callers, (void)moment;
	told = which;
	for (size_t i = 0; i < void_count && !rc; i++)
		rc = each(ctx, &buckets[i], err);
	if (void_count && !rc)
		rc = each(ctx, NULL, err);
	for (size_t i = 0; i < bucket_count && !rc; i++)
		rc = each(ctx, &buckets[i], err);
	*stats = bucket_stats;
	return rc;
}

int gobuckets_rate(const struct golive *l, enum go_buckets which, int64_t *of, struct error *err)
{
	(void)l, (void)which, (void)err;
	*of = rate;
	return 0;
}

int gobuckets_frequency(const struct golive *l, double *measured, double *cycles, struct error *err)
{
	(void)l, (void)measured, (void)err;
	*cycles = 2e9;
	return 0;
}

/* Never called. Linking the real one would also link the real readers of buckets. */
int gogoroutines_read(const struct golive *l, struct gocallers *callers,
		      const struct gogoroutines_options *options, gogoroutines_callback *each,
		      void *ctx, struct gogoroutines_stats *stats, struct error *err)
{
	(void)l, (void)callers, (void)options, (void)each, (void)ctx, (void)stats;
	return error_set(err, ERR_NOTFOUND, "made up");
}

void gocounters_read(struct gocounters *c, const struct govars *v, const struct memory *memory,
		     struct gometric_value values[GOMETRIC_COUNT])
{
	(void)c, (void)v, (void)memory;
	memset(values, 0, GOMETRIC_COUNT * sizeof(*values));
	values[GOMETRIC_HEAP].number = 5000;
	values[GOMETRIC_HEAP_GOAL].number = 7000;
	values[GOMETRIC_ALLOC_OBJECTS].number = 90;
	values[GOMETRIC_FREE_OBJECTS].number = 20;
	values[GOMETRIC_GC_CYCLES].why_not = "made up";
}

void gocounters_release(struct gocounters *c)
{
	(void)c;
}

static void begin(unsigned minor, const struct go_bucket *all, size_t count)
{
	struct error err;

	cr_assert_eq(process_open(&self, getpid(), &err), 0);
	cr_assert_eq(modmap_new(&live.maps, &self), 0);
	strcpy(live.vars.version, "go1.made-up");
	memory_live_init(&live.live, getpid());
	live.memory = &live.live.memory;
	g = (struct goprofile){ .process = &self, .live = &live, .minor = minor };
	made_up_init(&g.frames, minor);
	buckets = all;
	bucket_count = count;
}

static void end(void)
{
	pcframes_release(&g.frames);
	buffer_release(&g.remarks);
	modmap_free(live.maps);
	process_close(&self);
	void_count = 0;
	bucket_stats = (struct gobuckets_stats){ 0 };
}

static inline void make(enum goprofile_type type, struct profile *p)
{
	struct error err = { 0 };

	cr_assert_eq(profile_init(p), 0);
	cr_assert_eq(goprofile_make(&g, &goprofile_ids[type], p, &err), 0, "%s", err.text);
}

/* The innermost function of a sample. */
static inline const char *leaf(const struct profile *p, size_t sample)
{
	const struct profile_location *l =
		&p->locations[p->stack[p->samples[sample].first_location] - 1];

	return strset_get(&p->strings, p->functions[p->lines[l->first_line].function - 1].name);
}

static inline const char *text_of(enum goprofile_type type)
{
	static char copy[4096];
	struct error err = { 0 };
	struct buffer out = { 0 };

	cr_assert_eq(goprofile_text(&g, &goprofile_ids[type], &out, &err), 0, "%s", err.text);
	cr_assert_lt(out.len, sizeof(copy));
	memcpy(copy, out.data, out.len);
	copy[out.len] = '\0';
	buffer_release(&out);
	return copy;
}

#define BEGINS(text, with) cr_assert_eq(strncmp(text, with, strlen(with)), 0, "%s", text)

#endif
