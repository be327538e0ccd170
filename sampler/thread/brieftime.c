/* Brief threads' entries have no number: their time is scaled to what the process's leaves. */
#include "sampler/thread/brieftime.h"

#include <stdbool.h>

#include "sampler/thread/threads.h"

/* Does a sum of so many samples' periods fall short of the time by chance: by at most three
 * standard deviations, each of sum / sqrt(samples)? */
static bool is_short_by_chance(uint64_t sum_ns, uint64_t samples, uint64_t ns)
{
	double lacks = ns > sum_ns ? (double)(ns - sum_ns) : 0, third = (double)sum_ns * 3;

	return lacks * lacks * (double)samples <= third * third;
}

void brieftime_settle(struct threads *t, uint64_t cpu_ns)
{
	uint64_t brief_ns = 0, samples = 0, left_ns = cpu_ns;
	size_t count;
	struct thread *all = threads_get(t, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = thread_cpu_here_ns(&all[i]);

		if (all[i].tid) {
			left_ns -= ns < left_ns ? ns : left_ns;
			continue;
		}
		brief_ns += ns;
		samples += all[i].samples.count;
	}
	if (!brief_ns || !is_short_by_chance(brief_ns, samples, left_ns))
		return;
	for (size_t i = 0; i < count; i++)
		if (!all[i].tid)
			all[i].cpu_ns = all[i].cpu_first +
					(uint64_t)((double)thread_cpu_here_ns(&all[i]) *
						   (double)left_ns / (double)brief_ns);
}
