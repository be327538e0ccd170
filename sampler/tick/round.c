/*
 * The round's own thread: it starts the tickers, collects the stacks that they have taken, unwinds
 * and counts them, keeps the lists of processes and threads, and paces the tickers by the CPU
 * budget.
 *
 * A stack waits in its slot for its walk; the thread does not wait. This thread comes a hundred
 * times a second, or less often where no thread comes or ends, or when many slots are full, or one
 * cannot wait. With wall time it comes once in each period of the rate, and reads the threads that
 * wait.
 */
#include "sampler/tick/round.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "sampler/capture/events.h"
#include "sampler/child/priority.h"
#include "sampler/child/watchdog.h"
#include "runtimes/interps.h"
#include "sampler/member/member.h"
#include "sampler/stop/reader.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/waiting.h"
#include "unwind/unwinder.h"

enum {
	LAST_SERVE_NS = 100000000, /* how long the end waits for requests that are out */
	OWN_TICK_NS = 10000000,	   /* of this thread, unless it reads threads that wait */
	/* Where for CALM_NS no thread has come or ended, and copies were long enough: walks in a
	 * row cost half as much each. */
	CALM_TICK_NS = 40000000,
	CALM_NS = 1000000000,
	BEGIN_NS = 200000000,	    /* in which the first walks tell how long copies must be */
	CALM_EVENTS_NS = 200000000, /* the same where there are only perf events, which wait */
	LAST_LOOK_NS = 1000000,
	SLOTS_LEAST = 64,
	SLOTS_OF_A_CPU = 4,
};

/* What this thread waits for. */
enum { EVENT_STOP, EVENT_END, EVENT_BACK, EVENT_SAMPLES, EVENTS };

static unsigned slots_wanted(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned wanted = cpus > 0 ? (unsigned)cpus * SLOTS_OF_A_CPU : 0;

	return wanted > SLOTS_LEAST ? wanted : SLOTS_LEAST;
}

int round_init(struct round *r, const pid_t *pids, size_t count,
	       const struct recording_options *options, struct error *err)
{
	struct plan *p = &r->plan;
	int rc;

	memset(r, 0, sizeof(*r));
	r->child_status = -1;
	budget_init(&p->budget, options->max_cpu, options->rate);
	r->ticking = (struct ticking){ .roster = &r->roster,
				       .slots = &r->slots,
				       .wants = { options->wall, options->goid },
				       .pace = { .period_ns = NS_PER_S / options->rate,
						 .stride = BUDGET_ONE,
						 .pause_share = options->pause_share } };
	p->stride_ns = r->ticking.pace.period_ns;
	r->ticking.back_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->stop_fd < 0 || r->ticking.back_fd < 0)
		return error_errno(err, ERR_IO, "cannot make an eventfd");
	if (getrandom(&p->random, sizeof(p->random), 0) < 0 || !p->random)
		p->random = monotonic_ns() | 1;
	rc = recorded_init(&r->recorded, pids, count, options, err);
	if (rc)
		return rc;
	if (roster_init(&r->roster) || slots_init(&r->slots, slots_wanted()) ||
	    unwinder_new(&r->walker.unwinder))
		return error_nomem(err);
	rc = reader_new(&r->reader, err);
	return rc ? rc : sources_open(r, options->engine, err);
}

void round_release(struct round *r)
{
	sources_close(r);
	pidset_release(&r->lineage.known);
	reader_free(r->reader);
	slots_release(&r->slots);
	roster_release(&r->roster);
	recorded_release(&r->recorded);
	stack_release(&r->walker.walk);
	stack_release(&r->walker.deeper);
	stack_release(&r->walker.joined);
	stack_release(&r->walker.merged);
	unwinder_free(r->walker.unwinder);
	free(r->looks.to_glance);
	descriptor_close(&r->stop_fd);
	if (r->ticking.back_fd > 0)
		close(r->ticking.back_fd);
}

/* One of several that ends before the first tick costs the others nothing, nor does one beyond the
 * first for which descriptors are lacking. */
static int start_member(struct recorded *r, struct member *m, struct error *err)
{
	int rc = recorded_start_member(r, m, true, err);

	if (rc == ERR_IO && m->index) {
		m->ended = true;
		return recorded_note_lacking(r, m->process.pid, err) ? error_nomem(err) : 0;
	}
	if (rc != ERR_GONE || r->command)
		return rc;
	m->ended = true;
	r->stats.gone++;
	return 0;
}

