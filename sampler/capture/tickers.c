/* The affinity masks of all threads tell which CPUs need a ticker. They are looked at again from
 * time to time, and each ticker gets the next one as its neighbour. */
#include "sampler/capture/tickers.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/capture/cpus.h"
#include "sampler/capture/roster.h"
#include "sampler/capture/ticker.h"

enum {
	IDLE_CPUS = 8, /* of so many, each is ticked at the full rate even if nothing runs there */
	AGAIN_COST = 200, /* finding the CPUs takes a 200th of our time at most */
};

static const uint64_t AGAIN_NS = NS_PER_S;

/* The CPUs on which any thread may run. */
static void find_cpus(const struct roster *r, cpu_set_t *set, size_t size)
{
	cpu_set_t *one = CPU_ALLOC(size * 8);

	CPU_ZERO_S(size, set);
	for (size_t i = 0; one && i < r->seat_count; i++)
		if (!sched_getaffinity(r->seats[i].tid, size, one))
			CPU_OR_S(size, set, set, one);
	CPU_FREE(one);
}

/* Each ticker notes for the one before it, the first one for the last. */
static void link_neighbours(struct tickers *t)
{
	struct ticker *first = NULL, *last = NULL;

	for (unsigned i = 0; i < t->cpus; i++) {
		if (!t->of[i])
			continue;
		if (last)
			ticker_set_neighbour(last, t->of[i]);
		first = first ? first : t->of[i];
		last = t->of[i];
	}
	if (last != first)
		ticker_set_neighbour(last, first);
}

static int start_needed(struct tickers *t, struct ticking *with, struct error *err)
{
	size_t size = CPU_ALLOC_SIZE(t->cpus);
	cpu_set_t *set = CPU_ALLOC(t->cpus);
	int rc = set ? 0 : error_nomem(err);

	if (set)
		find_cpus(with->roster, set, size);
	for (unsigned i = 0; !rc && i < t->cpus; i++)
		if (CPU_ISSET_S(i, size, set) && !t->of[i]) {
			rc = ticker_start(&t->of[i], with, i, err);
			t->count += !rc;
		}
	CPU_FREE(set);
	link_neighbours(t);
	with->pace.idle_most = (t->count + IDLE_CPUS - 1) / IDLE_CPUS;
	return rc;
}

static int look_for_cpus(struct tickers *t, struct ticking *with, struct error *err)
{
	uint64_t cpu = thread_cpu_ns(), cost;
	int rc = start_needed(t, with, err);

	cost = (thread_cpu_ns() - cpu) * AGAIN_COST;
	t->due_ns = monotonic_ns() + (cost > AGAIN_NS ? cost : AGAIN_NS);
	return rc;
}

int tickers_start(struct tickers *t, struct ticking *with, struct error *err)
{
	memset(t, 0, sizeof(*t));
	with->pace.quit = with->pace.pause = false;
	with->pace.idle_most = 1;
	t->cpus = cpus_bound();
	t->of = calloc(t->cpus, sizeof(*t->of));
	return t->of ? look_for_cpus(t, with, err) : error_nomem(err);
}

int tickers_keep(struct tickers *t, struct ticking *with, struct error *err)
{
	for (unsigned i = 0; i < t->cpus; i++)
		if (t->of[i] && ticker_keep(t->of[i]))
			return error_set(err, ERR_IO, "cannot start a thread");
	return monotonic_ns() < t->due_ns ? 0 : look_for_cpus(t, with, err);
}

void tickers_end(struct tickers *t, struct ticking *with)
{
	uint64_t cpu_ns = 0;

	with->pace.quit = true;
	for (unsigned i = 0; i < t->cpus && t->of; i++)
		if (t->of[i]) /* of which none may be gone while another one notes for it */
			ticker_join(t->of[i]);
	for (unsigned i = 0; i < t->cpus && t->of; i++) {
		if (t->of[i])
			cpu_ns += ticker_cpu_ns(t->of[i]);
		ticker_free(t->of[i]);
	}
	free(t->of);
	*t = (struct tickers){ .cpu_ns = cpu_ns };
}

bool tickers_ask(struct tickers *t, unsigned cpu, struct slot *slot)
{
	if (cpu < t->cpus && t->of[cpu] && ticker_ask(t->of[cpu], slot))
		return true;
	for (unsigned i = 0; i < t->cpus; i++)
		if (t->of[i] && ticker_ask(t->of[i], slot))
			return true;
	return false;
}

unsigned tickers_expected(const struct tickers *t)
{
	unsigned expected = 0;

	for (unsigned i = 0; i < t->cpus; i++)
		expected += t->of[i] ? ticker_expected(t->of[i]) : 0;
	return expected;
}

uint64_t tickers_cpu_ns(const struct tickers *t)
{
	uint64_t ns = t->cpu_ns;

	for (unsigned i = 0; i < t->cpus; i++)
		ns += t->of[i] ? ticker_cpu_ns(t->of[i]) : 0;
	return ns;
}

bool tickers_are_realtime(const struct tickers *t, unsigned *refused)
{
	bool realtime = true;

	*refused = 0;
	for (unsigned i = 0; i < t->cpus; i++) {
		if (!t->of[i])
			continue;
		realtime &= ticker_is_realtime(t->of[i]);
		*refused += !ticker_has_cpu(t->of[i]);
	}
	return realtime;
}
