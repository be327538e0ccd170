/* The next reading of the list is due after a quarter of a second and a hundred times what the last
 * one cost. Threads are found in it by their number in their own PID namespace. */
#include "sampler/member/member.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/process/gopclntab.h"
#include "base/sorted.h"
#include "runtimes/go/find/places.h"
#include "runtimes/go/thread.h"
#include "sampler/thread/threads.h"

enum { AGAIN_NS = 250000000, COST_FACTOR = 100 /* a hundredth of the time at most */ };

/* Finds the list, once for each runtime; that takes some milliseconds. */
static void find_list(struct member *m)
{
	struct gopclntab *table;
	struct goplaces places;

	if (m->ms_of == m->go.image || gopclntab_open(m->go.image, &table))
		return;
	m->ms_of = m->go.image;
	m->all_ms = 0;
	if (m->labels && !goplaces_by_code(&places, table, m->go.image, m->go.bias, &m->go_vars))
		m->all_ms = places.all_ms;
	gopclntab_close(table);
}

static void gothreads_take(const struct member *m, const struct buffer *ms, struct thread *thread,
			   bool same_numbers)
{
	pid_t tid = same_numbers ? thread->tid : process_own_tid(&m->process, thread->tid);
	const struct gothread_listed *found = sorted_find(ms->data, ms->len / sizeof(*found),
							  sizeof(*found), (uint64_t)tid);

	if (found)
		thread->runtimes.go = found->place;
}

static void gothreads_find_all(struct member *m)
{
	struct buffer ms = { .data = NULL };
	bool same_numbers = process_shares_numbers(&m->process);
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);

	m->live.pid = m->process.pid;
	if (!gothread_list(&m->go, m->all_ms, &m->live.memory, &ms) && ms.len) {
		qsort(ms.data, ms.len / sizeof(struct gothread_listed),
		      sizeof(struct gothread_listed), sorted_order);
		for (size_t i = 0; i < count; i++)
			if (!threads[i].ended && !threads[i].runtimes.go.m)
				gothreads_take(m, &ms, &threads[i], same_numbers);
	}
	buffer_release(&ms);
}

void member_find_threads(struct member *m, struct thread *thread)
{
	uint64_t now, cpu;

	if (!m->has_go || thread->runtimes.go.m)
		return;
	now = monotonic_ns();
	if (now < m->ms_due_ns)
		return;
	cpu = thread_cpu_ns();
	find_list(m);
	if (m->all_ms)
		gothreads_find_all(m);
	m->ms_due_ns = now + AGAIN_NS + (thread_cpu_ns() - cpu) * COST_FACTOR;
}
