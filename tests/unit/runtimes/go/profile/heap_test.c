/* The heap profile of made-up buckets: values, labels, hidden frames, and differences between
 * releases. */
#include "tests/unit/runtimes/go/profile/made_up_process.h"

static const uint64_t in_main[] = { MALLOC, MAPS, MAIN, EXIT }, in_runtime[] = { MALLOC, EXIT },
		      in_inner[] = { INNER, MIDDLE, OUTER, MAIN };

static const struct go_bucket three[] = {
	{ .pcs = in_main,
	  .pc_count = 4,
	  .size = 100,
	  .allocs = 3,
	  .frees = 1,
	  .alloc_bytes = 300,
	  .free_bytes = 100 },
	{ .pcs = in_runtime, .pc_count = 2, .size = 5000, .allocs = 1, .alloc_bytes = 5000 },
	{ .pcs = in_inner, .pc_count = 4, .size = 64 },
};

Test(heap, values_and_labels)
{
	struct profile p;

	rate = 1;
	begin(24, three, 3);
	make(GOPROFILE_HEAP, &p);
	cr_assert_eq(told, GO_HEAP);
	cr_assert_eq(p.type_count, 4);
	cr_assert_eq(p.sample_count, 3, "those without numbers, too");
	cr_assert_eq(p.values[0], 3);
	cr_assert_eq(p.values[1], 300);
	cr_assert_eq(p.values[2], 2);
	cr_assert_eq(p.values[3], 200);
	cr_assert_eq(p.labels[0].num, 100);
	cr_assert_eq(p.samples[2].labels, 0, "up to 1.26: nothing was allocated");
	cr_assert_eq(p.period, 1);
	cr_assert_str_eq(strset_get(&p.strings, p.period_type.type), "space");
	cr_assert_eq(p.default_type, 0);
	cr_assert_eq(p.comment_count, 1);
	cr_assert_gt(p.mapping_count, 0);
	profile_release(&p);
	end();
}

/* The results of Go's scaleHeapSample for these buckets. */
Test(heap, values_are_estimates)
{
	struct profile p;

	rate = 512 << 10;
	begin(24, three, 3);
	make(GOPROFILE_HEAP, &p);
	cr_assert_eq(p.values[0], 15730);
	cr_assert_eq(p.values[1], 1573014);
	cr_assert_eq(p.values[2], 10486);
	cr_assert_eq(p.values[4], 105);
	cr_assert_eq(p.values[8], 0);
	profile_release(&p);
	end();
}

Test(heap, runtime_frames_are_hidden)
{
	struct profile p;

	rate = 1;
	begin(24, three, 3);
	make(GOPROFILE_HEAP, &p);
	cr_assert_str_eq(leaf(&p, 0), "main.main");
	cr_assert_str_eq(leaf(&p, 1), "runtime.mallocgc", "there is no other");
	cr_assert_eq(p.samples[1].locations, 1);
	profile_release(&p);
	end();
	begin(23, three, 3);
	make(GOPROFILE_HEAP, &p);
	cr_assert_str_eq(leaf(&p, 0), "internal/runtime/maps.grow", "hidden since 1.24");
	profile_release(&p);
	end();
}

Test(heap, since_1_27_each_bucket_has_its_size)
{
	struct profile p;

	rate = 1;
	begin(27, three, 3);
	make(GOPROFILE_HEAP, &p);
	cr_assert_eq(p.samples[2].labels, 1);
	cr_assert_eq(p.labels[2].num, 64);
	profile_release(&p);
	end();
}

Test(heap, what_is_void_is_not_told)
{
	struct profile p;

	rate = 1;
	void_count = 2;
	bucket_stats.again = 1;
	begin(24, three, 3);
	make(GOPROFILE_HEAP, &p);
	cr_assert_eq(p.sample_count, 3);
	cr_assert_eq(p.type_count, 4);
	cr_assert_eq(p.comment_count, 2);
	cr_assert_str_eq(strset_get(&p.strings, p.comments[1]),
			 "reads repeated, since the program had gone on: 1");
	cr_assert_not_null(strstr(text_of(GOPROFILE_HEAP), "heap profile: 3: 5200 ["));
	profile_release(&p);
	end();
}

Test(heap, text)
{
	rate = 512 << 10;
	begin(22, three, 2);
	BEGINS(text_of(GOPROFILE_HEAP), "heap profile: 3: 5200 [4: 5300] @ heap/1048576\n"
					"1: 5000 [1: 5000] @ 0x4061 0x6081\n"
					"#\t0x4060\truntime.mallocgc+0x60\t/go/malloc.go:61\n\n"
					"2: 200 [3: 300] @ 0x4061 0x5071 0x2041 0x6081\n");
	cr_assert_not_null(strstr(text_of(GOPROFILE_HEAP), "\n\n\n# runtime.MemStats\n"));
	cr_assert_not_null(strstr(text_of(GOPROFILE_HEAP),
				  "# Mallocs = 90\n# Frees = 20\n# HeapAlloc = 5000\n"
				  "# HeapObjects = 70\n# NextGC = 7000\n# NumForcedGC = 0\n"));
	cr_assert_not_null(strstr(text_of(GOPROFILE_HEAP), "# MaxRSS = "));
	cr_assert_null(strstr(text_of(GOPROFILE_HEAP), "NumGC"), "which is not known");
	end();
	begin(23, three, 2);
	BEGINS(text_of(GOPROFILE_HEAP), "heap profile: 3: 5200 [4: 5300] @ heap/1048576\n"
					"2: 200 [3: 300] @ 0x4061 0x5071 0x2041 0x6081\n");
	end();
}

/* If nothing was freed, Go 1.20 and later add 1 byte: pprof would take equal pairs for a profile of
 * two columns. */
Test(heap, text_where_nothing_was_freed)
{
	rate = 1;
	begin(20, three + 1, 1);
	BEGINS(text_of(GOPROFILE_HEAP), "heap profile: 1: 5000 [1: 5001] @ heap/2\n");
	end();
	begin(19, three + 1, 1);
	BEGINS(text_of(GOPROFILE_HEAP), "heap profile: 1: 5000 [1: 5000] @ heap/2\n");
	end();
}
