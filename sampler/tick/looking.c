/*
 * A tick's looks: they decide which threads get a sample.
 *
 *   ask     threads that are on a CPU are asked to stop (asking.c), and copied when they
 *           have stopped (tracing.c); some are spared (transfers.c, exposure.c)
 *   glance  with wall time, threads that wait in the kernel are read without being
 *           stopped (glance.c)
 *
 * A thread that stays asleep is looked at less and less often, so that all looks together take at
 * most a fiftieth of a CPU however many threads there are. A few dozen threads are looked at in
 * every tick.
 */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/thread/dispositions.h"
#include "sampler/tick/looking.h"
#include "sampler/member/member.h"
#include "sampler/tick/transfers.h"

enum {
	SAME_MOMENT_NS = 20000, /* the kernel may have updated our own exec_start since */
	LOOK_COST_NS = 200000,	/* fifty times the cost of a look with cold caches */
	BACK_OFF_NS = 2000000000,
	COUNT_TICKS = 16,  /* from one count of threads without a stack to the next */
	FIRST_GLANCES = 4, /* per tick, of threads without a stack, at least */
	CROWD = 8,	   /* runnable threads beyond the CPUs; any more are waiting */
};

/*
 * Was the thread on a CPU when the tick came? State R at the look does not prove it: a thread that
 * was woken or preempted and waits for a CPU is R too. Counting it would charge the end of every
 * wait with CPU time.
 *
 * A thread on our own CPU is not running now, because we are. If it was running at the tick, we
 * took the CPU from it: it left at the moment at which we came, and is still where it was at the
 * tick. (On a machine with all CPUs busy nearly every tick comes this way.) The kernel reports both
 * moments by the clock of the CPU's run queue. Where it does not, no thread on our CPU is counted.
 */
static bool we_came_at(const struct looks *l, uint64_t left)
{
	return left && left + SAME_MOMENT_NS >= l->got_cpu_ns;
}

static void put_forward(struct runner *c, struct member *m, const struct thread *thread,
			uint64_t since)
{
	c->member = m;
	c->thread = thread->index;
	c->since = since;
}

/*
 * There are more runnable threads than CPUs. Most of them wait for a CPU, and asking one of these
 * would cost it a stop that gives no CPU sample. On each CPU runs the thread that was put there
 * last. If several were put there since the last tick, the run queue's clock tells which one was
 * the last (expensive: the kernel writes fifty lines to answer). If none was, the same thread is
 * still there.
 */
static void compete(struct round *r, struct member *m, struct thread *thread)
{
	struct runner *c = &r->looks.runners[thread->cpu];
	uint64_t since;

	if (!thread->placed) {
		if (c->member == m && c->thread == thread->index)
			c->seen = true;
		else
			r->recorded.stats.waiting++;
		return;
	}
	c->seen = true;
	if (!c->placed++) {
		put_forward(c, m, thread, 0);
		return;
	}
	if (!c->since)
		c->since = thread_left_cpu_ns(c->member->threads,
					      member_thread(c->member, c->thread));
	since = thread_left_cpu_ns(m->threads, thread);
	if (since > c->since)
		put_forward(c, m, thread, since);
	r->recorded.stats.waiting++;
}

/* Asks the thread that is on a CPU; on our own CPU, the one that was there until we came. */
static void ask_runner(struct round *r, struct runner *c, bool ours)
{
	struct thread *thread = member_thread(c->member, c->thread);

	if (ours && !c->since)
		c->since = thread_left_cpu_ns(c->member->threads, thread);
	if (!ours || we_came_at(&r->looks, c->since))
		want_to_ask(r, c->member, thread, THREAD_RUNNING);
	else
		r->recorded.stats.waiting++;
}

static void ask_runners(struct round *r)
{
	for (size_t i = 0; i < r->looks.runner_room; i++) {
		struct runner *c = &r->looks.runners[i];

		if (c->seen)
			ask_runner(r, c, (int)i == r->looks.tick_cpu);
		c->seen = false;
		c->placed = 0;
		c->since = 0;
	}
}

/* A thread that has not moved since the last look was not on our CPU just now: our taking the CPU
 * from it would show in its counters. */
static void look_at_runnable(struct round *r, struct member *m, struct thread *thread)
{
	r->looks.runnable++;
	r->looks.displaced |= thread->cpu == r->looks.tick_cpu;
	if (r->looks.contended && thread->cpu >= 0 && (size_t)thread->cpu < r->looks.runner_room)
		compete(r, m, thread);
	else if (r->looks.runnable <= r->looks.cpus + CROWD &&
		 (thread->cpu != r->looks.tick_cpu ||
		  (thread->moved && we_came_at(&r->looks, thread_left_cpu_ns(m->threads, thread)))))
		want_to_ask(r, m, thread, THREAD_RUNNING);
	else
		r->recorded.stats.waiting++;
}

/* A sample also stands for what the budget leaves out. A tick that came too late is left out for all
 * threads alike, so looks are planned by the ticks that are made. */
static void set_weight(const struct round *r, struct thread *thread)
{
	uint64_t left_out = backoff_left_out(&thread->backoff, r->recorded.stats.ticks);

	thread->weight = r->plan.weight + left_out * r->plan.budget.stride * BUDGET_ONE;
}

