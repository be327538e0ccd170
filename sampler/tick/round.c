/*
 * The tick: looks at the threads (looking.c), requests to stop those that get a sample (asking.c,
 * tracing.c), and unwinds the stacks that have come back.
 *
 * A stack waits in its slot for its walk; the thread does not wait. The tracing thread copies and
 * releases threads at any time, also during a walk. A thread that was asked to stop while it waits
 * for a CPU stops when it gets one; its slot is taken back between two walks or between two ticks.
 *
 * Ticks are on a grid of 1/rate, each with a random offset of up to a quarter of a period, so that
 * the rate is exact and lockstep with the target is impossible.
 */
#include "sampler/tick/round.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "sampler/child/priority.h"
#include "sampler/child/watchdog.h"
#include "sampler/interp/interps.h"
#include "sampler/member/member.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/tracing.h"
#include "sampler/tick/waiting.h"
#include "sampler/tick/walltime.h"
#include "sampler/unwind/unwinder.h"

enum {
	LAST_SERVE_NS = 100000000, /* how long the end waits for requests that are out */
	PATIENCE_NS = 250000000,   /* after so long, a wanted intermission stops new requests */
};

int round_init(struct round *r, const pid_t *pids, size_t count,
	       const struct recording_options *options, struct error *err)
{
	struct plan *p = &r->plan;
	struct looks *l = &r->looks;
	int rc;

	memset(r, 0, sizeof(*r));
	r->child_status = -1;
	p->pause_share = options->pause_share;
	budget_init(&p->budget, options->max_cpu, options->rate);
	p->weight = BUDGET_ONE;
	l->runnable = UINT_MAX; /* not known yet: only threads that must be on a CPU are asked */
	l->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	l->runner_room = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	l->runners = calloc(l->runner_room, sizeof(*l->runners));
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->stop_fd < 0)
		return error_errno(err, ERR_IO, "cannot make an eventfd");
	if (getrandom(&p->random, sizeof(p->random), 0) < 0 || !p->random)
		p->random = monotonic_ns() | 1;
	rc = recorded_init(&r->recorded, pids, count, options, err);
	if (rc)
		return rc;
	if (!l->runners || slots_init(&r->slots) || unwinder_new(&r->walker.unwinder))
		return error_nomem(err);
	return 0;
}

void round_release(struct round *r)
{
	slots_release(&r->slots);
	recorded_release(&r->recorded);
	stack_release(&r->walker.walk);
	stack_release(&r->walker.deeper);
	stack_release(&r->walker.joined);
	stack_release(&r->walker.merged);
	unwinder_free(r->walker.unwinder);
	free(r->looks.to_glance);
	free(r->looks.runners);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
}

/* Threads that are older than the round count from its start. */
static void begin_threads(const struct member *m, uint64_t start_ns)
{
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);

	for (size_t i = 0; i < count; i++)
		threads[i].seen_ns = threads[i].wall.from = start_ns;
}

int round_start(struct round *round, uint64_t duration_ns, struct error *err)
{
	struct recorded *r = &round->recorded;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->member_count; i++)
		rc = member_start(r->members[i], true, err);
	if (!rc && ((r->children && recorded_find_children(r)) ||
		    members_settle(r->members, r->member_count)))
		rc = error_nomem(err);
	if (rc)
		return rc;
	r->start_real_ns = clock_ns(CLOCK_REALTIME);
	r->start_ns = round->plan.next_tick_ns = monotonic_ns();
	for (uint32_t i = 0; i < r->member_count; i++)
		begin_threads(r->members[i], r->start_ns);
	r->end_ns = duration_ns ? r->start_ns + duration_ns : 0;
	return 0;
}

uint64_t plan_random(struct plan *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return p->random;
}

/* Sets the time of the next tick. Ticks that are over already, and those that the budget does not
 * allow, are left out. */
static void plan_tick(struct plan *p, const struct recorded *r)
{
	uint64_t period = NS_PER_S / r->rate, apart = period * p->budget.stride;
	uint64_t due = (monotonic_ns() - r->start_ns) / period;

	p->tick = p->tick + p->budget.stride > due ? p->tick + p->budget.stride : due;
	p->next_tick_ns = r->start_ns + p->tick * period + plan_random(p) % (apart / 2) - apart / 4;
	p->weight = budget_weight(&p->budget);
}