static int start_members(struct recorded *r, struct error *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->member_count; i++)
		rc = start_member(r, r->members[i], err);
	return !rc && r->stats.gone == r->member_count ? err->code : rc;
}

int round_start(struct round *round, uint64_t duration_ns, struct error *err)
{
	struct recorded *r = &round->recorded;
	int rc;

	reader_use(round->reader);
	rc = start_members(r, err);
	if (!rc && ((r->children && recorded_find_children(r, true)) ||
		    members_settle(r->members, r->member_count)))
		rc = error_nomem(err);
	reader_use(NULL);
	if (rc)
		return rc;
	round->events_lost = round->events ? events_lost(round->events) : 0;
	r->start_real_ns = clock_ns(CLOCK_REALTIME);
	r->start_ns = monotonic_ns();
	round->events_ns = round->ticking.pace.start_ns = r->start_ns;
	round->plan.next_tick_ns = r->start_ns;
	for (uint32_t i = 0; i < r->member_count; i++) {
		member_count_from(r->members[i], r->start_ns);
		r->members[i]->threads_first = threads_alive(r->members[i]->threads);
	}
	r->end_ns = duration_ns ? r->start_ns + duration_ns : 0;
	return 0;
}

uint64_t plan_random(struct plan *p)
{
	return roster_random(&p->random);
}

/* Children that live for some milliseconds are to be met. */
static uint64_t own_apart_ns(const struct round *round)
{
	const struct recorded *r = &round->recorded;
	const struct plan *p = &round->plan;
	uint64_t most = sources_apart_ns(round);
	bool calm = !r->children && p->tick_ns - p->changed_ns > CALM_NS &&
		    p->tick_ns - r->start_ns > BEGIN_NS;
	uint64_t calm_apart = sources_need_tickers(round) ? CALM_TICK_NS : CALM_EVENTS_NS,
		 apart = calm ? calm_apart : OWN_TICK_NS;

	if (r->wall || p->stride_ns > apart)
		apart = p->stride_ns;
	return apart < most ? apart : most;
}

/* With wall time on a grid, each moved by up to a quarter of the period. */
static void round_plan_tick(struct round *round)
{
	const struct recorded *r = &round->recorded;
	struct plan *p = &round->plan;
	uint64_t apart = own_apart_ns(round), now = monotonic_ns();

	p->next_tick_ns = now - (now - r->start_ns) % apart + apart +
			  (r->wall ? plan_random(p) % (apart / 2) - apart / 4 : 0);
	if (p->next_tick_ns <= now)
		p->next_tick_ns += apart;
}

/* What the tickers have counted so far. */
static void count_ticks(struct recording_stats *s, const struct ticker_figures *f)
{
	s->ticks = f->ticks;
	s->ticks_due = f->due;
	s->withheld = f->withheld;
	s->late_ticks = f->late;
	s->kept_out = f->kept_out;
	s->unserved = f->unserved;
	s->over = f->over;
	s->avoided = f->avoided;
	s->exposed = f->exposed;
	s->repaired = f->repaired;
	s->parts = (double)f->parts / BUDGET_ONE;
}

static void pace_roster(struct round *r)
{
	unsigned count = r->tickers.count ? r->tickers.count : 1;

	roster_pace(&r->roster, r->plan.stride_ns / count);
}

/* Accounts what sampling has cost, once a tick on each CPU was due, and paces tickers and
 * timers. */
static void round_settle(struct round *r)
{
	struct plan *p = &r->plan;
	struct pace *pace = &r->ticking.pace;
	uint64_t now = monotonic_ns(),
		 cpu_ns = thread_cpu_ns() + tickers_cpu_ns(&r->tickers) + reader_cpu_ns(r->reader);
	double made = (double)(now - p->settled_ns) / (double)pace->period_ns / p->budget.stride;

	if (made < 1 || cpu_ns < p->cpu_ns)
		return;
	budget_spend(&p->budget, now, cpu_ns - p->cpu_ns, made);
	r->recorded.stats.ticking_cpu_ns += cpu_ns - p->cpu_ns;
	p->cpu_ns = cpu_ns;
	p->settled_ns = now;
	pace->stride = (uint32_t)(p->budget.stride * BUDGET_ONE + 0.5);
	p->stride_ns = (uint64_t)((double)pace->period_ns * p->budget.stride);
	if (!r->recorded.counted)
		sources_pace(r, p->stride_ns);
	r->roster.part = (uint32_t)(p->budget.part * BUDGET_ONE + 0.5);
	pace_roster(r);
}

