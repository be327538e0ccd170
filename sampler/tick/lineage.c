/* A fork's record adds its process to a set of numbers if the maker is known, and makes a member of
 * it; the record of its leader's end removes it. */
#include "sampler/tick/lineage.h"

#include "base/error.h"
#include "sampler/capture/event.h"
#include "sampler/capture/events.h"
#include "sampler/member/member.h"
#include "sampler/tick/news.h"
#include "sampler/tick/round.h"

static int add_roots(struct round *r)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->recorded.member_count; i++)
		rc = pidset_add(&r->lineage.known, r->recorded.members[i]->process.pid);
	return rc;
}

int lineage_open(struct round *r, struct error *err)
{
	const struct recorded *of = &r->recorded;
	struct events *events;

	if (!of->children)
		return 0;
	if (of->command && !events_open_lineage(&events, of->members[0]->process.pid, NULL))
		r->lineage.events = events;
	return add_roots(r) ? error_nomem(err) : 0;
}

void lineage_close(struct round *r)
{
	events_close(r->lineage.events);
	r->lineage.events = NULL;
}

bool lineage_has(const struct round *r, pid_t pid)
{
	return pidset_has(&r->lineage.known, pid);
}

/* One that has ended meanwhile becomes no member; what it has made is followed nevertheless. Its
 * samples follow in the rings. */
static void lineage_follow(struct round *r, const struct event *e)
{
	struct recorded *of = &r->recorded;
	struct member *m;

	r->no_memory |= pidset_add(&r->lineage.known, e->pid) ||
			recorded_add_child(of, e->pid, recorded_member(of, e->maker));
	m = recorded_member(of, e->pid);
	if (!m || m->news.executed_ns >= e->time_ns)
		return;
	m->by_events = sources_suffice(r, m);
	m->news.executed_ns = e->time_ns; /* a fork makes an address space, too */
	news_date_space(r, m);
}

void lineage_take(struct round *r, const struct event *e)
{
	if (e->kind == EVENT_BEGUN && e->pid != e->maker)
		lineage_follow(r, e);
	if (e->kind == EVENT_ENDED && e->pid == e->tid)
		pidset_remove(&r->lineage.known, e->pid);
}

static bool is_of_the_command(void *none, pid_t pid, bool news)
{
	(void)none;
	(void)pid;
	return news;
}

void lineage_collect(struct round *r)
{
	struct event e;

	while (r->lineage.events && events_next(r->lineage.events, is_of_the_command, NULL, &e))
		lineage_take(r, &e);
}