/* Accounts what the tick has cost us and the target. */
static void settle(struct round *r)
{
	struct recording_stats *s = &r->recorded.stats;
	struct plan *p = &r->plan;
	uint64_t repaired, undone, tracing_ns, cpu_ns, spent;

	tracing_figures(r->slots.tracing, &repaired, &undone, &tracing_ns);
	cpu_ns = thread_cpu_ns() + tracing_ns;
	spent = cpu_ns - p->cpu_ns;
	p->cpu_ns = cpu_ns;
	s->ticks++;
	s->withheld += p->budget.stride - 1;
	s->parts += p->looked_part;
	if (r->looks.displaced)
		heldtime_add(&s->displaced, spent);
	r->looks.displaced = false;
	budget_spend(&p->budget, monotonic_ns(), spent, r->looks.contended);
}

/* `w` is NULL at the end, when the watchdog has ended. */
static void take_stock(struct recorded *r, const struct watchdog *w, uint64_t now, bool last)
{
	struct recording_stats *s = &r->stats;
	size_t seen;

	s->elapsed_ns = now - r->start_ns;
	s->ticks_due = s->elapsed_ns * r->rate / NS_PER_S + 1;
	s->stacks = r->stacks.count;
	s->processes = r->member_count;
	s->kernel_refused = r->kernel.refused;
	if (w)
		s->rescues = watchdog_rescues(w);
	s->threads_alive = s->threads_seen = s->target_cpu_ns = 0;
	for (uint32_t i = 0; i < r->member_count; i++) {
		struct member *m = r->members[i];

		if (!m->ended)
			member_read_cpu(m, last);
		threads_get(m->threads, &seen);
		s->threads_alive += threads_alive(m->threads);
		s->threads_seen += seen;
		s->target_cpu_ns += m->cpu_ns;
	}
}

static void end_with(struct round *r, enum recording_end end)
{
	if (r->end == RECORDING_RUNNING)
		r->end = end;
}

void round_unwind_at_leisure(struct round *r)
{
	bool any = false;

	for (int i = 0; i < SLOTS; i++)
		any |= slot_has_stack(&r->slots.at[i]);
	if (any && round_unwind(r))
		end_with(r, RECORDING_LOST);
}

static void tick(struct round *r)
{
	uint64_t wanted_ns = r->intermission_ns;
	int rc;

	/* There was no moment without a request: no thread is asked to stop until there is one. */
	if (wanted_ns && monotonic_ns() - wanted_ns > PATIENCE_NS)
		return;
	r->looks.got_cpu_ns = own_got_cpu_ns(r->looks.own_sched_fd);
	r->looks.tick_cpu = sched_getcpu();
	r->plan.tick_ns = monotonic_ns();
	rc = round_look(r);
	if (!rc)
		round_unwind_at_leisure(r);
	if (waiting_settle(&r->recorded, r->plan.tick_ns))
		end_with(r, RECORDING_LOST);
	take_stock(&r->recorded, r->watchdog, monotonic_ns(), false);
	settle(r);
	recorded_publish_stats(&r->recorded);
	set_priority(PRIORITY_PROMPT);
	if (rc == ERR_GONE)
		end_with(r, RECORDING_EXITED);
	else if (rc)
		end_with(r, RECORDING_LOST);
}

void round_want_intermission(struct round *r)
{
	if (!r->intermission_ns)
		r->intermission_ns = monotonic_ns();
}

/* May sampling pause now? The tracing thread's end releases threads that have a request out, and
 * none of these may be in a call that would need a repair. A thread that has not stopped within a
 * second is in no such call. */
static bool intermission(const struct round *r)
{
	return r->intermission_ns && !tracing_expected(r->slots.tracing);
}

/* Waits for the tick, recording_stop, the target's end or a slot's return: threads that were asked
 * and did not stop at once (they sleep in the kernel, or wait for a CPU) may stop between ticks.
 * (With several targets, the end is found at the ticks.) */
