/* A hold is repeated, up to five times, until no goroutine was caught between two states and no
 * thread moved. What was read in a hold that was cut is kept, and the remark says so. */
#include "rounds/source/heldread.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "base/amount.h"
#include "base/error.h"
#include "runtimes/go/session/session.h"
#include "sampler/stop/hold.h"

enum { TRIES = 5, BETWEEN_NS = 2000000 };

struct exact {
	struct goprofile *g;
	const struct process *process;
	uint64_t bound_ns;
	heldread_profiles *read;
	void *ctx;
	bool was_held; /* at a successful read; `report` is of the last one */
	struct hold_report report;
};

/* Did the moment fall into a change of a goroutine: its stack was being moved, or it was between
 * two of its states? That happens even while all threads are stopped. */
static bool lacks_something(const struct goprofile *g)
{
	const struct goprofile_stats *s = goprofile_stats(g);

	return s->without_stack || s->left_out;
}

/* One hold. *good: another hold would not be better. */
static int hold_once(struct exact *e, bool *good, struct error *err)
{
	const struct go_held *threads;
	struct hold_report report;
	struct hold *hold;
	size_t count;
	int rc = hold_begin(&hold, e->process, e->bound_ns, err);

	*good = false;
	if (rc)
		return rc == ERR_LIMIT ? 0 : rc;
	threads = hold_threads(hold, &count);
	goprofile_hold(e->g, threads, count, hold_let_go(hold));
	rc = e->read(e->ctx, err);
	goprofile_hold(e->g, NULL, 0, NULL);
	hold_end(hold, &report);
	e->was_held = !rc; /* a failed read has discarded the results of the last one */
	if (rc)
		return rc == ERR_SHORT ? 0 : rc;
	e->report = report;
	*good = report.cut || (!report.moved && !lacks_something(e->g));
	return 0;
}

static void heldread_say(const struct exact *e, char *said, size_t room)
{
	const struct hold_report *r = &e->report;
	int len;

	if (!e->was_held) {
		snprintf(said, room,
			 "no thread was held: not all have stopped in time, or "
			 "one was always writing");
		return;
	}
	len = snprintf(said, room, "held %zu threads for %s", r->threads, shown_duration(r->ns));
	if (len < 0 || (size_t)len >= room)
		return;
	said += len;
	room -= (size_t)len;
	if (r->cut)
		snprintf(said, room,
			 ", no exact cut: they were let go after %s, before all was read",
			 shown_duration(e->bound_ns));
	else if (r->moved)
		snprintf(said, room, ", no exact cut: %zu that may not be stopped ran meanwhile",
			 r->moved);
	else if (lacks_something(e->g))
		snprintf(said, room, ", no exact cut: some goroutines were just changing");
}

int heldread_make(struct goprofile *g, const struct process *process, uint64_t bound_ns,
		  heldread_profiles *read, void *ctx, char *said, size_t room, struct error *err)
{
	static const struct timespec between = { 0, BETWEEN_NS };
	struct exact e = {
		.g = g, .process = process, .bound_ns = bound_ns, .read = read, .ctx = ctx
	};
	bool good = false;
	int rc = 0;

	for (int i = 0; !rc && !good && i < TRIES; i++) {
		if (i)
			nanosleep(&between, NULL);
		rc = hold_once(&e, &good, err);
	}
	if (!rc && !e.was_held)
		rc = read(ctx, err);
	if (!rc)
		heldread_say(&e, said, room);
	return rc;
}
