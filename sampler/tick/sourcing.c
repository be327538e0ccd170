/*
 * Events are read in bulk, at each tick of the round's thread, or at once where a runtime compiles.
 * Other stacks need no haste: the bytes are copied already, and the maps are those that explain
 * them unless the process has executed a program meanwhile; what came before the present address
 * space was met is dropped.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/account/budget.h"
#include "sampler/atrest/atrest.h"
#include "sampler/capture/cpus.h"
#include "sampler/capture/event.h"
#include "sampler/capture/events.h"
#include "sampler/capture/exposure.h"
#include "sampler/capture/slots.h"
#include "runtimes/interps.h"
#include "sampler/member/member.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/brief.h"
#include "sampler/tick/lineage.h"
#include "sampler/tick/news.h"
#include "sampler/tick/round.h"
#include "sampler/tick/tasktimers.h"
#include "unwind/stack.h"

enum {
	STACK_FIRST = 8192, /* bytes of a stack that are copied; more, where they are too few */
	/* After CUT_FEW walks whose copy was too short, copies are DEEPER times as long. Where
	 * they cannot be, records do not suffice after CUT_MANY such walks, if these are more than
	 * one of CUT_PART. */
	CUT_FEW = 2,
	DEEPER = 4,
	CUT_MANY = 4,
	CUT_PART = 50,
	PACE_STEP = 16,	      /* a new period that differs by less than a 16th is not set */
	KEEP_NS = 1000000000, /* how often to look whether CPUs have come or gone */
	/* Timers begin anew after so many periods, but not before RENEW_NS: each CPU is
	 * interrupted for it. */
	RENEW_PERIODS = 8,
	RENEW_NS = 80000000,
	COUNT_NS = 500000000, /* as RENEW_NS, for what is counted */
	/* Those of threads are opened anew instead: after so long, where the period is to differ
	 * by more than a TASKS_STEP-th. */
	TASKS_NS = 2000000000,
	TASKS_STEP = 4,
	HURRY_NS = 100000000, /* rings that hold less are read with priority */
	STALE_NS = 100000000, /* what a runtime has compiled may not be what it was for so long */
};

/* Before the round begins it is not known which process events serve. */
static pid_t process_to_sample(void *round, uint32_t number)
{
	const struct recorded *r = &((const struct round *)round)->recorded;
	const struct member *m = number < r->living_count ? r->living[number] : NULL;

	if (!m)
		return 0;
	return !r->start_ns || m->by_events ? m->process.pid : -1;
}

static int open_events(struct round *r, enum engine engine, struct error *err)
{
	struct recording_stats *s = &r->recorded.stats;
	struct events_wish wish = { .counted = r->recorded.counted,
				    .period_ns = r->ticking.pace.period_ns,
				    .stack = STACK_FIRST,
				    .kernel = r->recorded.kernel.image,
				    .process = process_to_sample,
				    .owner = r };
	struct error why;

	if (engine == ENGINE_PTRACE || engine == ENGINE_REST || r->recorded.wall)
		return 0;
	r->recorded.late = !events_open(&r->events, &wish, &why);
	if (r->recorded.late) {
		s->user_only = events_see_user_only(r->events);
		return 0;
	}
	r->events = NULL;
	if (engine == ENGINE_PERF || wish.counted)
		return error_set(err, why.code, "%s", why.text);
	snprintf(s->no_events, sizeof(s->no_events), "%s", why.text);
	return 0;
}

int sources_open(struct round *r, enum engine engine, struct error *err)
{
	int rc = open_events(r, engine, err);

	r->stops = engine == ENGINE_PTRACE;
	if (!rc && (r->recorded.wall || engine == ENGINE_REST))
		sources_open_rest(r);
	if (!rc && engine == ENGINE_REST && r->stops)
		rc = error_set(err, r->no_rest, "--engine rest: %s", r->recorded.stats.no_rest);
	return rc ? rc : lineage_open(r, err);
}

