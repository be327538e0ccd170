/* The anchor is compared with the range of stack pointers of each native frame, from the frame of
 * the run before on. Runs are then sorted by their frame and pushed in between. */
#include "runtimes/merge.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "unwind/stack.h"

/* Where a run stands that has no native frame and does not stand behind all of them. */
enum { ON_TOP = -1 };

void interp_runs_release(struct interp_runs *r)
{
	free(r->runs);
	memset(r, 0, sizeof(*r));
}

/* The native frame whose bytes hold the address, at `from` or further out. */
static long runtimes_merge_frame_of(const struct stack *native, long from, uint64_t address)
{
	size_t last = native->count - 1;

	if (!address)
		return ON_TOP;
	for (size_t i = from < 0 ? 0 : (size_t)from; i < last; i++)
		if (native->sps[i + 1] > native->sps[i] &&
		    address - native->sps[i] < native->sps[i + 1] - native->sps[i])
			return (long)i;
	if ((native->end == STACK_OUTERMOST && !native->made) || address < native->sps[last])
		return ON_TOP;
	return (long)native->count;
}

static bool same_run(const struct interp_shown *a, const struct interp_shown *b)
{
	return a->anchor == b->anchor && a->runtime == b->runtime;
}

static bool runtimes_merge_is_shown(const struct interp_run *run, const struct interp_shown *frames)
{
	for (size_t i = run->first; i < run->end; i++)
		if (frames[i].image)
			return true;
	return false;
}

/* A run that fits no native frame stands on top, and with it those of its runtime that lie further
 * in: a caller never stands above what it called. */
static void lift(struct interp_runs *r, const struct interp_shown *frames)
{
	const struct interp_shown *last = NULL;

	for (size_t i = r->count; i--;) {
		struct interp_run *run = &r->runs[i];
		const struct interp_shown *f = &frames[run->first];

		if (last && last->runtime == f->runtime)
			run->where = ON_TOP;
		else
			last = run->where == ON_TOP && runtimes_merge_is_shown(run, frames) ? f :
											      NULL;
	}
}

/* A chain leads outward, so each run is looked for from the native frame of the one before on. */
static int runtimes_merge_find_runs(struct interp_runs *r, const struct stack *native,
				    const struct interp_shown *frames, size_t count)
{
	long from = 0;

	r->count = 0;
	for (size_t i = 0; i < count; i = r->runs[r->count++].end) {
		struct interp_run *run;

		if (room_for((void **)&r->runs, &r->room, r->count + 1, sizeof(*r->runs)))
			return ERR_NOMEM;
		run = &r->runs[r->count];
		*run = (struct interp_run){ i, i + 1, ON_TOP };
		while (run->end < count && same_run(&frames[run->end], &frames[i]))
			run->end++;
		if (i && frames[i].runtime != frames[i - 1].runtime)
			from = 0;
		run->where = runtimes_merge_frame_of(native, from, frames[i].anchor);
		from = run->where > from ? run->where : from;
	}
	lift(r, frames);
	return 0;
}

/* Runs of several runtimes, and those that stand on top, come in another order. The sort is stable,
 * and takes no time where they are in order. */
static void sort_runs(struct interp_runs *r)
{
	for (size_t i = 1; i < r->count; i++) {
		struct interp_run run = r->runs[i];
		size_t at = i;

		for (; at && r->runs[at - 1].where > run.where; at--)
			r->runs[at] = r->runs[at - 1];
		r->runs[at] = run;
	}
}

void interp_merge_begin(struct stack *out, const struct stack *native)
{
	out->count = out->managed_count = 0;
	out->end = native->end;
	out->used = native->used;
	out->switched = native->switched;
	out->made = native->made;
	out->lacked = native->lacked;
}

int interp_merge_native(struct stack *out, const struct stack *native, size_t i)
{
	const struct frame *f = &native->frames[i];

	if (stack_push(out, f->image, f->addr, f->kind))
		return ERR_NOMEM;
	out->frames[out->count - 1].source = f->source;
	out->pcs[out->count - 1] = native->pcs[i];
	out->sps[out->count - 1] = native->sps[i];
	return 0;
}

struct runtimes_merge {
	const struct stack *native;
	const struct interp_shown *frames;
	const struct interp_run *run, *end; /* those that are not pushed yet */
	struct interp_counts *counts;
	struct stack *out;
};

static int runtimes_merge_push(struct runtimes_merge *m, const struct interp_shown *f,
			       uint32_t place)
{
	return stack_push(m->out, f->image, place, FRAME_PC);
}

static void runtimes_merge_count(struct interp_counts *counts, const struct runtimes_merge *m,
				 long where)
{
	counts->frames++;
	counts->behind += where == (long)m->native->count && !m->native->made;
	counts->on_top += where == ON_TOP;
}

/* Pushes the runs that stand at `where`; *last is the frame shown last, NULL: all are hidden. */
static int push_runs(struct runtimes_merge *m, long where, const struct interp_shown **last)
{
	bool seam = where == (long)m->native->count && !m->native->made;

	*last = NULL;
	for (; m->run < m->end && m->run->where == where; m->run++)
		for (size_t i = m->run->first; i < m->run->end; i++) {
			const struct interp_shown *f = &m->frames[i];

			if (!f->image)
				continue;
			if ((seam && !*last && runtimes_merge_push(m, f, f->seam)) ||
			    runtimes_merge_push(m, f, f->place) ||
			    (f->cut && runtimes_merge_push(m, f, f->cut)))
				return ERR_NOMEM;
			*last = f;
			runtimes_merge_count(&m->counts[f->language], m, where);
		}
	return 0;
}

static int push_all(struct runtimes_merge *m)
{
	const struct interp_shown *last;

	if (push_runs(m, ON_TOP, &last) || (last && runtimes_merge_push(m, last, last->seam)))
		return ERR_NOMEM;
	for (size_t i = 0; i < m->native->count; i++) {
		bool wraps = i && last && last->wrapped;

		if (push_runs(m, (long)i, &last) ||
		    (!last && !wraps && interp_merge_native(m->out, m->native, i)))
			return ERR_NOMEM;
	}
	return push_runs(m, (long)m->native->count, &last);
}

int interp_merge(struct interp_runs *r, const struct stack *native,
		 const struct interp_shown *frames, size_t count, struct interp_counts *counts,
		 struct stack *out)
{
	struct runtimes_merge m = {
		.native = native, .frames = frames, .counts = counts, .out = out
	};

	interp_merge_begin(out, native);
	if (runtimes_merge_find_runs(r, native, frames, count))
		return ERR_NOMEM;
	sort_runs(r);
	m.run = r->runs;
	m.end = r->runs + r->count;
	return push_all(&m);
}
