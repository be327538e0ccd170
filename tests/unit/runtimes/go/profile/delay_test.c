/* The block and mutex profiles of made-up buckets. */
#include "tests/unit/runtimes/go/profile/made_up_process.h"

static const uint64_t in_main[] = { MALLOC, MAIN, EXIT }, in_inner[] = { INNER, MIDDLE, OUTER },
		      in_c[] = { FOREIGN, AGAIN }, nowhere[] = { FOREIGN };

static const struct go_bucket four[] = {
	{ .pcs = in_main, .pc_count = 3, .count = 2, .cycles = 100 },
	{ .pcs = in_inner, .pc_count = 3, .count = 1, .cycles = 5001 },
	{ .pcs = in_c, .pc_count = 2, .count = 7, .cycles = 100 },
	{ .pcs = nowhere, .pc_count = 1, .count = 1, .cycles = 0 },
};

Test(delay, the_longest_first_in_nanoseconds)
{
	struct profile p;

	begin(22, four, 4);
	make(GOPROFILE_BLOCK, &p);
	cr_assert_eq(told, GO_BLOCK);
	cr_assert_eq(p.sample_count, 4);
	cr_assert_str_eq(leaf(&p, 0), "main.inner");
	cr_assert_eq(p.values[0], 1);
	cr_assert_eq(p.values[1], 2500, "5001 cycles at 2 GHz");
	cr_assert_str_eq(leaf(&p, 1), "runtime.mallocgc", "nothing is hidden");
	cr_assert_eq(p.values[3], 50);
	cr_assert_eq(p.values[4], 7);
	cr_assert_eq(p.period, 1);
	cr_assert_str_eq(strset_get(&p.strings, p.period_type.type), "contentions");
	cr_assert_str_eq(strset_get(&p.strings, p.types[1].unit), "nanoseconds");
	profile_release(&p);
	end();
}

/* Since Go 1.23 frames that are not Go's are left out, and a stack without other frames gets one at
 * address 0. */
Test(delay, what_is_not_gos)
{
	struct profile p;

	begin(22, four, 4);
	make(GOPROFILE_BLOCK, &p);
	cr_assert_eq(p.samples[2].locations, 2);
	profile_release(&p);
	end();
	begin(23, four, 4);
	make(GOPROFILE_BLOCK, &p);
	cr_assert_eq(p.samples[2].locations, 1);
	cr_assert_str_eq(leaf(&p, 2), "main.again");
	cr_assert_eq(p.samples[3].locations, 1);
	cr_assert_eq(p.locations[p.stack[p.samples[3].first_location] - 1].address, 0);
	profile_release(&p);
	end();
}

Test(delay, mutexes_were_scaled_here_up_to_1_19)
{
	struct profile p;

	rate = 3;
	begin(19, four, 4);
	make(GOPROFILE_MUTEX, &p);
	cr_assert_eq(told, GO_MUTEX);
	cr_assert_eq(p.values[0], 3);
	cr_assert_eq(p.values[1], 7501);
	profile_release(&p);
	make(GOPROFILE_BLOCK, &p);
	cr_assert_eq(p.values[0], 1);
	profile_release(&p);
	end();
	begin(20, four, 4);
	make(GOPROFILE_MUTEX, &p);
	cr_assert_eq(p.values[0], 1);
	cr_assert_eq(p.values[1], 2500);
	profile_release(&p);
	end();
}

Test(delay, text)
{
	rate = 5;
	begin(22, four, 2);
	cr_assert_str_eq(text_of(GOPROFILE_BLOCK),
			 "--- contention:\ncycles/second=2000000000\n"
			 "5001 1 @ 0x1011 0x1021 0x1031\n"
			 "#\t0x1010\tmain.inner+0x10\t\t/src/a.go:11\n"
			 "#\t0x1020\tmain.middle+0x20\t/src/a.go:21\n"
			 "#\t0x1030\tmain.outer+0x30\t\t/src/a.go:31\n\n"
			 "100 2 @ 0x4061 0x2041 0x6081\n"
			 "#\t0x4060\truntime.mallocgc+0x60\t/go/malloc.go:61\n"
			 "#\t0x2040\tmain.main+0x40\t\t/src/main.go:41\n\n");
	BEGINS(text_of(GOPROFILE_MUTEX),
	       "--- mutex:\ncycles/second=2000000000\nsampling period=5\n5001 1 @");
	end();
}