/* That takes 5 ms, so it is done when there is a use for it. */
void sources_open_rest(struct round *r)
{
	struct error why;

	if (r->stops || atrest_is_open(&r->ticking.atrest))
		return;
	r->no_rest = atrest_open(&r->ticking.atrest, cpus_bound() + 1, &why);
	r->stops = r->no_rest != 0;
	if (r->stops)
		snprintf(r->recorded.stats.no_rest, sizeof(r->recorded.stats.no_rest), "%s",
			 why.text);
}

static void drop_events(struct round *r)
{
	events_close(r->events);
	r->events = NULL;
	r->recorded.late = false;
}

void sources_close(struct round *r)
{
	drop_events(r);
	lineage_close(r);
	atrest_close(&r->ticking.atrest);
}

/* Only events count what is not time on a CPU. */
bool sources_suffice(const struct round *r, const struct member *m)
{
	if (r->recorded.counted)
		return r->events && !member_is_narrow(m);
	return r->events && !m->fit.needs_stop && !m->has_go && !interps_beside(m->interps) &&
	       !member_is_narrow(m);
}

/* Where the kernel refuses that now, the processes stay with the tickers. */
static void deepen(struct round *r, size_t stack)
{
	struct error err;

	sources_collect(r); /* else what came during the walks would be lost */
	if (events_deepen(r->events, stack, &err))
		drop_events(r);
	r->plan.changed_ns = r->plan.tick_ns; /* it may not be enough yet */
	for (uint32_t i = 0; i < r->recorded.member_count; i++)
		r->recorded.members[i]->fit.cut = 0;
}

static bool are_many(uint32_t bad, uint32_t walks)
{
	return bad >= CUT_MANY && bad > walks / CUT_PART;
}

/* How deep a stack is may be known, from a walk beyond the copy. */
static void judge_depth(struct round *r, struct member *m)
{
	size_t depth = events_depth(r->events);

	if (depth >= EVENTS_STACK_MAX)
		m->fit.needs_stop |= are_many(m->fit.cut, m->fit.walks);
	else if (m->fit.want > depth)
		deepen(r, m->fit.want);
	else if (m->fit.cut >= CUT_FEW)
		deepen(r, depth * DEEPER);
}

/* What a runtime has compiled may be moved or freed at any time, so its frames are to be named at
 * once. */
static void be_prompt(struct round *r)
{
	bool compiles = false;
	struct error err;

	for (uint32_t i = 0; i < r->recorded.living_count; i++)
		compiles |= r->recorded.living[i]->by_events &&
			    interps_compile(r->recorded.living[i]->interps);
	if (r->events && events_be_prompt(r->events, compiles, &err))
		drop_events(r);
}

static void drop_for_missing(struct round *r)
{
	struct recording_stats *s = &r->recorded.stats;

	drop_events(r);
	s->user_only = false;
	snprintf(s->no_events, sizeof(s->no_events),
		 "those of each thread miss most, since threads run too shortly on each CPU");
}

static void keep_events(struct round *r)
{
	uint64_t now = monotonic_ns();
	struct error err;

	if (!r->events || now < r->events_due_ns)
		return;
	r->events_due_ns = now + KEEP_NS;
	if (events_keep(r->events, &err))
		drop_events(r);
	else if (events_are_of_tasks(r->events) && tasktimers_miss_most(r, now))
		drop_for_missing(r);
	else if (!tasktimers_reach_all(r))
		deepen(r, events_depth(r->events));
}

/* Does any living process have that source? */
static bool serves_any(const struct round *r, bool by_events)
{
	for (uint32_t i = 0; i < r->recorded.living_count; i++)
		if (!r->recorded.living[i]->ended && !member_is_narrow(r->recorded.living[i]) &&
		    r->recorded.living[i]->by_events == by_events)
			return true;
	return false;
}

/* Tickers look at a process before it has a sample. */
static void read_for_tickers(struct round *r, struct member *m)
{
	if (!m->ended && !member_is_read(m))
		r->no_memory |= member_read_soon(m) == ERR_NOMEM;
}

/* One that executes another program may be sampled again. */
static void ask_the_narrow(struct round *r)
{
	for (uint32_t i = 0; i < r->recorded.living_count; i++) {
		struct member *m = r->recorded.living[i];

		if (!m->ended && member_is_narrow(m))
			round_know_space(r, m);
	}
}

