/*
 * A thread that is overdue and has used hardly any CPU time since the last look starves. If it
 * starves although it is prompt, threads of other sessions have the CPU: its nice value does not
 * help there and only takes time from a target in our own session. So it is ordinary then.
 */
#include "sampler/starving.h"

#include "base/clock.h"
#include "sampler/child/priority.h"
#include "sampler/tick/round.h"

static const uint64_t OVERDUE_NS = 500000000, PROMPT_OVERDUE_NS = 200000000,
		      PROMPT_NS = 10000000000, USED_NS = 25000000;

static bool starving_starves(struct starving *s, const struct round *r, pthread_t thread,
			     uint64_t now)
{
	uint64_t before = s->cpu_ns, allowed = s->prompt ? PROMPT_OVERDUE_NS : OVERDUE_NS;
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock))
		return false;
	s->cpu_ns = clock_ns(clock);
	return now > r->plan.next_tick_ns + allowed && s->cpu_ns - before < USED_NS;
}

static void set_prompt(struct starving *s, const struct round *r, bool prompt, uint64_t now)
{
	s->prompt = prompt;
	s->since_ns = now;
	set_priority_of(r->tid, prompt ? PRIORITY_PROMPT : PRIORITY_ORDINARY);
}

void starving_look(struct starving *s, const struct round *r, pthread_t thread)
{
	uint64_t now = monotonic_ns();
	bool hungry, over = round_is_over(&r->recorded); /* the user waits */

	if (!r->tid)
		return; /* it has yet to begin */
	hungry = starving_starves(s, r, thread, now);
	if (!s->prompt && (over || (hungry && now >= s->next_ns))) {
		set_prompt(s, r, true, now);
	} else if (s->prompt && !over && (hungry || now - s->since_ns > PROMPT_NS)) {
		s->next_ns = hungry ? now + PROMPT_NS : now;
		set_prompt(s, r, false, now);
	}
}
