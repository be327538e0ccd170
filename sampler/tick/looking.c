/*
 * Looks at the threads of the round, by the round's thread.
 *
 * Samples of running threads come from the tickers (ticker.c). A look keeps the accounts: which
 * threads there are, how much CPU time each has had. With wall time it also finds the threads that
 * wait, which are read without being stopped (glance.c), once in each period of the rate.
 *
 * A thread that stays asleep is looked at less and less often, so that all looks together take at
 * most a fiftieth of a CPU however many threads there are.
 */

#include "base/clock.h"
#include "base/error.h"
#include "sampler/capture/exposure.h"
#include "runtimes/interps.h"
#include "sampler/member/labelling.h"
#include "sampler/member/member.h"
#include "sampler/thread/calls.h"
#include "sampler/thread/dispositions.h"
#include "sampler/tick/lineage.h"
#include "sampler/tick/news.h"
#include "sampler/tick/round.h"

static const uint64_t MOUNTS_NS = 5 * NS_PER_S; /* from one reading of the mounts to the next */

enum {
	LOOK_COST_NS = 200000, /* fifty times the cost of a look with cold caches */
	BACK_OFF_NS = 2000000000,
	ACCOUNT_NS = 100000000,	    /* from look to look, where they only keep accounts: */
	ACCOUNT_COST_FACTOR = 2000, /* in a 2000th of the time at most */
	REFRESH_COST_FACTOR = 200,
	COUNT_LOOKS = 16,  /* from one count of threads without a stack to the next */
	FIRST_GLANCES = 4, /* in a look, of threads without a stack, at least */
};

/* With very many threads, those that sleep at first get their first look at a random later time. */
static bool may_wait_for_first_look(struct round *r, struct thread *thread, uint64_t *due)
{
	struct plan *p = &r->plan;

	if (p->looks || thread->state == 'R' || p->back_off_looks == 1)
		return false;
	*due = backoff_first(&thread->backoff, p->back_off_looks, plan_random(p));
	return *due != 0;
}

static int looking_look_at(struct round *r, struct member *m, struct thread *thread, uint64_t *due)
{
	enum look look;

	if (may_wait_for_first_look(r, thread, due))
		return 0;
	look = thread_look(m->threads, thread);
	if (look != LOOK_ENDED)
		*due = backoff_next(&thread->backoff, r->plan.looks, look == LOOK_UNMOVED,
				    r->plan.back_off_looks, plan_random(&r->plan));
	if (look == LOOK_RUNNABLE)
		thread->newest.fresh = thread->newest.must_stop = false;
	if (look == LOOK_DYING)
		m->dumps_core |= (thread->flags & THREAD_DUMPS_CORE) != 0;
	if ((look == LOOK_UNMOVED || look == LOOK_OFF_CPU) && r->recorded.wall)
		return look_at_waiting(r, m, thread, look == LOOK_OFF_CPU);
	return 0;
}

static uint64_t count_without_stack(const struct recorded *r)
{
	uint64_t without = 0;

	for (uint32_t i = 0; i < r->member_count; i++) {
		size_t count;
		const struct thread *threads = threads_get(r->members[i]->threads, &count);

		for (size_t j = 0; j < count; j++)
			without += threads[j].newest.stack == NO_STACK && !threads[j].ended;
	}
	return without;
}

/* All looks at idle threads together take a fiftieth of a CPU at most. Threads that have no stack
 * yet get one within half of the time that is left. */
static void plan_looks(struct round *round)
{
	const struct recorded *r = &round->recorded;
	struct looks *l = &round->looks;
	struct plan *p = &round->plan;
	uint64_t cost = 0, left = 30ull * NS_PER_S;

	if (r->end_ns)
		left = r->end_ns > p->tick_ns ? r->end_ns - p->tick_ns : 0;
	for (uint32_t i = 0; i < r->member_count; i++)
		cost += threads_alive(r->members[i]->threads) * LOOK_COST_NS;
	p->back_off_looks = (cost < BACK_OFF_NS ? cost : BACK_OFF_NS) / p->apart_ns + 1;
	if (r->wall && p->looks % COUNT_LOOKS == 0)
		l->without_stack = count_without_stack(r);
	l->first_glances = FIRST_GLANCES + l->without_stack / (left / p->apart_ns / 2 + 1);
	l->glance_count = 0;
}

static void look_at_mounts(struct member *m, uint64_t now)
{
	if (now < m->mounts_due_ns)
		return;
	m->local_mounts = process_has_local_mounts(&m->process);
	m->mounts_due_ns = now + MOUNTS_NS;
}

/* Where interpreters keep what they know of each thread: the next sample of it may be its only
 * one. */
static int place_threads(struct round *r, struct member *m)
{
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);
	int rc = 0;

	if (m->ended || !interps_any(m->interps))
		return 0;
	roster_lock(&r->roster);
	for (size_t i = 0; !rc && i < count; i++)
		if (!threads[i].ended)
			rc = member_place(m, &threads[i]);
	roster_unlock(&r->roster);
	return rc;
}

static int place_all(struct round *r)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->recorded.living_count; i++)
		rc = place_threads(r, r->recorded.living[i]);
	return rc;
}