static void round_end_with(struct round *r, enum recording_end end)
{
	if (r->end == RECORDING_RUNNING)
		r->end = end;
}

void round_unwind_at_leisure(struct round *r)
{
	bool any = false;

	for (unsigned i = 0; i < r->slots.count; i++)
		any |= r->slots.marks[i].state == SLOT_FULL;
	if (any && round_unwind(r))
		round_end_with(r, RECORDING_LOST);
}

bool round_is_full(const struct round *r)
{
	unsigned free = 0;

	for (unsigned i = 0; i < r->slots.count; i++)
		free += r->slots.marks[i].state == SLOT_FREE && !r->slots.all[i].stuck;
	return free <= r->slots.count / 4;
}

/* Ordinary (sampler/starving.h), unless stacks cannot wait: code that a runtime has compiled may be
 * moved or unloaded, and rings may overflow. */
static void set_own_priority(const struct round *r)
{
	bool compiles = sources_hurry(r);

	for (uint32_t i = 0; i < r->recorded.living_count; i++)
		compiles |= interps_compile(r->recorded.living[i]->interps);
	set_priority(compiles ? PRIORITY_PROMPT : PRIORITY_ORDINARY);
}

/* Where the timers of the kernel serve all processes, there are none. */
static int keep_tickers(struct round *r)
{
	if (r->tickers.of)
		return tickers_keep(&r->tickers, &r->ticking, &r->error);
	if (!sources_need_tickers(r))
		return 0;
	sources_open_rest(r);
	return slots_touch(&r->slots) ? error_nomem(&r->error) :
					tickers_start(&r->tickers, &r->ticking, &r->error);
}

static void round_tick(struct round *r)
{
	int rc;

	set_own_priority(r);
	r->plan.tick_ns = monotonic_ns();
	sources_collect(r); /* before those that have ended are known as such */
	rc = round_look(r);
	if (!rc)
		rc = keep_tickers(r);
	round_collect(r);
	round_unwind_at_leisure(r);
	sources_judge(r);
	recorded_sweep(&r->recorded);
	if (waiting_settle(&r->recorded, r->plan.tick_ns))
		round_end_with(r, RECORDING_LOST);
	if (r->no_memory)
		rc = error_nomem(&r->error);
	count_ticks(&r->recorded.stats, &r->ticking.figures);
	if (r->plan.tick_ns >= r->plan.stock_due_ns)
		round_take_stock(r);
	if (r->recorded.counted)
		sources_pace(r, r->plan.stride_ns);
	round_settle(r);
	recorded_publish_stats(&r->recorded);
	if (rc == ERR_GONE)
		round_end_with(r, RECORDING_EXITED);
	else if (rc)
		round_end_with(r, RECORDING_LOST);
}

void round_want_intermission(struct round *r)
{
	if (!r->intermission_ns)
		r->intermission_ns = monotonic_ns();
}

/* May sampling pause now? A ticker's end releases threads that have a request out, and none of
 * these may be in a call that would need a repair. A thread that has not stopped within a second is
 * in no such call. */
static bool intermission(struct round *r)
{
	if (!r->intermission_ns)
		return false;
	r->ticking.pace.pause = true;
	return !tickers_expected(&r->tickers);
}

