#include "sampler/walltime.h"

#include "sampler/clock.h"
#include "sampler/round.h"

void walltime_account(struct round *r, struct thread *thread, uint64_t now)
{
	struct stackset_entry *e = &r->stacks.entries[thread->stack];
	uint64_t period = NS_PER_S / r->rate;

	if (now <= thread->wall_from)
		return;
	e->wall_ns += now - thread->wall_from;
	e->samples += (now - thread->wall_from + period / 2) / period;
	thread->wall_from = now;
}

void walltime_finish(struct round *r, struct thread *thread, uint64_t now)
{
	uint64_t until = thread->ended && thread->alive_ns < now ? thread->alive_ns : now;

	thread->alive_ns = until;
	if (r->wall && thread->stack != NO_STACK)
		walltime_account(r, thread, until);
}
