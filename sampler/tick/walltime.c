/* Times are counted from thread.wall.from on, which moves with each account. How many samples a
 * time stands for follows from the rate, rounded. */
#include "sampler/tick/walltime.h"

#include "base/clock.h"
#include "base/error.h"
#include "sampler/capture/slots.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/waiting.h"

enum { WORTH_TELLING = 20 }; /* a twentieth of the time */

static uint64_t samples_in(const struct recorded *r, uint64_t ns)
{
	uint64_t period = NS_PER_S / r->rate;

	return (ns + period / 2) / period;
}

void walltime_give(struct recorded *r, uint32_t stack, uint64_t ns)
{
	r->stacks.entries[stack].wall_ns += ns;
	r->stacks.entries[stack].samples += samples_in(r, ns);
}

void walltime_account(struct recorded *r, struct thread *thread, uint64_t now)
{
	uint64_t ns = now - thread->wall.from;

	if (now <= thread->wall.from)
		return;
	if (!waiting_defer(r, thread, ns))
		walltime_give(r, thread->newest.stack, ns);
	thread->wall.from = now;
}

int walltime_account_runnable(struct recorded *r, const struct slot *slot, struct thread *thread,
			      const struct stack *stack)
{
	uint64_t waited = thread->wait_ns - thread->wall.wait_from, all;
	struct stack_context context = slot->context;
	uint32_t entry;

	thread->wall.wait_from = thread->wait_ns;
	if (slot->looked_ns <= thread->wall.from)
		return 0;
	all = slot->looked_ns - thread->wall.from;
	if (waited < all / WORTH_TELLING + 1)
		return 0;
	context.state = THREAD_RUNNABLE;
	context.syscall = -1;
	context.lock = 0;
	if (stackset_add(&r->stacks, &context, stack, &entry))
		return ERR_NOMEM;
	if (waited > all)
		waited = all;
	walltime_give(r, entry, waited);
	thread->wall.from += waited;
	return 0;
}

uint64_t walltime_left(const struct recorded *r, const struct thread *thread, uint64_t now,
		       uint64_t *ns)
{
	uint64_t until = thread->ended && thread->alive_ns < now ? thread->alive_ns : now;

	*ns = until > thread->wall.from ? until - thread->wall.from : 0;
	return samples_in(r, *ns);
}

void walltime_finish(struct recorded *r, struct thread *thread, uint64_t now)
{
	uint64_t until = thread->ended && thread->alive_ns < now ? thread->alive_ns : now;

	thread->alive_ns = until;
	if (r->wall && thread->newest.stack != NO_STACK)
		walltime_account(r, thread, until);
}