/* Which of the events has come: the number of its descriptor; -1: none until that time. */
static int wait_for_event(const int *fds, nfds_t count, uint64_t until)
{
	uint64_t now = monotonic_ns();
	struct timespec left = to_timespec(until > now ? until - now : 0);
	struct pollfd pf[EVENTS];

	for (nfds_t i = 0; i < count; i++)
		pf[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	if (ppoll(pf, count, &left, NULL) <= 0)
		return -1;
	for (nfds_t i = 0; i < count; i++)
		if (pf[i].revents)
			return (int)i;
	return -1;
}

static void round_collect_all(struct round *r)
{
	eventfd_t count;

	eventfd_read(r->ticking.back_fd, &count);
	if (keep_tickers(r))
		round_end_with(r, RECORDING_LOST);
	round_collect(r);
	round_unwind_at_leisure(r);
}

/* Of code that a runtime has compiled. */
static void name_samples(struct round *r)
{
	sources_collect(r);
	round_unwind_at_leisure(r);
}

/* Waits for the tick, recording_stop, the target's end or slots that come back. (With several
 * targets, or children of one, the end is found at the ticks.) */
static void wait_for_tick(struct round *r)
{
	bool alone = r->recorded.member_count == 1 && !r->recorded.children;
	bool decides = alone || recorded_ends_with_first(&r->recorded);
	int fds[EVENTS] = { r->stop_fd, decides ? r->recorded.members[0]->process.pid_fd : -1,
			    r->ticking.back_fd };
	uint64_t until = r->plan.next_tick_ns;

	if (r->recorded.end_ns && until > r->recorded.end_ns)
		until = r->recorded.end_ns;
	while (r->end == RECORDING_RUNNING && !intermission(r) && monotonic_ns() < until) {
		int event;

		fds[EVENT_SAMPLES] = sources_fd(r);
		event = wait_for_event(fds, EVENTS, until);

		if (event == EVENT_STOP || event == EVENT_END)
			round_end_with(r,
				       event == EVENT_STOP ? RECORDING_STOPPED : RECORDING_EXITED);
		if (event == EVENT_BACK)
			round_collect_all(r);
		if (event == EVENT_SAMPLES)
			name_samples(r);
	}
	if (round_is_over(&r->recorded))
		round_end_with(r, RECORDING_TIME_UP);
}

bool round_is_over(const struct recorded *r)
{
	return r->end_ns && monotonic_ns() >= r->end_ns;
}

/* Waits a moment for the requests that are out, and takes what has come. */
static void take_the_last(struct round *r)
{
	const int fds[] = { r->ticking.back_fd };
	uint64_t until = monotonic_ns() + LAST_SERVE_NS;

	r->ticking.pace.pause = true;
	while (tickers_expected(&r->tickers) && monotonic_ns() < until) {
		wait_for_event(fds, 1, monotonic_ns() + LAST_LOOK_NS);
		round_collect_all(r);
	}
}

/* A ticker's exit releases each thread that has a slot out. */
static void stop_tickers(struct round *r)
{
	pid_t first = r->recorded.members[0]->process.pid;

	r->ticking.pace.quit = true;
	for (unsigned i = 0; i < r->tickers.cpus; i++)
		if (r->tickers.of[i])
			r->child_reaped |= ticker_reaped(r->tickers.of[i], first, &r->child_status);
	tickers_end(&r->tickers, &r->ticking);
	round_collect(r);
	sources_collect(r);
	if (round_unwind(r))
		round_end_with(r, RECORDING_LOST);
	for (unsigned i = 0; i < r->slots.count; i++)
		slot_set(&r->slots.all[i], SLOT_FREE);
	r->ticking.back = 0;
	count_ticks(&r->recorded.stats, &r->ticking.figures);
	if (r->end != RECORDING_RUNNING)
		sources_close(r); /* what follows takes long, and other samplers need the memory */
}

void round_sample(struct round *r)
{
	int rc;

	reader_use(r->reader);
	prctl(PR_SET_TIMERSLACK, 1);
	set_priority(PRIORITY_PROMPT);
	r->plan.cpu_ns = 0;
	r->ticking.watchdog = r->watchdog;
	r->plan.settled_ns = monotonic_ns();
	r->tickers.cpu_ns = 0;
	sources_choose(r);
	pace_roster(r);
	roster_lock(&r->roster);
	rc = roster_list(&r->roster, r->recorded.members, r->recorded.member_count);
	roster_unlock(&r->roster);
	r->plan.tick_ns = monotonic_ns();
	rc = rc ? error_nomem(&r->error) : round_look(r); /* a first look, before the first tick */
	rc = rc ? rc : keep_tickers(r);
	if (rc)
		round_end_with(r, rc == ERR_GONE ? RECORDING_EXITED : RECORDING_LOST);
	r->tid = (pid_t)syscall(SYS_gettid);
	set_own_priority(r);
	while (r->end == RECORDING_RUNNING && !watchdog_wants_stop(r->watchdog) &&
	       !intermission(r)) {
		wait_for_tick(r);
		if (r->end == RECORDING_RUNNING && monotonic_ns() >= r->plan.next_tick_ns) {
			round_tick(r);
			round_plan_tick(r);
		}
	}
	set_priority(PRIORITY_PROMPT);
	take_the_last(r);
	stop_tickers(r);
	r->tid = 0;
}
