/* The interpreters' captures run one after the other into one list of frames, each with the number
 * of its runtime. */
#include "runtimes/common/look.h"

#include <string.h>

#include "base/error.h"

void interp_look_release(struct interp_look *l)
{
	interp_copy_release(&l->copy);
	memset(l, 0, sizeof(*l));
}

int interp_look_prepare(struct interp_look *l, const struct interp_set *set,
			const struct interp_place *place, pid_t own_tid)
{
	l->set = set;
	l->count = set ? set->count : 0;
	l->any = l->gil_held = l->gil_waits = false;
	l->task = l->gil = 0;
	l->own_tid = own_tid;
	l->tp = place->tp;
	l->copy.walk.count = 0;
	for (unsigned i = 0; i < l->count; i++) {
		l->states[i] = set->at[i].gone ? 0 : place->states[i];
		l->any |= l->states[i] != 0;
	}
	if (l->any && interp_copy_reserve(&l->copy, &place->plan))
		return ERR_NOMEM;
	if (l->any)
		interp_copy_begin(&l->copy, &place->plan);
	return 0;
}

size_t interp_look_pieces(const struct interp_look *l, struct memory_piece *pieces)
{
	return l->any ? interp_copy_pieces(&l->copy, pieces) : 0;
}

static void common_look_capture(struct interp_look *l, unsigned i, const struct regs *regs)
{
	const struct interp_runtime *r = &l->set->at[i];
	struct interp_walk *all = &l->copy.walk;
	struct interp_walk own = { .frames = all->frames + all->count,
				   .room = all->room - all->count };
	struct interp_thread thread = {
		.own_tid = l->own_tid, .state = l->states[i], .tp = l->tp, .regs = regs
	};

	l->copy.known = r->known;
	r->ops->capture(r->rt, &l->copy, &thread, &own);
	for (size_t k = 0; k < own.count; k++)
		own.frames[k].runtime = (uint8_t)i;
	all->count += own.count;
	all->cut |= own.cut;
	l->losses[i] = (struct interp_losses){ all->cut, own.broken, own.dropped };
	l->gil_held |= own.gil_held;
	l->gil_waits |= own.gil_waits;
	l->gil = own.gil ? own.gil : l->gil;
	if (own.state || own.lost)
		l->states[i] = own.state;
	if (own.task && !l->task) {
		l->task = own.task;
		l->task_of = i;
	}
}

void interp_look_finish(struct interp_look *l, size_t got, pid_t tid, uint64_t tp,
			const struct regs *regs, const struct memory *stack)
{
	l->tp = tp ? tp : l->tp;
	if (!l->any)
		return;
	interp_copy_filled(&l->copy, got, tid, stack);
	for (unsigned i = 0; i < l->count; i++)
		if (l->states[i])
			common_look_capture(l, i, regs);
	interp_copy_end(&l->copy);
}

void interp_look_alone(struct interp_look *l, pid_t tid, uint64_t tp, const struct regs *regs)
{
	struct memory_piece pieces[INTERP_RANGES];
	size_t count = interp_look_pieces(l, pieces);
	size_t got = count ? memory_live_gather(tid, pieces, count) : 0;

	interp_look_finish(l, got, tid, tp, regs, NULL);
}

int interp_place_learn(struct interp_place *place, const struct interp_look *l)
{
	place->tp = l->tp;
	if (!l->any)
		return 0;
	for (unsigned i = 0; i < l->count; i++)
		place->states[i] = l->states[i];
	return interp_plan_learn(&place->plan, &l->copy);
}

void interp_place_release(struct interp_place *place)
{
	interp_plan_release(&place->plan);
}
