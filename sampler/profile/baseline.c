/* The counters are copied by the indices of stacks and threads, which never change, and subtracted
 * in a copy of the round. A difference below 0 becomes 0. */
#include "sampler/profile/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/member/member.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/walltime.h"

struct baseline_entry {
	uint64_t samples, cpu_weight, wall_ns;
};

struct baseline_thread {
	uint64_t cpu_ns;
	struct thread_ticks ticks;
	struct thread_samples samples;
};

struct baseline_member {
	uint64_t cpu_ns;
	struct baseline_thread *threads; /* by thread index */
	size_t count;
};

void baseline_release(struct baseline *m)
{
	for (uint32_t i = 0; i < m->member_count; i++)
		free(m->members[i].threads);
	free(m->members);
	free(m->entries);
	memset(m, 0, sizeof(*m));
}

/* Adds to a thread's newest stack the wall time that the round's end would add now. */
static void mark_wall(struct baseline *m, const struct recorded *r, const struct thread *thread)
{
	uint64_t ns, samples;

	if (!r->wall || thread->newest.stack == NO_STACK)
		return;
	samples = walltime_left(r, thread, m->at_ns, &ns);
	m->entries[thread->newest.stack].wall_ns += ns;
	m->entries[thread->newest.stack].samples += samples;
}

/* A running thread has used CPU time since its last look, so its counters are read again. */
static uint64_t cpu_of(const struct threads *threads, const struct thread *thread)
{
	struct schedstat now;

	if (!thread->ended && thread->state == 'R' && thread_counters(threads, thread, &now))
		return now.cpu_ns;
	return thread->cpu_ns;
}

static int baseline_member(struct baseline *m, const struct recorded *r, const struct member *from)
{
	struct baseline_member *to = &m->members[m->member_count];
	size_t count;
	const struct thread *threads = threads_get(from->threads, &count);

	to->threads = malloc((count + 1) * sizeof(*to->threads));
	if (!to->threads)
		return ERR_NOMEM;
	m->member_count++;
	to->cpu_ns = from->cpu_ns;
	to->count = count;
	for (size_t i = 0; i < count; i++) {
		to->threads[i] = (struct baseline_thread){ cpu_of(from->threads, &threads[i]),
							   threads[i].ticks, threads[i].samples };
		mark_wall(m, r, &threads[i]);
	}
	return 0;
}

int baseline_take(struct baseline *m, struct recorded *r)
{
	int rc = 0;

	baseline_release(m);
	m->at_ns = monotonic_ns();
	m->entries = malloc((r->stacks.count + 1) * sizeof(*m->entries));
	m->members = malloc(r->member_count * sizeof(*m->members));
	if (!m->entries || !m->members)
		rc = ERR_NOMEM;
	for (; !rc && m->entry_count < r->stacks.count; m->entry_count++) {
		const struct stackset_entry *e = &r->stacks.entries[m->entry_count];

		m->entries[m->entry_count] = (struct baseline_entry){ e->samples, e->cpu_weight,
								      e->wall_ns };
	}
	for (uint32_t i = 0; !rc && i < r->member_count; i++) {
		member_read_cpu(r->members[i]);
		rc = baseline_member(m, r, r->members[i]);
	}
	if (rc)
		baseline_release(m);
	return rc;
}

/* A counter that is read again may be slightly below its marked value. */
static void baseline_take_off(uint64_t *from, uint64_t what)
{
	*from -= what < *from ? what : *from;
}

static void subtract_member(const struct baseline *m, const struct baseline_member *what,
			    struct member *from)
{
	size_t count;
	struct thread *threads = threads_get(from->threads, &count);

	baseline_take_off(&from->cpu_ns, what->cpu_ns);
	for (size_t i = 0; i < what->count && i < count; i++) {
		const struct thread_samples *before = &what->threads[i].samples;
		struct thread *t = &threads[i];

		baseline_take_off(&t->samples.count, before->count);
		baseline_take_off(&t->samples.weight, before->weight);
		baseline_take_off(&t->samples.spared, before->spared);
		t->cpu_first = what->threads[i].cpu_ns;
		t->ticks_first = what->threads[i].ticks;
		if (t->wall.from < m->at_ns)
			t->wall.from = t->alive_ns < m->at_ns ? t->alive_ns : m->at_ns;
	}
}

void baseline_subtract(const struct baseline *m, struct recorded *r)
{
	if (!m->at_ns)
		return;
	for (uint32_t i = 0; i < m->entry_count && i < r->stacks.count; i++) {
		struct stackset_entry *e = &r->stacks.entries[i];

		baseline_take_off(&e->samples, m->entries[i].samples);
		baseline_take_off(&e->cpu_weight, m->entries[i].cpu_weight);
		baseline_take_off(&e->wall_ns, m->entries[i].wall_ns);
	}
	for (uint32_t i = 0; i < m->member_count && i < r->member_count; i++)
		subtract_member(m, &m->members[i], r->members[i]);
	r->start_real_ns += m->at_ns - r->start_ns;
	baseline_take_off(&r->stats.elapsed_ns, m->at_ns - r->start_ns);
}
