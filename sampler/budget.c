/*
 * A tick's cost is the running mean of the last ones. Of each, at most eight times the mean
 * is believed, or what the one before has cost: some cost a thousand times the others,
 * once, because a large program's unwind tables are built in them. Such a cost is a debt.
 * While there is a debt, ticks get half of the share and the other half pays; without one,
 * ticks that cost no more than the share come as often as was asked for. So the rate never
 * falls to nothing for seconds, and in the end no more than the share has been taken.
 *
 * Rejected: a bucket of tokens alone (all ticks of a second at once, then none); a quota
 * of the kernel's (cpu.max would throttle us while we hold a thread).
 */
#include "sampler/budget.h"

#include "sampler/clock.h"

enum {
	MEMORY = 4,	    /* ticks in the mean */
	BELIEVED = 8,	    /* times the mean */
	LEAST_TICK_NS = 20000,
	SAVED_NS = 50000000, /* so much may be left over for later */
};

static const double LONGEST_NS = 1e8, /* from tick to tick, while a part of the threads will do */
	LONGEST_WHOLE_NS = 1e9, LEAST_PART = 1.0 / 256, PAYS_DEBT = 0.5;

void budget_init(struct budget *b, double share, unsigned rate)
{
	*b = (struct budget){ .share = share, .period_ns = NS_PER_S / rate, .part = 1,
			      .stride = 1, .tick_ns = LEAST_TICK_NS };
}

static void reckon(struct budget *b, uint64_t now, double cpu_ns)
{
	double most = b->tick_ns * BELIEVED;

	if (most < b->last_ns)
		most = b->last_ns;
	b->last_ns = cpu_ns;

	if (b->settled_ns)
		b->debt_ns -= b->share * (double)(now - b->settled_ns);
	b->settled_ns = now;
	b->debt_ns += cpu_ns;
	if (b->debt_ns < -b->share * SAVED_NS)
		b->debt_ns = -b->share * SAVED_NS;
	b->tick_ns += ((cpu_ns < most ? cpu_ns : most) - b->tick_ns) / MEMORY;
	if (b->tick_ns < LEAST_TICK_NS)
		b->tick_ns = LEAST_TICK_NS;
}

/* The part that can be looked at if a tick comes every LONGEST_NS. */
static void choose_part(struct budget *b, double share, bool whole)
{
	double before = b->part, part = before * share * LONGEST_NS / b->tick_ns;

	if (whole || part > 1)
		part = 1;
	b->part = part < LEAST_PART ? LEAST_PART : part;
	b->tick_ns *= b->part / before;
}

void budget_spend(struct budget *b, uint64_t now, uint64_t cpu_ns, bool whole)
{
	double share = b->share, apart;

	reckon(b, now, (double)cpu_ns);
	if (b->debt_ns > 0)
		share *= PAYS_DEBT;
	choose_part(b, share, whole);
	apart = b->tick_ns / share;
	if (apart > LONGEST_WHOLE_NS)
		apart = LONGEST_WHOLE_NS;
	b->stride = (unsigned)(apart / (double)b->period_ns);
	if ((double)b->stride * (double)b->period_ns < apart)
		b->stride++;
}

uint32_t budget_weight(const struct budget *b)
{
	double weight = BUDGET_ONE * (double)b->stride / b->part;

	return weight < UINT32_MAX ? (uint32_t)(weight + 0.5) : UINT32_MAX;
}
