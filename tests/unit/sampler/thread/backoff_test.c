/* Looks at a thread that sleeps for long and computes in bursts: what do they add up to? */
#include <criterion/criterion.h>

#include "sampler/thread/backoff.h"

enum { BURSTS = 20000, ASLEEP = 150 };

static uint64_t random_bits(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Bursts of `length` ticks, each after a sleep of about ASLEEP. Returns the ticks that the looks in
 * bursts stand for, and sets how many looks there were in all. */
static uint64_t met(uint64_t length, uint64_t most, uint64_t *looks)
{
	struct backoff b = { 0 };
	uint64_t state = 88172645463325252u, tick = 0, sum = 0;
	uint64_t due = backoff_first(&b, most, random_bits(&state));
	bool moves = false; /* since the last look */

	*looks = 0;
	for (int i = 0; i < BURSTS; i++) {
		uint64_t begins = tick + ASLEEP + random_bits(&state) % most;

		for (; tick < begins + length; tick++) {
			moves |= tick >= begins;
			if (tick != due)
				continue;
			if (tick >= begins)
				sum += 1 + backoff_left_out(&b, tick);
			due = backoff_next(&b, tick, !moves, most, random_bits(&state));
			moves = false;
			++*looks;
		}
	}
	return sum;
}

Test(backoff, bursts_of_any_length_are_met_for_their_time)
{
	const uint64_t lengths[] = { 1, 3, 10, 30, 100 }, waits[] = { 1, 2, 7, 40 };
	uint64_t looks;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (size_t j = 0; j < sizeof(waits) / sizeof(*waits); j++) {
			double share = (double)met(lengths[i], waits[j], &looks) /
				       (double)(BURSTS * lengths[i]);

			cr_assert_float_eq(share, 1, 0.06, "bursts of %lu, waits of %lu: %.3f",
					   lengths[i], waits[j], share);
		}
}

Test(backoff, a_sleeping_thread_costs_few_looks)
{
	uint64_t looks, all;

	met(1, 1, &all);
	met(1, 40, &looks);
	cr_assert_lt(looks * 10, all, "%lu looks of %lu", looks, all);
}

Test(backoff, the_first_looks_are_spread)
{
	struct backoff b = { 0 };

	for (uint64_t i = 0; i < 10; i++) {
		cr_assert_eq(backoff_first(&b, 10, i + 30), i);
		cr_assert_eq(backoff_left_out(&b, i), 9 - i);
	}
	cr_assert_eq(backoff_first(&b, 1, 7), 0);
	cr_assert_eq(backoff_left_out(&b, 0), 0);
	cr_assert_eq(backoff_left_out(&b, 5), 0, "a look that comes late stands for itself");
}
