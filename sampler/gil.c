/* Each entry's time goes to its thread, by the label's text, and each thread's sum to the lock that
 * it used last. The threads with the most time are kept in a short sorted list. */
#include "sampler/gil.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/printable.h"
#include "base/sorted.h"
#include "sampler/member/member.h"
#include "sampler/profile/accounts.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"

/* Wall time, or the entry's share of its thread's CPU time. */
static uint64_t gil_time_of(const struct recorded *r, struct accounts *a,
			    const struct stackset_entry *e)
{
	const struct account *s = accounts_of(a, e->context.member, e->context.thread);

	if (r->wall || !e->cpu_weight)
		return e->wall_ns;
	return (uint64_t)((double)s->ns * (double)e->cpu_weight / (double)s->weight);
}

static uint64_t gil_sum(const struct gil_times *t)
{
	return t->held_ns + t->waited_ns;
}

static void keep_if_most(struct gil_account *a, const struct thread *thread,
			 const struct gil_times *times)
{
	int at = GIL_THREADS;

	while (at && (!a->most[at - 1].tid || gil_sum(times) > gil_sum(&a->most[at - 1].times)))
		at--;
	if (at == GIL_THREADS)
		return;
	memmove(&a->most[at + 1], &a->most[at], (size_t)(GIL_THREADS - 1 - at) * sizeof(*a->most));
	a->most[at] = (struct gil_thread){ .tid = thread->tid, .times = *times };
	memcpy(a->most[at].name, thread->name, sizeof(a->most[at].name));
	printable(a->most[at].name, sizeof(a->most[at].name));
}

/* What a thread did with its lock. */
struct share {
	uint64_t lock;
	struct gil_times times;
};

static void count_locks(struct gil_account *a, struct share *shares, size_t count)
{
	uint64_t held_ns = 0;

	qsort(shares, count, sizeof(*shares), sorted_order);
	for (size_t i = 0; i < count; i++) {
		bool another = !i || shares[i].lock != shares[i - 1].lock;

		held_ns = (another ? 0 : held_ns) + shares[i].times.held_ns;
		a->locks += another;
		a->held_most_ns = held_ns > a->held_most_ns ? held_ns : a->held_most_ns;
	}
}

/* `shares` are by the threads' numbers; afterwards in another order. */
static void gil_conclude(struct gil_account *a, const struct recorded *r, uint32_t member,
			 struct share *shares)
{
	size_t count, used = 0;
	const struct thread *threads = threads_get(r->members[member]->threads, &count);

	for (size_t i = 0; i < count; i++) {
		const struct gil_times *times = &shares[i].times;

		if (!gil_sum(times))
			continue;
		a->threads++;
		a->all.held_ns += times->held_ns;
		a->all.waited_ns += times->waited_ns;
		keep_if_most(a, &threads[i], times);
		shares[used++] = (struct share){ threads[i].runtimes.gil, *times };
	}
	count_locks(a, shares, used);
}

static int account_member(struct gil_account *a, const struct recorded *r, struct accounts *cpu,
			  uint32_t member)
{
	size_t count;
	struct share *shares;

	threads_get(r->members[member]->threads, &count);
	shares = calloc(count + 1, sizeof(*shares));
	if (!shares)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < r->stacks.count; i++) {
		const struct stackset_entry *e = &r->stacks.entries[i];
		struct gil_times *of = &shares[e->context.thread].times;

		if (e->context.member != member || e->context.gil == GIL_NONE)
			continue;
		*(e->context.gil == GIL_HELD ? &of->held_ns : &of->waited_ns) += gil_time_of(r, cpu,
											     e);
	}
	gil_conclude(a, r, member, shares);
	free(shares);
	return 0;
}

int gil_account(const struct recorded *r, struct gil_account *a)
{
	struct accounts cpu;
	int rc = accounts_open(&cpu, r);

	*a = (struct gil_account){ .threads = 0 };
	for (uint32_t i = 0; !rc && i < r->member_count; i++)
		rc = account_member(a, r, &cpu, i);
	accounts_release(&cpu);
	return rc;
}
