/* Each kind of news has a time in the member. Something that was asked for later than the last such
 * time, and for which no ring has lost records since, still holds. */
#include "sampler/tick/news.h"

#include "base/clock.h"
#include "sampler/capture/event.h"
#include "sampler/capture/events.h"
#include "sampler/member/member.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/round.h"

/* So often all is asked for all the same. */
static const uint64_t ASK_NS = 2 * NS_PER_S, ASK_MAPS_NS = 5 * NS_PER_S;

enum {
	SETTLE_NS = 200000000
}; /* a thread that ends stays listed for a moment after that is told */

static bool tells(const struct events *events, uint64_t since_ns)
{
	return events && since_ns >= events_told_ns(events);
}

/* Has all been told that has happened since? */
static bool is_told(const struct round *r, uint64_t since_ns)
{
	return tells(r->events, since_ns);
}

bool news_tell_children(const struct round *r)
{
	return r->lineage.events || (r->events && events_told_ns(r->events) != UINT64_MAX);
}

static bool news_holds(const struct round *r, uint64_t asked_ns, uint64_t changed_ns,
		       uint64_t ask_ns)
{
	return is_told(r, asked_ns) && asked_ns > changed_ns && r->plan.tick_ns < asked_ns + ask_ns;
}

bool news_list_holds(const struct round *r, const struct member *m)
{
	const struct member_news *n = &m->news;
	uint64_t settled_ns = n->ended_ns ? n->ended_ns + SETTLE_NS : 0;

	return news_holds(r, threads_known_ns(m->threads),
			  n->begun_ns > settled_ns ? n->begun_ns : settled_ns, ASK_NS);
}

bool news_maps_hold(const struct round *r, const struct member *m)
{
	return news_holds(r, m->maps_read_ns, m->news.mapped_ns, ASK_MAPS_NS);
}

bool news_space_holds(const struct round *r, const struct member *m)
{
	return m->maps_fd >= 0 && news_holds(r, m->space_asked_ns, m->news.executed_ns, ASK_NS);
}

bool news_children_hold(const struct round *r)
{
	uint64_t asked_ns = r->children_asked_ns;

	return news_holds(r, asked_ns, 0, ASK_NS) ||
	       (tells(r->lineage.events, asked_ns) && r->plan.tick_ns < asked_ns + ASK_NS);
}

void news_date_space(const struct round *r, struct member *m)
{
	uint64_t executed_ns = m->news.executed_ns;

	if (executed_ns && is_told(r, executed_ns) && !events_tell_exec(r->events, m->process.pid))
		m->space_ns = executed_ns;
	else
		m->space_ns = m->space_met_ns;
}

bool news_doubt_maps(const struct round *r, struct member *m)
{
	if (m->leaving || !r->events || !events_tell_exec(r->events, m->process.pid))
		return false;
	m->space_ns = m->space_met_ns = monotonic_ns();
	return true;
}

/* Maps that were read since may be those of a third program, whose record is not read yet. */
static void note_exec(struct round *r, struct member *m, uint64_t ns)
{
	bool met = m->space_met_ns > ns;

	if (!met && m->maps_read_ns < ns) { /* what it did before, by the maps of that time */
		m->leaving = true;
		round_unwind_at_leisure(r);
		m->leaving = false;
	}
	m->news.executed_ns = ns;
	process_read_comm(&m->process);
	if (met)
		news_date_space(r, m);
	else
		member_leave_space(m);
}

void news_take(struct round *r, struct member *m, const struct event *e)
{
	switch (e->kind) {
	case EVENT_MAPPED:
		m->news.mapped_ns = e->time_ns;
		break;
	case EVENT_EXECUTED:
		note_exec(r, m, e->time_ns);
		break;
	case EVENT_BEGUN:
		if (e->pid != m->process.pid)
			break;
		m->news.begun_ns = e->time_ns;
		m->news.begun += e->time_ns >= r->recorded.start_ns;
		break;
	case EVENT_ENDED:
		m->news.ended_ns = e->time_ns;
		break;
	default:
		break;
	}
}