bool sources_choose(struct round *r)
{
	bool changed = false;
	struct error err;

	if (r->collecting)
		return false; /* a record is being read: nothing may be opened anew */
	ask_the_narrow(r);
	for (uint32_t i = 0; i < r->recorded.living_count; i++) {
		struct member *m = r->recorded.living[i];
		bool now = sources_suffice(r, m);

		if (!now)
			read_for_tickers(r, m);
		if (m->by_events && !now) /* a stop may do harm to it */
			exposure_look(m);
		changed |= !m->ended && m->by_events != now;
		m->by_events = now;
	}
	keep_events(r);
	be_prompt(r);
	if (r->events) /* timers that serve no process would copy stacks for nothing */
		if (events_rest(r->events, !serves_any(r, true), &err))
			drop_events(r);
	return changed;
}

void sources_judge(struct round *r)
{
	for (uint32_t i = 0; r->events && i < r->recorded.living_count; i++)
		judge_depth(r, r->recorded.living[i]);
}

bool sources_need_tickers(const struct round *r)
{
	return serves_any(r, false);
}

bool sources_want_deeper(const struct member *m, const struct slot *slot)
{
	return !slot->by_event || (!m->fit.needs_stop && m->fit.cut < CUT_FEW);
}

/* Half as much again, but not more than a record holds if that would do. */
static uint64_t sourcing_wanted(uint64_t used)
{
	uint64_t want = used + used / 2;

	return used < EVENTS_STACK_MAX && want > EVENTS_STACK_MAX ? EVENTS_STACK_MAX : want;
}

void sources_learn(struct member *m, const struct slot *slot, const struct stack *walk,
		   const struct stack *deeper)
{
	if (!slot->by_event)
		return;
	m->fit.walks++;
	/* Where nothing was copied, the page is not there: a stop would find no more. */
	m->fit.lacked += walk->end == STACK_MEMORY_UNREADABLE && slot->snapshot.stack.memory.len;
	/* A virtual machine begins on a stack that it soon leaves: four of its first five. */
	m->fit.needs_stop |= are_many(m->fit.lacked, m->fit.walks) &&
			     (m->fit.walks > CUT_PART || !interps_compile(m->interps));
	if (walk->end != STACK_COPY_EXHAUSTED)
		return;
	m->fit.cut++;
	if (deeper->end == STACK_OUTERMOST && sourcing_wanted(deeper->used) > m->fit.want)
		m->fit.want = sourcing_wanted(deeper->used);
	m->fit.needs_stop |= m->fit.want > EVENTS_STACK_MAX;
}

/* What is being collected. */
struct intake {
	struct round *round;
	struct member *member; /* of the record that is read */
	struct member *listed; /* whose threads were listed for it last; or NULL */
};

static bool is_of_interest(void *intake, pid_t pid, bool news)
{
	struct intake *in = intake;

	in->member = recorded_member(&in->round->recorded, pid);
	if (!in->member)
		return news && lineage_has(in->round, pid);
	return news || in->member->by_events;
}

/* A thread that was not listed may be new. (Nothing else is refreshed: a process that ends
 * meanwhile may have samples that are not read yet.) */
static void list_for(struct intake *in)
{
	struct member *m = in->member;

	in->listed = m;
	in->round->plan.changed_ns = in->round->plan.tick_ns;
	roster_lock(&in->round->roster);
	in->round->no_memory |= threads_refresh(m->threads, m->news.begun_ns, NULL) == ERR_NOMEM;
	roster_unlock(&in->round->roster);
}

/* NULL: no memory. */
static struct thread *served_thread(struct intake *in, const struct event *e)
{
	struct thread *thread = threads_find_at(in->member->threads, e->tid, e->time_ns);

	if (!thread && in->listed != in->member) {
		list_for(in);
		thread = threads_find_at(in->member->threads, e->tid, e->time_ns);
	}
	if (thread)
		return thread;
	roster_lock(&in->round->roster);
	thread = brief_thread(&in->round->brief, in->member, e->tid);
	roster_unlock(&in->round->roster);
	return thread;
}

