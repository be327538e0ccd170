/*
 * Profiles that count stacks: goroutine, threadcreate and custom profiles (runtime/pprof/pprof.go,
 * printCountProfile and its callers).
 */
#include <string.h>

#include "base/error.h"
#include "pprof/profile.h"
#include "runtimes/go/numbers/custom.h"
#include "runtimes/go/profile/counts.h"
#include "runtimes/go/profile/kinds.h"
#include "runtimes/go/profile/type.h"
#include "runtimes/go/session/builder.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/labelled.h"

enum { CREATE_STACK_MAX = 32 }; /* m.createstack */

struct counting {
	struct goprofile *g;
	struct counts counts;
};

static int profile_counted_count(struct counting *c, const uint64_t *pcs, size_t depth,
				 uint32_t set, bool known, struct error *err)
{
	int rc = counts_add(&c->counts, pcs, depth, set, !known);

	if (rc)
		return error_set(err, rc,
				 rc == ERR_NOMEM ? "out of memory" :
						   "the program has more "
						   "different stacks than can be told");
	return 0;
}

static int count_goroutine(void *ctx, const struct go_goroutine *r, uint32_t set, struct error *err)
{
	uint64_t start = r->start_pc + 1; /* one more, like a return address in the function */

	if (r->has_stack)
		return profile_counted_count(ctx, r->pcs, r->pc_count, set, true, err);
	return profile_counted_count(ctx, &start, r->start_pc != 0, set, false, err);
}

static int count_stack(void *ctx, const uint64_t *pcs, size_t depth, struct error *err)
{
	struct counting *c = ctx;

	c->g->stats.reported++;
	return profile_counted_count(c, pcs, depth, 0, true, err);
}

/* Since 1.23 each stack has all 32 pcs, most of them 0 (threadCreateProfileInternal). */
static int count_thread(void *ctx, const uint64_t *pcs, size_t count, struct error *err)
{
	struct counting *c = ctx;
	uint64_t all[CREATE_STACK_MAX] = { 0 };

	if (c->g->minor < 23 || count >= CREATE_STACK_MAX)
		return count_stack(c, pcs, count, err);
	if (count)
		memcpy(all, pcs, count * sizeof(*pcs));
	return count_stack(c, all, CREATE_STACK_MAX, err);
}

static int profile_counted_count_all(struct counting *c, const struct goprofile_id *id,
				     struct error *err)
{
	const struct golive *live = c->g->live;
	int rc;

	if (id->type == GOPROFILE_GOROUTINE)
		rc = labelled_read(c->g, (struct labelled_wants){ 0 }, &c->counts.labels,
				   count_goroutine, c, err);
	else if (id->type == GOPROFILE_THREADCREATE)
		rc = gocustom_threads(live, count_thread, c, err);
	else
		rc = gocustom_stacks(live, id->name, count_stack, c, err);
	if (!rc)
		counts_sort(&c->counts);
	return rc;
}

static int profile_counted_add_types(struct profile *p, const char *name)
{
	if (profile_add_type(p, name, "count"))
		return ERR_NOMEM;
	p->period_type = p->types[0];
	p->period = 1;
	return 0;
}

static int count_make(struct goprofile *g, const struct goprofile_id *id, struct profile *p,
		      struct error *err)
{
	struct counting c = { .g = g };
	struct builder b = { 0 };
	int rc = profile_counted_count_all(&c, id, err);

	if (!rc)
		rc = goprofile_begin(g, &b, p, err);
	if (!rc && (profile_counted_add_types(p, id->name) || counts_build(&c.counts, &b)))
		rc = error_nomem(err);
	if (!rc)
		rc = goprofile_end(g, &b, err);
	builder_release(&b);
	counts_release(&c.counts);
	return rc;
}

static int count_text(struct goprofile *g, const struct goprofile_id *id, struct buffer *out,
		      struct error *err)
{
	struct counting c = { .g = g };
	int rc = profile_counted_count_all(&c, id, err);

	if (!rc && counts_text(&c.counts, id->name, &g->frames, out))
		rc = error_nomem(err);
	counts_release(&c.counts);
	return rc;
}

const struct goprofile_kind goprofile_count = { count_make, count_text };
