/* The counter of times on a CPU (slices) is the proof: it is read with the registers and again
 * behind the copy, and a sample counts only if both are equal. */
#include "sampler/capture/resting.h"

#include "base/clock.h"
#include "sampler/account/budget.h"
#include "sampler/capture/roster.h"
#include "sampler/capture/slots.h"
#include "sampler/stop/copier.h"
#include "sampler/stop/stop.h"
#include "sampler/atrest/atrest.h"
#include "sampler/thread/dispositions.h"

/* The first user is the round's thread. */
static unsigned resting_user(int cpu)
{
	return (unsigned)cpu + 1;
}

/* One that is about to end has no address space any more, or none soon. Workers of io_uring have
 * nothing in user space (PF_USER_WORKER, PF_IO_WORKER in include/linux/sched.h). */
enum { WITHOUT_USER = 0x4010 };

static void resting_note(struct sought *s, struct seat *seat)
{
	const struct atrest_thread *rest = &s->rest;

	s->seat = rest->flags & (THREAD_DYING | THREAD_DUMPS_CORE | WITHOUT_USER) ? NULL : seat;
	s->at_rest = true;
	s->state = rest->state;
	s->ran_ns = rest->counters.cpu_ns;
	s->waited_ns = rest->counters.wait_ns;
	s->slices = rest->counters.slices;
}

bool resting_search(const struct atrest *a, const struct roster *r, struct sought *s)
{
	pid_t tids[ATREST_MOST];
	int at;

	s->at_rest = false;
	if (!atrest_is_open(a) || !s->bound || r->seat_count > ATREST_MOST)
		return false;
	for (size_t i = 0; i < r->seat_count; i++)
		tids[i] = r->seats[i].tid;
	s->seat = NULL;
	s->proven = true;
	s->moved = 0;
	s->weight = 1;
	s->part = BUDGET_ONE;
	at = atrest_find_displaced(a, resting_user(s->cpu), tids, r->seat_count, &s->rest);
	if (at >= 0 && (size_t)at < r->seat_count)
		resting_note(s, &r->seats[at]);
	return true;
}

void resting_read(const struct atrest *a, struct sought *s)
{
	s->at_rest = false;
	if (atrest_is_open(a) && s->seat && s->proven &&
	    atrest_read(a, resting_user(s->cpu), s->seat->tid, &s->rest) &&
	    s->rest.counters.slices == s->slices)
		resting_note(s, s->seat);
}

/* By a copier, unless all that is read is known to be there. */
static enum stop_outcome resting_take(struct copiers *copiers, struct slot *slot)
{
	struct tracer_copy c = { slot_fill_at_rest, NULL, slot, slot->tid, slot->regs, false };
	bool itself = slot_comes_back(NULL, slot, &slot->regs);
	enum copy how = tracer_copy_by(itself ? NULL : copiers, slot->process, &c, 0);

	copiers_ready(copiers);
	return how == COPY_DONE ? STOP_TAKEN : how == COPY_STUCK ? STOP_STUCK : STOP_UNREAD;
}

static bool has_rested(const struct atrest *a, unsigned cpu, struct slot *slot)
{
	struct atrest_thread now;

	if (!atrest_read(a, resting_user((int)cpu), slot->tid, &now) ||
	    now.counters.slices != slot->slices_then)
		return false;
	slot->slices = now.counters.slices;
	slot->cpu_ns = now.counters.cpu_ns;
	return true;
}

void resting_copy(const struct atrest *a, unsigned cpu, struct copiers *copiers, struct slot *slot)
{
	uint64_t from = monotonic_ns(), to;

	slot->stop.outcome = resting_take(copiers, slot);
	if (slot->stop.outcome == STOP_TAKEN && !has_rested(a, cpu, slot))
		slot->stop.outcome = STOP_GONE;
	slot->taken = slot->glanced = slot->stop.outcome == STOP_TAKEN;
	to = monotonic_ns();
	slot->rest_ns = slot->taken ? to - from : 0; /* else it has run meanwhile */
	slot->search_ns = to - slot->woke_ns;
}
