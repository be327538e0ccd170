/* A thread passes three questions: has it been held for long enough already, where in the kernel
 * was it, and would a stop cut its call short. Where the call cannot bear one, it is left alone. */
#include "sampler/capture/preparing.h"

#include "sampler/capture/exposure.h"
#include "sampler/capture/roster.h"
#include "sampler/capture/slots.h"
#include "sampler/capture/ticking.h"
#include "sampler/member/member.h"
#include "sampler/thread/preempted.h"
#include "sampler/thread/threads.h"

/* Of a deeper stack, bytes; before so much is copied, another CPU may take the thread over. */
enum { REST_MOST = 1 << 20 };

/* Held time that is allowed in addition to pause_share. */
static const double PAUSE_BURST_NS = 1e6, NEARLY = 0.5;

/* The part of the time for which the thread may be held that it has been held. */
static double held_part(double pause_share, const struct thread *thread, uint64_t now)
{
	double allowed = pause_share * (double)(int64_t)(now - thread->seen_ns);

	return (double)thread->stops.held_ns / (allowed + PAUSE_BURST_NS);
}

bool held_for_long(double pause_share, const struct thread *thread, uint64_t now)
{
	return held_part(pause_share, thread, now) > 1;
}

static bool is_to_be_left(const struct ticking *with, const struct sought *s, struct member *m,
			  const struct thread *thread, struct ticker_figures *figures)
{
	if (held_for_long(with->pace.pause_share, thread, s->due_ns)) {
		figures->over++;
		return true;
	}
	if (!s->at_rest && is_exposed(m, thread, s->due_ns)) {
		figures->exposed++;
		return true;
	}
	return false;
}

/* Where was the thread? Without the right to read its kernel stack, nothing is known before the
 * stop, and it is taken as one that bears it. (An empty text is that of a thread which another CPU
 * has taken over.) */
static struct preempted where_it_was(const struct ticking *with, const struct sought *s,
				     struct slot *slot)
{
	struct preempted now = { .place = PREEMPTED_BEARS, .number = -1 };
	char text[PREEMPTED_ROOM];
	ssize_t len = seat_read(with->roster, s->seat, SEAT_STACK, text, sizeof(text));

	if (len < 0)
		return now;
	slot->placed = true;
	now = preempted_parse(text, (size_t)len);
	slot->call_then = now.place == PREEMPTED_CALL_OVER ? CALL_OVER : now.number;
	return now;
}

/* Would a stop cut short the call that it is in? What is not understood is left alone. */
static bool is_delicate(const struct preempted *now, const struct member *m)
{
	return now->place != PREEMPTED_BEARS && now->place != PREEMPTED_IN_USER &&
	       now->place != PREEMPTED_CALL_OVER &&
	       !(now->bears == PREEMPTED_IF_MOUNTS && m->local_mounts);
}

/* A thread that was going to wait when the tick came may wait by now. Then it is where the tick met
 * it, and is read there as it is, unless it has been put on a CPU meanwhile. False: it does not
 * wait. */
static bool read_as_it_waits(struct ticking *with, const struct sought *s, struct slot *slot)
{
	struct schedstat now;
	char text[256];
	ssize_t len = seat_read(with->roster, s->seat, SEAT_SYSCALL, text, sizeof(text));

	if (len <= 0 || !call_parse(text, (size_t)len, &slot->call))
		return false;
	snapshot_glance(&slot->snapshot, slot->tid, &slot->call, slot->want, slot->stack_top);
	if (!seat_counters(with->roster, s->seat, &now) || now.slices != s->slices)
		return false;
	slot->slices = now.slices;
	slot->taken = slot->glanced = true;
	return true;
}

/* How is it to be read? False: not at all, since it ends. In user code it is runnable, which need
 * not be looked up. */
static bool preparing_decide(struct ticking *with, struct sought *s, const struct thread *thread,
			     struct slot *slot)
{
	bool spared = s->due_ns < thread->stops.spare_until_ns, delicate = true;
	struct preempted now;

	slot->at_rest = s->at_rest && !spared && slot->want <= REST_MOST;
	if (slot->at_rest) {
		slot->regs = s->rest.regs;
		return true;
	}
	if (!spared) {
		now = where_it_was(with, s, slot);
		if (now.place == PREEMPTED_IN_USER)
			return true;
		delicate = is_delicate(&now, s->seat->member);
	}
	if (!roster_state(with->roster, s))
		return false;
	if (s->state != 'R' && read_as_it_waits(with, s, slot))
		return true;
	/* What was read of its interpreter while it seemed to wait is void. */
	slot->left_alone = spared || delicate || s->state == 'D' ||
			   (s->state != 'R' &&
			    member_prepare_look(s->seat->member, thread, &slot->snapshot));
	return true;
}

/* A slot for the seat's thread, not decided yet. */
static struct slot *take_slot(struct ticking *with, const struct sought *s, struct thread *thread,
			      struct ticker_figures *figures)
{
	struct slot *slot = slots_take(with->slots);

	if (!slot || slot_prepare(slot, &with->wants, s->seat->member, thread, THREAD_RUNNING)) {
		if (slot)
			slot_set(slot, SLOT_FREE);
		figures->unserved++;
		return NULL;
	}
	slot->ticked = true;
	/* What the stop has cost is to be known before the next one. */
	slot->urgent |= held_part(with->pace.pause_share, thread, s->due_ns) > NEARLY;
	slot->remote = !s->proven;
	slot->yielded = thread->realtime;
	slot->schedstat_fd = s->seat->fds[SEAT_SCHEDSTAT];
	slot->slices_then = s->slices;
	slot->ran_ns = s->ran_ns;
	slot->waited_from_ns = s->waited_ns;
	return slot;
}

struct slot *prepare_sample(struct ticking *with, struct sought *s, struct ticker_figures *figures)
{
	struct member *m = s->seat->member;
	struct thread *thread = member_thread(m, s->seat->thread);
	struct slot *slot;

	if (m->dumps_core || member_is_narrow(m) || slots_pending(with->slots, thread->tid) ||
	    is_to_be_left(with, s, m, thread, figures))
		return NULL;
	slot = take_slot(with, s, thread, figures);
	if (slot && !preparing_decide(with, s, thread, slot)) {
		slot_set(slot, SLOT_FREE);
		return NULL;
	}
	return slot;
}
