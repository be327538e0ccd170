/*
 * The cost of a tick is estimated by a running mean. One tick enters the mean with at most eight
 * times the mean, or with the cost of the tick before it if that is more: a tick in which a large
 * program's unwind tables are built costs a thousand times as much as others, once. Such a cost is
 * a debt. While there is a debt, ticks get nine tenths of the share and the rest pays the debt.
 * Without a debt, ticks that cost no more than the share come at the requested rate. So the rate
 * hardly falls, and in the end no more than the share has been taken.
 *
 * Rejected: a bucket of tokens alone (all ticks of a second at once, then none); a quota of the
 * kernel's (cpu.max would throttle us while we hold a thread).
 */
#include "sampler/account/budget.h"

#include "base/clock.h"

enum {
	MEMORY = 4,   /* ticks in the mean */
	BELIEVED = 8, /* one tick enters the mean with at most so many times the mean */
	LEAST_TICK_NS = 20000,
	SAVED_NS = 50000000, /* the unused share of so much time is kept for later */
};

static const double LONGEST_NS = 1e8, /* from tick to tick, if each may look at a part */
	LONGEST_WHOLE_NS = 1e9, LEAST_PART = 1.0 / 256, PAYS_DEBT = 0.1;

void budget_init(struct budget *b, double share, unsigned rate)
{
	*b = (struct budget){ .share = share,
			      .period_ns = NS_PER_S / rate,
			      .part = 1,
			      .stride = 1,
			      .tick_ns = LEAST_TICK_NS };
}

static void reckon(struct budget *b, uint64_t now, double spent_ns, double ticks)
{
	double cpu_ns = spent_ns / ticks;
	double most = b->tick_ns * BELIEVED;

	if (most < b->last_ns)
		most = b->last_ns;
	b->last_ns = cpu_ns;

	if (b->settled_ns)
		b->debt_ns -= b->share * (double)(now - b->settled_ns);
	b->settled_ns = now;
	b->debt_ns += spent_ns;
	if (b->debt_ns < -b->share * SAVED_NS)
		b->debt_ns = -b->share * SAVED_NS;
	b->tick_ns += ((cpu_ns < most ? cpu_ns : most) - b->tick_ns) / MEMORY;
	if (b->tick_ns < LEAST_TICK_NS)
		b->tick_ns = LEAST_TICK_NS;
}

/* Chooses the part of the threads that can be looked at if a tick comes every LONGEST_NS. */
static void choose_part(struct budget *b, double share)
{
	double before = b->part, part = before * share * LONGEST_NS / b->tick_ns;

	if (part > 1)
		part = 1;
	b->part = part < LEAST_PART ? LEAST_PART : part;
	b->tick_ns *= b->part / before;
}

void budget_spend(struct budget *b, uint64_t now, uint64_t cpu_ns, double ticks)
{
	double share = b->share, apart;

	reckon(b, now, (double)cpu_ns, ticks);
	if (b->debt_ns > 0)
		share *= 1 - PAYS_DEBT;
	choose_part(b, share);
	apart = b->tick_ns / share;
	if (apart > LONGEST_WHOLE_NS)
		apart = LONGEST_WHOLE_NS;
	b->stride = apart > (double)b->period_ns ? apart / (double)b->period_ns : 1;
}