/* A read that was stuck has kept us, or we got no CPU. */
static bool is_stale(const struct member *m, const struct event *e)
{
	return interps_compile(m->interps) && monotonic_ns() > e->time_ns + STALE_NS;
}

static struct slot *free_slot(struct round *r)
{
	struct slot *slot = slots_take(&r->slots);

	if (slot)
		return slot;
	round_unwind_at_leisure(r);
	return slots_take(&r->slots);
}

static uint64_t sourcing_weight(const struct round *r, const struct event *e)
{
	return r->recorded.counted ? e->count * BUDGET_ONE :
				     e->period_ns * BUDGET_ONE / r->ticking.pace.period_ns;
}

static int sourcing_fill(struct round *r, struct slot *slot, struct member *m,
			 struct thread *thread, const struct event *e)
{
	if (slot_prepare(slot, &r->ticking.wants, m, thread, THREAD_RUNNING) ||
	    snapshot_of_event(&slot->snapshot, &e->regs, e->stack, e->stack_len, !e->whole_stack) ||
	    buffer_add(&slot->kernel, e->kernel, e->kernel_count * sizeof(*e->kernel)))
		return ERR_NOMEM;
	slot->ticked = slot->taken = slot->by_event = true;
	slot->looked_ns = thread->stops.asked_ns = e->time_ns;
	slot->weight = sourcing_weight(r, e);
	return 0;
}

/* Of a thread that ends before its next look, these are the last counters. They are read once for
 * all samples that have come. */
static void sourcing_note_counters(const struct member *m, struct thread *thread,
				   const struct event *e)
{
	struct schedstat now;

	if (e->time_ns <= thread->samples.counted_ns)
		return;
	if (thread->ended || !thread_counters(m->threads, thread, &now)) {
		thread->cpu_ns += !e->count && e->time_ns > thread->alive_ns ? e->period_ns : 0;
		return;
	}
	thread->samples.counted_ns = monotonic_ns();
	if (now.cpu_ns > thread->cpu_ns)
		thread->cpu_ns = now.cpu_ns;
}

static void take_sample(struct intake *in, const struct event *e)
{
	struct round *r = in->round;
	struct member *m = in->member;
	struct thread *thread;
	struct slot *slot;
	bool filled;

	m->is_narrow |= e->kind == EVENT_NARROW && e->time_ns >= m->space_ns;
	if (e->kind == EVENT_NARROW || e->time_ns < r->recorded.start_ns)
		return;
	if (e->time_ns < m->space_ns) { /* it has ended with an exec */
		r->recorded.stats.dropped++;
		return;
	}
	thread = served_thread(in, e);
	if (!thread) {
		r->no_memory = true;
		return;
	}
	sourcing_note_counters(m, thread, e);
	r->events_weight += sourcing_weight(r, e);
	slot = is_stale(m, e) ? NULL : free_slot(r);
	if (!slot) {
		r->ticking.figures.unserved++;
		return;
	}
	roster_lock(&r->roster);
	filled = !sourcing_fill(r, slot, m, thread, e);
	roster_unlock(&r->roster);
	r->no_memory |= !filled;
	slot_set(slot, filled ? SLOT_FULL : SLOT_FREE);
}

static void sourcing_take_event(struct intake *in, const struct event *e)
{
	if (e->kind == EVENT_SAMPLE || e->kind == EVENT_NARROW) {
		take_sample(in, e);
		return;
	}
	if (e->kind == EVENT_BEGUN && in->member == in->listed)
		in->listed = NULL;
	if (in->member) {
		news_take(in->round, in->member, e);
		brief_take(&in->round->brief, in->member, e);
	}
	if (in->round->recorded.children)
		lineage_take(in->round, e);
}

/* Periods of all CPUs that have passed, in which samples may have come. */
static void count_periods(struct round *r)
{
	struct ticker_figures *f = &r->ticking.figures;
	uint64_t period = r->ticking.pace.period_ns, now = monotonic_ns(),
		 passed = (now - r->events_ns) / period, due = passed * events_cpus(r->events),
		 made = (uint64_t)((double)due / r->plan.budget.stride + 0.5),
		 lost = events_lost(r->events) - r->events_lost;

	r->events_ns += passed * period;
	r->events_lost += lost;
	if (events_are_resting(r->events))
		return;
	if (r->recorded.counted) { /* which comes when it does */
		f->unserved += lost;
		return;
	}
	lost = lost < made ? lost : made; /* news and strangers' samples among them */
	f->unserved += lost;
	f->due += due;
	f->withheld += due - made;
	made -= lost;
	f->ticks += made;
	f->parts += made * BUDGET_ONE;
}