static void wait_for_tick(struct round *r)
{
	bool decides = r->recorded.member_count == 1 || r->recorded.ends_with_first;
	int fds[TRACING_FDS] = { r->stop_fd,
				 decides ? r->recorded.members[0]->process.pid_fd : -1 };
	uint64_t until = r->plan.next_tick_ns;
	int which;

	if (r->recorded.end_ns && until > r->recorded.end_ns)
		until = r->recorded.end_ns;
	while (r->end == RECORDING_RUNNING && !intermission(r) && monotonic_ns() < until) {
		if (!tracing_expected(r->slots.tracing))
			watchdog_rests(r->watchdog, until);
		which = tracing_wait(r->slots.tracing, until, fds, TRACING_FDS);
		if (which)
			end_with(r, which == 1 ? RECORDING_STOPPED : RECORDING_EXITED);
		round_collect(r);
		round_unwind_at_leisure(r);
	}
	if (round_is_over(&r->recorded))
		end_with(r, RECORDING_TIME_UP);
}

bool round_is_over(const struct recorded *r)
{
	return r->end_ns && monotonic_ns() >= r->end_ns;
}

/* The tracing thread's exit releases each thread that has a slot out. */
static void stop_tracing(struct round *r)
{
	uint64_t repaired, undone, cpu_ns;

	tracing_end(r->slots.tracing);
	tracing_figures(r->slots.tracing, &repaired, &undone, &cpu_ns);
	r->recorded.stats.repaired += repaired;
	r->recorded.stats.undone += undone;
	r->child_reaped |= tracing_reaped(r->slots.tracing, r->recorded.members[0]->process.pid,
					  &r->child_status);
	tracing_free(r->slots.tracing);
	r->slots.tracing = NULL;
}

void round_sample(struct round *r)
{
	prctl(PR_SET_TIMERSLACK, 1);
	set_priority(PRIORITY_PROMPT);
	r->plan.cpu_ns = 0;
	r->looks.own_sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	if (tracing_start(&r->slots.tracing, r->watchdog, &r->error)) {
		end_with(r, RECORDING_LOST);
		return;
	}
	while (r->end == RECORDING_RUNNING && !watchdog_wants_stop(r->watchdog) &&
	       !intermission(r)) {
		wait_for_tick(r);
		if (r->end == RECORDING_RUNNING && monotonic_ns() >= r->plan.next_tick_ns) {
			tick(r);
			plan_tick(&r->plan, &r->recorded);
		}
	}
	round_collect_until(r, monotonic_ns() + LAST_SERVE_NS);
	if (round_unwind(r))
		end_with(r, RECORDING_LOST);
	stop_tracing(r);
	for (int i = 0; i < SLOTS; i++)
		r->slots.at[i].busy = r->slots.at[i].asked = false;
	if (r->looks.own_sched_fd >= 0)
		close(r->looks.own_sched_fd);
}

static void finish_member(struct recorded *r, struct member *m, uint64_t now)
{
	size_t count = 0;
	struct thread *threads = threads_get(m->threads, &count);

	/* A process that executes a program has the new address space before it has the new name
	 * (begin_new_exec() in fs/exec.c), so a name that was read then may be the old one. */
	process_read_comm(&m->process);
	for (size_t i = 0; i < count; i++) {
		if (thread_look(m->threads, &threads[i]) != LOOK_ENDED)
			r->stats.threads_stopped += threads[i].state == 'T' ||
						    threads[i].state == 't';
		walltime_finish(r, &threads[i], now);
	}
}

static void note_remark(struct recorded *r)
{
	char *line = r->stats.interpreters;

	for (uint32_t i = 0; i < r->member_count && !*line; i++)
		interps_remark(r->members[i]->interps, line);
}

void round_finish(struct round *round)
{
	struct recorded *r = &round->recorded;
	struct recording_stats *s = &r->stats;
	uint64_t now = monotonic_ns();

	for (uint32_t i = 0; i < r->member_count; i++)
		finish_member(r, r->members[i], now);
	if (waiting_settle(r, round->plan.tick_ns))
		round->end = RECORDING_LOST;
	take_stock(r, round->watchdog, now, true);
	ledger_guesses(&r->ledger, r->members[0]->maps, &s->guesses);
	note_remark(r);
	if (s->ticks_due < s->ticks)
		s->ticks_due = s->ticks;
	s->end = round->end;
	recorded_publish_stats(r);
}