static int look_at_member(struct round *r, struct member *m)
{
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);
	uint64_t *due = threads_due(m->threads);
	int rc = 0;

	if (place_threads(r, m))
		return ERR_NOMEM;
	if (!m->by_events) { /* what a stop might do to it */
		exposure_look(m);
		look_at_mounts(m, r->plan.tick_ns);
	}
	for (size_t i = 0, at = r->plan.looks * 61 % (count + !count); !rc && i < count; i++) {
		if (due[at] <= r->plan.looks) {
			if (round_is_over(&r->recorded))
				break;
			rc = looking_look_at(r, m, &threads[at], &due[at]);
			round_collect(r);
		}
		at = at + 1 < count ? at + 1 : 0; /* each look begins with another thread */
	}
	return rc;
}

/* Tickers do not search while a list of threads changes. */
static int list_anew(struct round *r, struct member *m, bool *changed, struct error *err)
{
	int rc = threads_are_listed(m->threads, m->news.begun_ns, err);

	if (rc != ERR_BUSY)
		return rc;
	if (!*changed)
		roster_lock(&r->roster);
	*changed = true;
	return threads_list(m->threads, err);
}

static int refresh_member(struct round *r, struct member *m, bool *changed, struct error *err)
{
	bool ended = m->ended;
	int rc;

	if (news_list_holds(r, m))
		return 0;
	rc = ended ? ERR_GONE : list_anew(r, m, changed, err);

	if (rc && rc != ERR_GONE)
		return rc;
	/* The threads of an ended process stay listed until it has been waited for. */
	m->ended |= rc == ERR_GONE || !process_alive(&m->process);
	if (m->ended && !ended) {
		member_add_up_cpu(m);
		if (!*changed)
			roster_lock(&r->roster);
		*changed = true;
	}
	return 0;
}

/* Has one of them made a process, between the news that came at the tick's begin and its own
 * end? */
static bool has_heir(struct round *round)
{
	uint32_t before = round->recorded.living_count;

	if (round->recorded.children)
		lineage_collect(round);
	return round->recorded.living_count > before;
}

/* ERR_GONE when all processes have ended, or the one whose end is the round's. */
static int refresh_members(struct round *round, bool changed, struct error *err)
{
	struct recorded *r = &round->recorded;
	bool alive = false;
	int rc = 0;

	if (changed)
		roster_lock(&round->roster);

	for (uint32_t i = 0; !rc && i < r->living_count; i++) {
		rc = refresh_member(round, r->living[i], &changed, err);
		alive |= !r->living[i]->ended;
	}
	if (changed) {
		round->plan.changed_ns = round->plan.tick_ns;
		rc = rc ? rc : roster_list(&round->roster, r->living, r->living_count);
		roster_unlock(&round->roster);
		rc = rc ? rc : place_all(round);
	}
	if (rc)
		return rc == ERR_NOMEM ? error_nomem(err) : rc;
	if (r->members[0]->ended && recorded_ends_with_first(r))
		return ERR_GONE;
	return alive || has_heir(round) ? 0 : ERR_GONE;
}

static int ask_for_children(struct round *r)
{
	if (news_children_hold(r))
		return 0;
	r->children_asked_ns = monotonic_ns();
	return recorded_find_children(&r->recorded, news_tell_children(r));
}

static int find_children(struct round *r)
{
	int rc = ask_for_children(r);

	if (rc || r->recorded.member_count == r->listed)
		return rc;
	r->listed = r->recorded.member_count;
	sources_choose(r);
	roster_lock(&r->roster);
	rc = roster_list(&r->roster, r->recorded.living, r->recorded.living_count);
	roster_unlock(&r->roster);
	return rc ? rc : place_all(r);
}

/* Tickers do not read it themselves: they are not to wait for the process's memory. */
static void note_moments(const struct recorded *r)
{
	for (uint32_t i = 0; i < r->living_count; i++)
		if (!r->living[i]->ended && r->living[i]->labels_seen)
			r->living[i]->moment = labelling_moment(r->living[i]);
}

static int looking_look_at_all(struct round *round)
{
	struct recorded *r = &round->recorded;
	struct plan *p = &round->plan;
	uint64_t cost = thread_cpu_ns();
	int rc = 0;

	p->apart_ns = r->wall ? p->stride_ns : ACCOUNT_NS;
	plan_looks(round);
	for (uint32_t i = 0; !rc && i < r->member_count; i++) {
		struct member *m = r->members[(i + p->looks) % r->member_count];

		if (!m->ended && !m->dumps_core && !member_is_narrow(m))
			rc = look_at_member(round, m);
	}
	p->looks++;
	cost = (thread_cpu_ns() - cost) * ACCOUNT_COST_FACTOR;
	p->looks_due_ns = p->tick_ns + (r->wall ? 0 : cost > ACCOUNT_NS ? cost : ACCOUNT_NS);
	return rc ? rc : glance_all(round);
}

/* Where there are many processes, asking each whether its threads have changed takes a 200th of our
 * time at most. */
static int refresh_in_time(struct round *round)
{
	struct plan *p = &round->plan;
	bool changed = sources_choose(round);
	uint64_t cpu = thread_cpu_ns();
	int rc;

	if (p->tick_ns < p->refresh_due_ns && !changed)
		return 0;
	rc = refresh_members(round, changed, &round->error);
	p->refresh_due_ns = p->tick_ns + (thread_cpu_ns() - cpu) * REFRESH_COST_FACTOR;
	return rc;
}

int round_look(struct round *round)
{
	int rc = refresh_in_time(round);

	note_moments(&round->recorded);
	if (rc)
		return rc;
	if (round->recorded.children && find_children(round))
		return error_nomem(&round->error);
	if (round->plan.tick_ns >= round->plan.looks_due_ns)
		rc = looking_look_at_all(round);
	return rc == ERR_NOMEM ? error_nomem(&round->error) : rc;
}
