/*
 * Each thread's timer on each CPU begins with a whole period: a thread that runs for less than that
 * on a CPU has no sample there. This is no loss where threads live long, since what is left of the
 * period stays when the thread leaves the CPU. It is most of the time where threads are brief, and
 * for long where many of them run seldom on many CPUs.
 */
#include "sampler/tick/tasktimers.h"

#include "base/clock.h"
#include "sampler/account/budget.h"
#include "sampler/capture/events.h"
#include "sampler/member/member.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/round.h"

enum {
	JUDGED_PERIODS = 50, /* of time in user space, until timers are judged */
	PATIENCE_S = 3,	     /* so long may it take until the first periods are over */
};

bool tasktimers_reach_all(const struct round *r)
{
	for (uint32_t i = 0; i < r->recorded.living_count; i++) {
		const struct member *m = r->recorded.living[i];

		if (m->by_events && !m->ended && !m->news.executed_ns &&
		    !events_reach(r->events, m->process.pid))
			return false;
	}
	return true;
}

/* In periods. */
struct use {
	double user;  /* time in user space */
	double first; /* of all living threads' timers, the first periods */
};

static void add_use(struct use *use, const struct round *r, const struct thread *thread)
{
	uint64_t ns = thread_cpu_here_ns(thread);

	if (!ns)
		return;
	use->user += (double)(ns - thread_kernel_ns(thread)) / (double)r->ticking.pace.period_ns;
	use->first += thread->ended ? 0 : events_cpus(r->events);
}

bool tasktimers_miss_most(const struct round *r, uint64_t now)
{
	double passed_s = (double)(now - r->recorded.start_ns) / NS_PER_S,
	       sampled = (double)r->events_weight / BUDGET_ONE + (double)r->events_lost;
	struct use use = { 0 };

	for (uint32_t i = 0; i < r->recorded.member_count; i++) {
		const struct member *m = r->recorded.members[i];
		size_t count = 0;
		const struct thread *threads = m->by_events ? threads_get(m->threads, &count) :
							      NULL;

		for (size_t j = 0; j < count; j++)
			add_use(&use, r, &threads[j]);
	}
	if (use.user < JUDGED_PERIODS || sampled > use.user / 2)
		return false;
	return use.user > 2 * use.first || use.first > use.user * (1 + PATIENCE_S / passed_s);
}
