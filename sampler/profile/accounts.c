/* Threads with few expected samples share an account with others of about their CPU time: classes
 * by powers of two, joined until each expects enough. */
#include "sampler/profile/accounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/member/member.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"

/* A thread with fewer expected samples than this shares an account with others of about its CPU
 * time. One account for all of them would leave the shares of threads that use much and of those
 * that use little to the chance of few samples, although the kernel tells them. */
static const double FEW = 5;

/* By expected samples: FEW to FEW / 2, to FEW / 4, ...; the last one has all below. */
enum { CLASSES = 8 };

/* A process has a quarter of the samples that its CPU time would give, at least, or it is told. */
enum { NOMINAL_PART = 4 };

struct account *accounts_of(struct accounts *a, uint32_t member, uint32_t thread)
{
	struct account *of_member = &a->all[a->first[member]];

	return &of_member[of_member[thread].at];
}

uint64_t accounts_beyond_ns(const struct member *m)
{
	size_t count;
	const struct thread *threads = threads_get(m->threads, &count);
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += thread_cpu_here_ns(&threads[i]);
	return m->cpu_ns > sum ? m->cpu_ns - sum : 0;
}

/* By the rate, as far as it was kept. */
static double nominal_density(const struct recorded *r)
{
	const struct recording_stats *s = &r->stats;
	double kept = s->ticks_due ? (double)s->ticks / (double)s->ticks_due : 0;

	return kept * r->rate / NS_PER_S;
}

uint64_t accounts_kernel_ns(const struct recorded *r, const struct member *m,
			    const struct thread *thread)
{
	return r->stats.user_only && m->by_events ? thread_kernel_ns(thread) : 0;
}

/* The time that samples can stand for. */
static uint64_t seen_ns(const struct recorded *r, const struct member *m,
			const struct thread *thread)
{
	return thread_cpu_here_ns(thread) - accounts_kernel_ns(r, m, thread);
}

/* Samples per nanosecond of CPU time. A thread that cannot be sampled (a worker of io_uring in the
 * kernel) is not to make the others seem to have few samples, whose account it would share then. */
static double density_of(const struct recorded *r, const struct member *m)
{
	size_t count;
	const struct thread *threads = threads_get(m->threads, &count);
	double least = nominal_density(r) / NOMINAL_PART, density;
	uint64_t samples = 0, ns = 0;

	for (size_t i = 0; i < count; i++) {
		samples += threads[i].samples.count;
		ns += seen_ns(r, m, &threads[i]);
	}
	density = ns ? (double)samples / (double)ns : 0;
	return density > least ? density : least;
}

static size_t accounts_class_of(double expected)
{
	size_t found = 0;

	for (; found < CLASSES - 1 && expected < FEW / 2; expected *= 2)
		found++;
	return found;
}

/* Joins neighbouring classes until each shared account expects at least FEW samples: sets, for each
 * class, the number of its account. */
static void accounts_join(const uint64_t ns[CLASSES], double density, uint32_t joined[CLASSES])
{
	uint32_t number = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < CLASSES; i++) {
		joined[i] = number;
		sum += ns[i];
		if ((double)sum * density >= FEW) {
			number++;
			sum = 0;
		}
	}
	/* What is left expects too few, and joins the account before it. */
	for (size_t i = CLASSES; number && i-- > 0 && joined[i] == number;)
		joined[i] = number - 1;
}

static void accounts_fill(struct accounts *a, const struct recorded *r, const struct member *m)
{
	struct account *accounts = &a->all[a->first[m->index]];
	size_t count;
	const struct thread *threads = threads_get(m->threads, &count);
	double density = density_of(r, m);
	uint64_t shared[CLASSES] = { 0 };
	uint32_t joined[CLASSES];

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = seen_ns(r, m, &threads[i]);
		double expected = (double)ns * density;

		accounts[i].at = (uint32_t)i;
		if (expected < FEW) {
			accounts[i].at = (uint32_t)(count + accounts_class_of(expected));
			shared[accounts[i].at - count] += ns;
		}
	}
	accounts_join(shared, density, joined);
	for (size_t i = 0; i < count; i++) {
		uint32_t *at = &accounts[i].at;
		struct account *to;

		if (*at >= count)
			*at = (uint32_t)count + joined[*at - count];
		to = &accounts[*at];
		to->ns += seen_ns(r, m, &threads[i]);
		to->weight += threads[i].samples.weight + threads[i].samples.spared;
		to->spared += threads[i].samples.spared;
	}
}

int accounts_open(struct accounts *a, const struct recorded *r)
{
	size_t count, all = 0;

	*a = (struct accounts){ .first = calloc(r->member_count + 1, sizeof(*a->first)) };
	for (uint32_t i = 0; a->first && i < r->member_count; i++) {
		threads_get(r->members[i]->threads, &count);
		all += count + CLASSES;
		a->first[i + 1] = all;
	}
	a->all = calloc(all + 1, sizeof(*a->all));
	if (!a->first || !a->all)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < r->member_count; i++)
		accounts_fill(a, r, r->members[i]);
	return 0;
}

void accounts_release(struct accounts *a)
{
	free(a->all);
	free(a->first);
	memset(a, 0, sizeof(*a));
}

/* A thread whose account has no sample: why has it none? */
static void accounts_add_thread(struct unsampled *u, const struct thread *thread, uint64_t ns,
				uint64_t tick_ns)
{
	if (!ns)
		return;
	if (thread->stops.denied) {
		u->traced_ns += ns;
		u->traced++;
	} else if (ns < tick_ns) {
		u->brief_ns += ns;
		u->brief++;
	} else {
		u->other_ns += ns;
		u->other++;
	}
}

/* assemble.c gives an account's time to its samples by their weights; what belongs to spared looks
 * is left, and all of it where there is no sample. */
static void add_member(struct unsampled *u, struct accounts *a, const struct recorded *r,
		       const struct member *m)
{
	size_t count;
	const struct thread *threads = threads_get(m->threads, &count);

	for (size_t i = 0; i < count; i++) {
		const struct account *of = accounts_of(a, m->index, (uint32_t)i);
		uint64_t ns = seen_ns(r, m, &threads[i]);

		u->kernel_ns += accounts_kernel_ns(r, m, &threads[i]);
		if (!of->weight)
			accounts_add_thread(u, &threads[i], ns, NS_PER_S / r->rate);
		else
			u->spared_ns += (uint64_t)((double)ns * (double)of->spared /
						   (double)of->weight);
	}
	u->missed_ns += accounts_beyond_ns(m);
}

int accounts_unsampled(const struct recorded *r, struct unsampled *u)
{
	struct accounts a;
	int rc = accounts_open(&a, r);

	*u = (struct unsampled){ 0 };
	for (uint32_t i = 0; !rc && i < r->member_count; i++)
		add_member(u, &a, r, r->members[i]);
	accounts_release(&a);
	return rc;
}

uint64_t unsampled_ns(const struct unsampled *u)
{
	return u->traced_ns + u->spared_ns + u->brief_ns + u->missed_ns + u->other_ns;
}
