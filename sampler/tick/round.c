/*
 * The tick: looks at all threads (looking.c), has those stopped that are to be sampled (asking.c,
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
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "sampler/child/urgency.h"
#include "sampler/child/watchdog.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/member.h"
#include "sampler/tick/tracing.h"
#include "sampler/tick/walltime.h"
#include "sampler/unwind/unwinder.h"

enum {
	STACK_ROOM = (16 << 10) + 256, /* bytes of a slot at first */
	LAST_SERVE_NS = 100000000,     /* how long the end waits for requests that are out */
	PATIENCE_NS = 250000000,       /* after so long, a wanted intermission stops new requests */
};

int round_add_member(struct round *r, pid_t pid, struct member **m, struct error *err)
{
	int rc;

	if (r->member_count == r->member_room) {
		uint32_t room = r->member_room ? r->member_room * 2 : 4;
		struct member **more = realloc(r->members, room * sizeof(struct member *));

		if (!more)
			return error_nomem(err);
		r->members = more;
		r->member_room = room;
	}
	rc = member_open(m, pid, r->member_count ? r->members[0] : NULL, err);
	if (rc)
		return rc;
	(*m)->index = r->member_count;
	r->members[r->member_count++] = *m;
	return 0;
}

int round_init(struct round *r, const pid_t *pids, size_t count,
	       const struct recording_options *options, struct error *err)
{
	struct member *m;
	int rc = 0;

	memset(r, 0, sizeof(*r));
	r->stop_fd = r->child_status = -1;
	r->rate = options->rate;
	r->wall = options->wall;
	r->children = options->children;
	r->goid = options->goid;
	r->pause_share = options->pause_share;
	budget_init(&r->budget, options->max_cpu, r->rate);
	r->weight = BUDGET_ONE;
	r->runnable = UINT_MAX; /* not known yet: only threads that must be on a CPU are asked */
	r->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	r->runner_room = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	r->runners = calloc(r->runner_room, sizeof(*r->runners));
	pthread_mutex_init(&r->lock, NULL);
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->stop_fd < 0)
		return error_errno(err, ERR_IO, "cannot make an eventfd");
	if (getrandom(&r->random, sizeof(r->random), 0) < 0 || !r->random)
		r->random = monotonic_ns() | 1;
	for (size_t i = 0; !rc && i < count; i++)
		rc = round_add_member(r, pids[i], &m, err);
	if (rc)
		return rc;
	if (!r->runners || labelling_init(&r->labelling))
		return error_nomem(err);
	if (options->kernel && kernelstack_init(&r->kernel, r->members[0]->maps))
		return error_nomem(err);
	for (int i = 0; i < SLOTS; i++)
		if (snapshot_init(&r->slots[i].snapshot, STACK_ROOM))
			return error_nomem(err);
	return unwinder_new(&r->unwinder) ? error_nomem(err) : 0;
}

void round_release(struct round *r)
{
	for (int i = 0; i < SLOTS; i++) {
		snapshot_release(&r->slots[i].snapshot);
		buffer_release(&r->slots[i].kernel);
	}
	kernelstack_release(&r->kernel);
	labelling_release(&r->labelling);
	stack_release(&r->joined);
	stackset_release(&r->stacks);
	stack_release(&r->walk);
	stack_release(&r->deeper);
	ledger_release(&r->ledger);
	free(r->to_glance);
	free(r->runners);
	unwinder_free(r->unwinder);
	for (uint32_t i = 0; i < r->member_count; i++)
		member_close(r->members[i]);
	free(r->members);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	pthread_mutex_destroy(&r->lock);
}

/* Threads that are older than the round count from its start. */
static void begin_threads(const struct round *r, const struct member *m)
{
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);

	for (size_t i = 0; i < count; i++)
		threads[i].seen_ns = threads[i].wall_from = r->start_ns;
}

int round_start(struct round *r, uint64_t duration_ns, struct error *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->member_count; i++)
		rc = member_start(r->members[i], true, err);
	if (!rc && r->children && round_find_children(r))
		rc = error_nomem(err);
	if (rc)
		return rc;
	r->start_real_ns = clock_ns(CLOCK_REALTIME);
	r->start_ns = r->next_tick_ns = monotonic_ns();
	for (uint32_t i = 0; i < r->member_count; i++)
		begin_threads(r, r->members[i]);
	r->end_ns = duration_ns ? r->start_ns + duration_ns : 0;
	return 0;
}

uint64_t round_random(struct round *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random;
}

/* Sets the time of the next tick. Ticks that are over already, and those that the budget does not
 * allow, are left out. */
static void plan_tick(struct round *r, uint64_t now)
{
	uint64_t period = NS_PER_S / r->rate, apart = period * r->budget.stride;
	uint64_t due = (now - r->start_ns) / period;

	r->tick = r->tick + r->budget.stride > due ? r->tick + r->budget.stride : due;
	r->next_tick_ns = r->start_ns + r->tick * period + round_random(r) % (apart / 2) - apart / 4;
	r->weight = budget_weight(&r->budget);
}

/* Accounts what the tick has cost us and the target. */
static void settle(struct round *r)
{
	uint64_t repaired, undone, tracing_ns, cpu_ns, spent;

	tracing_figures(r->tracing, &repaired, &undone, &tracing_ns);
	cpu_ns = thread_cpu_ns() + tracing_ns;
	spent = cpu_ns - r->cpu_ns;
	r->cpu_ns = cpu_ns;
	pthread_mutex_lock(&r->lock);
	r->stats.ticks++;
	r->stats.withheld += r->budget.stride - 1;
	r->stats.parts += r->looked_part;
	if (r->displaced)
		heldtime_add(&r->stats.displaced, spent);
	pthread_mutex_unlock(&r->lock);
	r->displaced = false;
	budget_spend(&r->budget, monotonic_ns(), spent, r->contended);
}