/* With very many threads, those that sleep at first get their first look at a random later tick. */
static bool may_wait_for_first_look(struct round *r, struct thread *thread, uint64_t *due)
{
	struct plan *p = &r->plan;

	if (r->recorded.stats.ticks || thread->state == 'R' || p->back_off_ticks == 1)
		return false;
	*due = backoff_first(&thread->backoff, p->back_off_ticks, plan_random(p));
	return *due != 0;
}

/* In CPU mode a waiting thread matters only if it waits in a transfer. */
static int look_for_transfer(struct looks *l, const struct member *m, struct thread *thread,
			     bool moved)
{
	bool wanted = false;

	if (moved)
		transfers_look(m, thread, &wanted);
	return wanted ? want_glance(l, m, thread) : 0;
}

static int look_at(struct round *r, struct member *m, struct thread *thread, uint64_t *due)
{
	enum look look;

	if (may_wait_for_first_look(r, thread, due))
		return 0;
	set_weight(r, thread);
	look = thread_look(m->threads, thread);
	if (look != LOOK_ENDED)
		*due = backoff_next(&thread->backoff, r->recorded.stats.ticks, look == LOOK_UNMOVED,
				    r->plan.back_off_ticks, plan_random(&r->plan));
	if (look == LOOK_RUNNABLE) {
		thread->newest.fresh = thread->newest.must_stop = false;
		look_at_runnable(r, m, thread);
		return 0;
	}
	if (look == LOOK_DYING)
		m->dumps_core |= (thread->flags & THREAD_DUMPS_CORE) != 0;
	if (look == LOOK_ENDED || look == LOOK_DYING)
		return 0;
	if (!r->recorded.wall)
		return look_for_transfer(&r->looks, m, thread, look == LOOK_OFF_CPU);
	return look_at_waiting(r, m, thread, look == LOOK_OFF_CPU);
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
	uint64_t period = NS_PER_S / r->rate, cost = 0;
	uint64_t left = r->end_ns > p->tick_ns ? (r->end_ns - p->tick_ns) / period :
						 30ull * r->rate;

	left /= p->budget.stride;
	for (uint32_t i = 0; i < r->member_count; i++)
		cost += threads_alive(r->members[i]->threads) * LOOK_COST_NS;
	p->back_off_ticks = (cost < BACK_OFF_NS ? cost : BACK_OFF_NS) /
				    (period * p->budget.stride) +
			    1;
	if (r->wall && p->tick % COUNT_TICKS == 0)
		l->without_stack = count_without_stack(r);
	l->first_glances = FIRST_GLANCES + l->without_stack / (left / 2 + 1);
	l->asked = 0;
	l->contended = l->runnable > l->cpus * p->looked_part;
	p->looked_part = p->budget.part;
	l->runnable = 0;
	l->candidate_count = 0;
	l->glance_count = 0;
}

/* Chooses a random part of the threads where the budget does not allow a look at each. */
static bool is_chosen(struct plan *p)
{
	return p->looked_part >= 1 || (double)(plan_random(p) >> 11) < p->looked_part * 0x1p53;
}

static int look_at_member(struct round *r, struct member *m)
{
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);
	uint64_t *due = threads_due(m->threads);
	int rc = 0;

	for (size_t i = 0, at = r->plan.tick * 61 % (count + !count); !rc && i < count; i++) {
		if (due[at] <= r->recorded.stats.ticks && is_chosen(&r->plan)) {
			if (round_is_over(&r->recorded))
				break;
			if (!slots_free(&r->slots))
				rc = round_unwind(r);
			if (!rc)
				rc = look_at(r, m, &threads[at], &due[at]);
			ask_old_candidates(r);
			round_collect(r);
		}
		at = at + 1 < count ? at + 1 : 0; /* each tick begins with another thread */
	}
	return rc;
}

/* ERR_GONE when all processes have ended, or the one whose end is the round's. */
static int refresh_members(struct recorded *r, struct error *err)
{
	bool alive = false;

	for (uint32_t i = 0; i < r->member_count; i++) {
		struct member *m = r->members[i];
		int rc = m->ended ? ERR_GONE : threads_refresh(m->threads, err);

		if (rc && rc != ERR_GONE)
			return rc;
		/* The threads of an ended process stay listed until it has been waited for. */
		m->ended |= rc == ERR_GONE || !process_alive(&m->process);
		alive |= !m->ended;
	}
	return alive && !(r->ends_with_first && r->members[0]->ended) ? 0 : ERR_GONE;
}

int round_look(struct round *round)
{
	struct recorded *r = &round->recorded;
	int rc = refresh_members(r, &round->error);

	if (!rc && r->children && recorded_find_children(r))
		rc = error_nomem(&round->error);
	if (rc)
		return rc;
	plan_looks(round);
	for (uint32_t i = 0; !rc && i < r->member_count; i++) {
		struct member *m = r->members[(i + round->plan.tick) % r->member_count];

		if (!m->ended && !m->dumps_core)
			rc = look_at_member(round, m);
	}
	ask_runners(round);
	ask_candidates(round);
	if (round->no_memory || rc == ERR_NOMEM)
		return error_nomem(&round->error);
	return rc ? rc : glance_all(round);
}
