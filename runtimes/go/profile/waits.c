/* Each goroutine that waits is looked up in `seen`. The longer of Go's wait and ours counts, unless
 * a look contradicts Go's; the stack comes from runtimes/go/session/traceback.h. */
#include "runtimes/go/profile/waits.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "goparse/profile/waitprofile.h"
#include "goparse/text.h"
#include "pprof/profile.h"
#include "runtimes/go/live.h"
#include "runtimes/go/nanotime.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/labelled.h"
#include "runtimes/go/session/seen.h"
#include "runtimes/go/session/traceback.h"
#include "runtimes/go/stacks/goroutines.h"

struct waits {
	struct seen *seen;
	struct waitprofile *profile; /* the last one made */
};

struct waits_looking {
	struct waits *waits;
	struct goprofile *g;
	struct traceback traceback;
	int64_t now;	   /* CLOCK_MONOTONIC at the beginning of the look, ns */
	int64_t their_now; /* the same in the process's time namespace; 0: not known */
	size_t goroutines;
};

int waits_new(struct waits **out)
{
	struct waits *w = calloc(1, sizeof(*w));

	if (!w || seen_new(&w->seen)) {
		free(w);
		return ERR_NOMEM;
	}
	*out = w;
	return 0;
}

void waits_free(struct waits *w)
{
	if (!w)
		return;
	seen_free(w->seen);
	waitprofile_free(w->profile);
	free(w);
}

int waits_save(const struct waits *w, struct buffer *out)
{
	return seen_save(w->seen, out);
}

int waits_load(struct waits *w, const void *data, size_t len, struct error *err)
{
	return seen_load(w->seen, data, len, err);
}

int waits_merge(struct waits *w, const void *data, size_t len, struct error *err)
{
	return seen_merge(w->seen, data, len, err);
}

/* As in goroutineheader; a leaked goroutine, which nothing can wake any more, waits, too. */
static bool is_waiting(const struct go_goroutine *r)
{
	return r->has_stack &&
	       (r->status == GO_WAITING || r->status == GO_SYSCALL || r->status == GO_LEAKED);
}

/* FNV-1a, because the hash is passed from process to process. The status "leaked" is left out: a
 * goroutine that is found to be leaked is still in the same wait. */
static uint32_t reason_of(const struct go_goroutine *r)
{
	uint32_t hash = 2166136261u ^ (r->status == GO_SYSCALL);

	for (const char *c = r->wait_reason; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	return hash;
}

static int find_wait(struct waits_looking *l, const struct go_goroutine *r,
		     struct goparse_goroutine *g)
{
	struct sighting now = {
		.goid = r->goid,
		.pc = r->pc,
		.stack_used = r->stack_used,
		.wait_since = r->wait_since,
		.reason = reason_of(r),
		.syscall = r->syscall_tick,
		.sequence = r->tracking_seq,
	};
	int64_t gc = -1, seen = 0;
	struct seen_wait wait;

	if (!is_waiting(r))
		return 0;
	if (seen_look(l->waits->seen, &now, &wait))
		return ERR_NOMEM;
	if (wait.since < l->now)
		seen = l->now - wait.since;
	if (r->wait_since > 0 && r->wait_since <= l->their_now)
		gc = l->their_now - r->wait_since;
	if (l->now - gc < wait.after) /* a later look saw that it did not wait yet */
		gc = -1;
	g->wait_ns = (uint64_t)(gc >= seen ? gc : seen);
	g->wait_from = gc >= seen ? (struct goparse_text){ LITERAL("gc") } :
				    (struct goparse_text){ LITERAL("seen") };
	return 0;
}

static int waits_look_at(void *ctx, const struct go_goroutine *r, uint32_t set, struct error *err)
{
	struct waits_looking *l = ctx;
	size_t max = l->g->options.max_goroutines;
	struct goparse_goroutine g;

	if (max && ++l->goroutines > max)
		return error_set(err, ERR_LIMIT, "the program has more than %zu goroutines", max);
	if (traceback_make(&l->traceback, r, set, &g) || find_wait(l, r, &g))
		return error_nomem(err);
	return waitprofile_add(l->waits->profile, &g, NULL, err);
}

/* Reads runtime.work.cycles, the GC cycles begun. False: not known. */
static bool gc_cycles(const struct golive *live, uint32_t *cycles)
{
	return live->places.gc_cycles &&
	       !live->memory->read(live->memory, live->places.gc_cycles, cycles, sizeof(*cycles));
}

static int waits_look(struct waits_looking *l, struct error *err)
{
	const struct labelled_wants wants = { .max_frames = TRACEBACK_FRAMES_MAX };
	struct goprofile *g = l->g;
	uint32_t cycles = 0;
	bool known = gc_cycles(g->live, &cycles);
	int rc;

	l->now = gonanotime(NULL);
	l->their_now = gonanotime(g->process);
	seen_begin(l->waits->seen, l->now, known, cycles);
	rc = labelled_read(g, wants, &l->traceback.sets, waits_look_at, l, err);
	if (rc)
		return rc;
	known = gc_cycles(g->live, &cycles);
	seen_end(l->waits->seen, gonanotime(NULL), known, cycles);
	return 0;
}

int waits_make(struct waits *w, struct goprofile *g, struct profile **p, struct error *err)
{
	struct waitprofile_options options = { .exact = true,
					       .time_nanos = (int64_t)clock_ns(CLOCK_REALTIME) };
	struct waits_looking l = { .waits = w, .g = g };
	int rc;

	g->remarks.len = 0;
	waitprofile_free(w->profile);
	w->profile = NULL;
	rc = waitprofile_new(&w->profile, &options, err);
	if (rc)
		return rc;
	traceback_init(&l.traceback, g);
	rc = waits_look(&l, err);
	traceback_release(&l.traceback);
	if (rc)
		return rc;
	*p = waitprofile_profile(w->profile);
	if (goprofile_remark(g, "wait_from gc: what Go has noted, it may have begun later, by up "
				"to the time between two collections; seen: it waits at least as "
				"long") ||
	    goprofile_add_comments(g, *p))
		return error_nomem(err);
	return 0;
}