static void publish(struct round *r, uint64_t now, bool last)
{
	struct recording_stats *s = &r->stats;
	size_t seen;

	pthread_mutex_lock(&r->lock);
	s->elapsed_ns = now - r->start_ns;
	s->ticks_due = s->elapsed_ns * r->rate / NS_PER_S + 1;
	s->stacks = r->stacks.count;
	s->processes = r->member_count;
	s->kernel_refused = r->kernel.refused;
	if (r->watchdog) /* NULL at the end */
		s->rescues = watchdog_rescues(r->watchdog);
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
	pthread_mutex_unlock(&r->lock);
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
		any |= r->slots[i].taken && !r->slots[i].asked;
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
	r->got_cpu_ns = own_got_cpu_ns(r->own_sched_fd);
	r->tick_cpu = sched_getcpu();
	r->tick_ns = monotonic_ns();
	rc = round_look(r);
	if (!rc)
		round_unwind_at_leisure(r);
	publish(r, monotonic_ns(), false);
	settle(r);
	set_urgency(URGENCY_PROMPT);
	if (rc == ERR_GONE)
		end_with(r, RECORDING_EXITED);
	else if (rc)
		end_with(r, RECORDING_LOST);
}

/* Waits for the tick, recording_stop, the target's end or a slot's return. (With several targets,
 * the end is found at the ticks.) */
static void wait_for_event(struct round *r, uint64_t until)
{
	bool alone = r->member_count == 1 && !r->children;
	int fds[TRACING_FDS] = { r->stop_fd, alone ? r->members[0]->process.pid_fd : -1 };
	int which = tracing_wait(r->tracing, until, fds, TRACING_FDS);

	if (which)
		end_with(r, which == 1 ? RECORDING_STOPPED : RECORDING_EXITED);
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
	return r->intermission_ns && !tracing_expected(r->tracing);
}

/* Threads that were asked and did not stop at once (they sleep in the kernel, or wait for a CPU)
 * may stop between ticks. */
static void wait_for_tick(struct round *r)
{
	uint64_t until = r->next_tick_ns;

	if (r->end_ns && until > r->end_ns)
		until = r->end_ns;
	while (r->end == RECORDING_RUNNING && !intermission(r) && monotonic_ns() < until) {
		if (!tracing_expected(r->tracing))
			watchdog_rests(r->watchdog, until);
		wait_for_event(r, until);
		round_collect(r);
		round_unwind_at_leisure(r);
	}
	if (round_is_over(r))
		end_with(r, RECORDING_TIME_UP);
}

bool round_is_over(const struct round *r)
{
	return r->end_ns && monotonic_ns() >= r->end_ns;
}

/* The tracing thread's exit releases each thread that has a slot out. */
static void stop_tracing(struct round *r)
{
	uint64_t repaired, undone, cpu_ns;

	tracing_end(r->tracing);
	tracing_figures(r->tracing, &repaired, &undone, &cpu_ns);
	pthread_mutex_lock(&r->lock);
	r->stats.repaired += repaired;
	r->stats.undone += undone;
	pthread_mutex_unlock(&r->lock);
	r->child_reaped |= tracing_reaped(r->tracing, r->members[0]->process.pid, &r->child_status);
	tracing_free(r->tracing);
	r->tracing = NULL;
}

void round_sample(struct round *r)
{
	prctl(PR_SET_TIMERSLACK, 1);
	set_urgency(URGENCY_PROMPT);
	r->cpu_ns = 0;
	r->own_sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	if (tracing_start(&r->tracing, r->watchdog, &r->error)) {
		end_with(r, RECORDING_LOST);
		return;
	}
	while (r->end == RECORDING_RUNNING && !watchdog_wants_stop(r->watchdog) &&
	       !intermission(r)) {
		wait_for_tick(r);
		if (r->end == RECORDING_RUNNING && monotonic_ns() >= r->next_tick_ns) {
			tick(r);
			plan_tick(r, monotonic_ns());
		}
	}
	round_collect_until(r, monotonic_ns() + LAST_SERVE_NS);
	if (round_unwind(r))
		end_with(r, RECORDING_LOST);
	stop_tracing(r);
	for (int i = 0; i < SLOTS; i++)
		r->slots[i].busy = r->slots[i].asked = false;
	if (r->own_sched_fd >= 0)
		close(r->own_sched_fd);
}

static void finish_member(struct round *r, struct member *m, uint64_t now)
{
	size_t count = 0;
	struct thread *threads = threads_get(m->threads, &count);

	for (size_t i = 0; i < count; i++) {
		thread_look(m->threads, &threads[i]);
		walltime_finish(r, &threads[i], now);
	}
}

void round_finish(struct round *r)
{
	uint64_t now = monotonic_ns();

	for (uint32_t i = 0; i < r->member_count; i++)
		finish_member(r, r->members[i], now);
	publish(r, now, true);
	ledger_guesses(&r->ledger, r->members[0]->maps, &r->stats.guesses);
	if (r->stats.ticks_due < r->stats.ticks)
		r->stats.ticks_due = r->stats.ticks;
}
