/*
 * What each waiting thread waits for, when all stacks have been taken (sampler/awaited/awaited.h).
 *
 * A thread is told of only if it has not run since its stack was taken, by its call and return
 * address, nor while it was looked at: then what was found belongs to the stack.
 */
#include <string.h>

#include "base/error.h"
#include "base/process/process.h"
#include "sampler/awaited/awaited.h"
#include "sampler/awaited/since.h"
#include "sampler/dump/dumplook.h"
#include "sampler/member/member.h"

struct dumpwaits {
	struct dump *d;
	struct awaits *awaits;
	struct since since;
};

static bool dumpwaits_still(const struct member *m, struct thread *thread, const struct call *call,
			    uint64_t slices)
{
	struct call now;

	return thread_read_call(m->threads, thread, &now) && !memcmp(&now, call, sizeof(now)) &&
	       thread_rests_since(m->threads, thread, slices);
}

static void dumpwaits_look(struct dumpwaits *w, const struct member *m, struct dump_thread *t)
{
	struct thread *thread = member_thread(m, t->index);
	struct awaited none = { .fd = -1, .peer_call = -1 };
	struct schedstat before;
	struct call call;
	uint64_t ns;

	t->awaited = none;
	if (!strchr("SDTt", t->state) || (!t->walked && strchr("SD", t->state)) ||
	    !thread_counters(m->threads, thread, &before) ||
	    !thread_read_call(m->threads, thread, &call) || call.number != t->syscall ||
	    (t->count && call.pc != t->frames[0].pc))
		return;
	/* One that is stopped has run for our stop. */
	ns = strchr("SD", t->state) ? since_ns(&w->since, t->tid, thread->cpu) : 0;
	awaited_look(w->awaits, &m->process, t->tid, t->state, &call, &w->d->arena, &t->awaited);
	if (dumpwaits_still(m, thread, &call, before.slices))
		t->off_cpu_ns = ns;
	else
		t->awaited = none;
}

int dump_look_at_waits(struct dump *d)
{
	struct dumpwaits w = { .d = d };

	if (awaits_new(&w.awaits, (struct awaits_wish){ .peers = d->peers }))
		return ERR_NOMEM;
	for (size_t i = 0; i < d->count; i++)
		for (size_t j = 0; j < d->processes[i].count; j++)
			dumpwaits_look(&w, d->members[i], &d->processes[i].threads[j]);
	awaits_free(w.awaits);
	since_release(&w.since);
	return 0;
}