void sources_collect(struct round *r)
{
	struct intake in = { .round = r };
	struct event e;

	lineage_collect(r);
	if (!r->events)
		return;
	r->collecting = true;
	while (events_next(r->events, is_of_interest, &in, &e))
		sourcing_take_event(&in, &e);
	r->collecting = false;
	count_periods(r);
}

int sources_fd(const struct round *r)
{
	return r->events ? events_fd(r->events) : -1;
}

static bool is_running(const struct round *r)
{
	return r->events && !events_are_resting(r->events);
}

/* How many of what is counted make a sample is found soon, at any rate. */
uint64_t sources_apart_ns(const struct round *r)
{
	if (r->recorded.counted)
		return RENEW_NS;
	return is_running(r) ? events_hold_ns(r->events) / 2 : UINT64_MAX;
}

bool sources_hurry(const struct round *r)
{
	return is_running(r) && events_hold_ns(r->events) < HURRY_NS;
}

/* The timer of the kernel would stay in step with a program whose period is a multiple of its own:
 * of threads that take turns at a real-time priority it showed 16 % for 24. So after some periods
 * it begins anew, faster or slower by up to a half, at random; a sample's weight is its period.
 * What a new beginning loses, half a period, is made up for; what is counted makes up for itself
 * (events.c). */
static uint64_t at_random(struct round *r, uint64_t apart_ns, uint64_t lasts_ns)
{
	double rate = 0.5 + (double)(plan_random(&r->plan) >> 11) / (double)(1ull << 53);
	double lost = r->recorded.counted ? 1 :
					    (double)lasts_ns / (double)(lasts_ns + apart_ns / 2);

	return (uint64_t)((double)apart_ns / rate * lost);
}

/* How many make a sample has to be found first. Then seldom: a new beginning loses what has come
 * since the last sample, which is much where strangers make most, in bursts. */
static uint64_t count_lasts_ns(const struct round *r, uint64_t now, uint64_t periods_ns)
{
	if (now - r->recorded.start_ns < COUNT_NS)
		return RENEW_NS;
	return periods_ns > COUNT_NS ? periods_ns : COUNT_NS;
}

static void renew_tasks(struct round *r, uint64_t apart_ns, uint64_t now)
{
	uint64_t before = r->events_apart_ns ? r->events_apart_ns : r->ticking.pace.period_ns,
		 differ = apart_ns > before ? apart_ns - before : before - apart_ns;
	struct error err;

	if (differ < before / TASKS_STEP || now - r->events_set_ns < TASKS_NS)
		return;
	r->events_apart_ns = apart_ns;
	r->events_set_ns = now;
	if (events_pace(r->events, apart_ns, &err))
		drop_events(r);
}

void sources_pace(struct round *r, uint64_t apart_ns)
{
	uint64_t now = monotonic_ns(), before = r->events_apart_ns,
		 periods_ns = apart_ns * RENEW_PERIODS,
		 lasts_ns = r->recorded.counted	  ? count_lasts_ns(r, now, periods_ns) :
			    periods_ns > RENEW_NS ? periods_ns :
						    RENEW_NS,
		 differ = apart_ns > before ? apart_ns - before : before - apart_ns;

	if (!r->events || (differ < before / PACE_STEP && now - r->events_set_ns < lasts_ns))
		return;
	if (events_are_of_tasks(r->events)) {
		renew_tasks(r, apart_ns, now);
		return;
	}
	if (now - r->events_set_ns > lasts_ns && now - r->events_set_ns < NS_PER_S)
		lasts_ns = now - r->events_set_ns;
	r->events_apart_ns = apart_ns;
	r->events_set_ns = now;
	events_pace(r->events, at_random(r, apart_ns, lasts_ns), NULL);
}
