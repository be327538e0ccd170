/* Chooses the source of each process's samples, and how many bytes of stack a record holds. */
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/atrest/atrest.h"
#include "sampler/capture/cpus.h"
#include "sampler/capture/events.h"
#include "sampler/capture/exposure.h"
#include "sampler/capture/slots.h"
#include "runtimes/interps.h"
#include "sampler/member/member.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/lineage.h"
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
	KEEP_NS = 1000000000, /* how often to look whether CPUs have come or gone */
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

void sources_drop_events(struct round *r)
{
	events_close(r->events);
	r->events = NULL;
	r->recorded.late = false;
}

void sources_close(struct round *r)
{
	sources_drop_events(r);
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
		sources_drop_events(r);
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
		sources_drop_events(r);
}

static void drop_for_missing(struct round *r)
{
	struct recording_stats *s = &r->recorded.stats;

	sources_drop_events(r);
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
		sources_drop_events(r);
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
			sources_drop_events(r);
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

int sources_fd(const struct round *r)
{
	return r->events ? events_fd(r->events) : -1;
}
