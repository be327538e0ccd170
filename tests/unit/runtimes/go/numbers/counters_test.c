/* A made-up runtime of Go 1.26: two Ps, a few spans, sums. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/find/vars.h"
#include "runtimes/go/numbers/counters.h"

enum {
	START = 0x100000,
	BYTES = 0x10000,
	PS = 0x100,
	ALLP = 0x140,
	ALLGS = 0x160,
	SCHED = 0x200,
	PACER = 0x400,
	MEMSTATS = 0x1000,
	P = 0x4000,
	P_BYTES = 0x100,
	CACHE = 0x5000,
	CACHE_BYTES = 0x1000,
	SPAN = 0x8000,
	SPAN_BYTES = 0x100,
	EMPTY = 0x9000,
	P_MCACHE = 56,
	P_FREE = 72,
};

static uint8_t bytes[BYTES];
static struct memory_bytes memory;
static struct govars vars;
static struct gocounters state;
static struct gometric_value values[GOMETRIC_COUNT];
static const struct golayout *l;

static void put(uint64_t at, uint64_t value, size_t len)
{
	memcpy(bytes + at, &value, len);
}

static void put_slice(uint64_t at, uint64_t first, uint64_t count, uint64_t room)
{
	put(at, first, 8);
	put(at + 8, count, 8);
	put(at + 16, room, 8);
}

/* A span of class `class`, held by P `p`: `had` objects when the P took it, `has` now. */
static void put_span(unsigned p, unsigned number, unsigned class, unsigned had, unsigned has,
		     unsigned elements)
{
	uint64_t at = SPAN + number * SPAN_BYTES;

	put(at + l->elements, elements, 2);
	put(at + l->alloc_count, has, 2);
	put(at + l->alloc_count + 2, class, 1);
	put(at + l->alloc_count + 6, had, 2);
	put(at + l->alloc_count + 8, go_class_bytes[class / 2], 8);
	put(CACHE + p * CACHE_BYTES + l->spans + class * 8, START + at, 8);
}

static uint64_t delta(unsigned which)
{
	return MEMSTATS + l->heap_stats + which * l->delta_bytes + l->tiny;
}

/* Allocated: 100 objects of 32 bytes, 3 large ones of 300,000 bytes in total, and 7 tiny ones.
 * Freed: 40 of 32 bytes, and a large one of 100,000 bytes. */
static void put_sums(void)
{
	uint64_t small = 24, freed = small + GO_SIZE_CLASSES * 8;

	put(delta(0), 7, 8);
	put(delta(1) + 8, 300000, 8);
	put(delta(1) + 16, 3, 8);
	put(delta(2) + small + 4 * 8, 60, 8);
	put(delta(0) + small + 4 * 8, 40, 8);
	put(delta(1) + freed, 100000, 8);
	put(delta(1) + freed + 8, 1, 8);
	put(delta(2) + freed + 16 + 4 * 8, 40, 8);
	put(PACER + l->pacer.heap_free + 8, 300000 + 3200, 8);
	put(PACER + l->pacer.heap_free + 16, 100000 + 1280, 8);
}

static void put_ps(void)
{
	put_slice(ALLP, START + PS, 2, 2);
	for (unsigned i = 0; i < 2; i++) {
		put(PS + i * 8, START + P + i * P_BYTES, 8);
		put(P + i * P_BYTES + P_MCACHE, START + CACHE + i * CACHE_BYTES, 8);
		put(P + i * P_BYTES + P_FREE, 10 + i, 4);
		for (unsigned s = 0; s < 2 * GO_SIZE_CLASSES; s++)
			put(CACHE + i * CACHE_BYTES + l->spans + s * 8, START + EMPTY, 8);
	}
}

static void enter(void)
{
	l = golayout_of("go1.26");
	memset(bytes, 0, sizeof(bytes));
	memset(&state, 0, sizeof(state));
	vars = (struct govars){ "go1.26",
				l,
				START + MEMSTATS,
				START + PACER,
				START + SCHED,
				START + ALLP,
				START + ALLGS,
				P_MCACHE,
				P_FREE };
	put_ps();
	put_slice(ALLGS, START, 100, 128);
	put(SCHED + l->ngsys, 4, 4);
	put(SCHED + l->free_gs + 16, 20, 4);
	put(SCHED + l->free_gs + 32, 5, 4);
	put(SCHED + l->ms_made, 17, 8);
	put(SCHED + l->ms_freed, 5, 8);
	put_sums();
	put(PACER + l->pacer.heap_free + 24, 8 << 20, 8);
	put(PACER + l->pacer.limit, INT64_MAX, 8);
	put(PACER + l->pacer.goal, 4 << 20, 8);
	put(PACER + l->pacer.marked, 123456, 8);
	put(PACER + l->pacer.triggered, UINT64_MAX, 8);
	memory_bytes_init(&memory, bytes, START, sizeof(bytes));
}

static void leave(void)
{
	gocounters_release(&state);
}

TestSuite(gocounters, .init = enter, .fini = leave);

static uint64_t value(enum gometric m)
{
	gocounters_read(&state, &vars, &memory.memory, values);
	cr_assert_null(values[m].why_not, "%d: %s", m, values[m].why_not);
	return values[m].number;
}

static const char *why_not(enum gometric m)
{
	gocounters_read(&state, &vars, &memory.memory, values);
	cr_assert_not_null(values[m].why_not, "%d is %lu", m, (unsigned long)values[m].number);
	return values[m].why_not;
}

Test(gocounters, goroutines_are_all_but_free_ones_and_the_runtimes)
{
	cr_assert_eq(value(GOMETRIC_GOROUTINES), 100 - 25 - 21 - 4);
	cr_assert_eq(value(GOMETRIC_PROCS), 2);
	put(SCHED + l->free_gs + 16, 90, 4);
	cr_assert_eq(value(GOMETRIC_GOROUTINES), 1, "as runtime.gcount has it");
}

Test(gocounters, sums_are_of_all_three_parts)
{
	cr_assert_eq(value(GOMETRIC_ALLOC_BYTES), 303200);
	cr_assert_eq(value(GOMETRIC_FREE_BYTES), 101280);
	cr_assert_eq(value(GOMETRIC_HEAP), 303200 - 101280);
	cr_assert_eq(value(GOMETRIC_ALLOC_OBJECTS), 110);
	cr_assert_eq(value(GOMETRIC_FREE_OBJECTS), 48);
}

Test(gocounters, what_ps_hold_is_added)
{
	put_span(0, 0, 8, 3, 8, 256);  /* 5 of 32 bytes */
	put_span(1, 1, 9, 0, 2, 256);  /* 2 more, without pointers */
	put_span(1, 2, 135, 1, 1, 10); /* none of 32 KiB */
	put(CACHE + l->tiny_allocs, 6, 8);
	cr_assert_eq(value(GOMETRIC_ALLOC_BYTES), 303200 + 7 * 32);
	cr_assert_eq(value(GOMETRIC_ALLOC_OBJECTS), 110 + 7 + 6);
	cr_assert_eq(value(GOMETRIC_FREE_OBJECTS), 48 + 6);
}

Test(gocounters, a_span_that_is_none_is_no_number)
{
	put_span(0, 0, 8, 3, 8, 256);
	put(SPAN + l->alloc_count + 2, 10, 1); /* of another class */
	cr_assert_str_eq(why_not(GOMETRIC_ALLOC_BYTES), "its value is impossible");
	cr_assert_eq(value(GOMETRIC_GOROUTINES), 50, "others are there");
	put_span(0, 0, 8, 3, 300, 256);
	why_not(GOMETRIC_HEAP);
	put_span(0, 0, 8, 9, 8, 256);
	why_not(GOMETRIC_FREE_OBJECTS);
	put(CACHE + l->spans + 8 * 8, START + BYTES, 8);
	why_not(GOMETRIC_ALLOC_OBJECTS);
}

Test(gocounters, sums_that_disagree_are_no_number)
{
	put(PACER + l->pacer.heap_free + 8, 303200 + (100 << 20), 8);
	put(PACER + l->pacer.heap_free + 24, 200 << 20, 8);
	cr_assert_str_eq(why_not(GOMETRIC_ALLOC_BYTES), "the runtime's sums disagree");
	cr_assert_eq(value(GOMETRIC_HEAP_LIVE), 123456);
}

Test(gocounters, no_count_runs_backwards_for_what_we_saw_twice)
{
	put_span(0, 0, 8, 3, 8, 256);
	cr_assert_eq(value(GOMETRIC_ALLOC_BYTES), 303200 + 160);
	put_span(0, 0, 8, 8, 8, 256);
	cr_assert_eq(value(GOMETRIC_ALLOC_BYTES), 303200 + 160);
	cr_assert_eq(value(GOMETRIC_ALLOC_OBJECTS), 115);
}

Test(gocounters, cycles)
{
	uint64_t at = MEMSTATS + l->last_gc;

	cr_assert_eq(value(GOMETRIC_GC_CYCLES), 0);
	put(at + 8, 123456789, 8);
	why_not(GOMETRIC_GC_PAUSE); /* a pause without a GC */
	put(MEMSTATS + 7680, 17, 4);
	put(MEMSTATS + 7684, 5, 4);
	cr_assert_eq(value(GOMETRIC_GC_CYCLES), 17);
	cr_assert_eq(value(GOMETRIC_GC_FORCED), 5);
	cr_assert_eq(value(GOMETRIC_GC_PAUSE), 123456789);
	put(MEMSTATS + 7684, 18, 4);
	why_not(GOMETRIC_GC_CYCLES);
}

/* As in heapGoalInternal and memoryLimitHeapGoal of runtime/mgcpacer.go. */
Test(gocounters, the_goal_is_what_the_pacer_takes)
{
	const struct golayout_pacer *p = &l->pacer;
	uint64_t other = (8 << 20) - (303200 - 101280), limit = 64 << 20;

	cr_assert_eq(value(GOMETRIC_HEAP_GOAL), 4 << 20);
	put(PACER + p->sweep_trigger, 5 << 20, 8);
	cr_assert_eq(value(GOMETRIC_HEAP_GOAL), 5 << 20);
	put(PACER + p->triggered, 6 << 20, 8);
	cr_assert_eq(value(GOMETRIC_HEAP_GOAL), (6 << 20) + (64 << 10));
	put(PACER + p->goal, 1ull << 40, 8);
	put(PACER + p->limit, limit, 8);
	cr_assert_eq(value(GOMETRIC_HEAP_GOAL), limit - other - (limit - other) / 100 * 3);
	put(PACER + p->limit, 1 << 20, 8); /* exceeded */
	cr_assert_eq(value(GOMETRIC_HEAP_GOAL), 123456);
	put(PACER + p->heap_free, 1ull << 50, 8);
	why_not(GOMETRIC_HEAP_GOAL); /* more than is mapped */
}

Test(gocounters, what_was_not_found_says_so)
{
	vars.allp = 0;
	cr_assert_str_eq(why_not(GOMETRIC_GOROUTINES),
			 "its place is not found in the program's code");
	why_not(GOMETRIC_HEAP);
	cr_assert_eq(value(GOMETRIC_GC_CYCLES), 0);
	vars.memstats = vars.pacer = 0;
	why_not(GOMETRIC_GC_CYCLES);
	why_not(GOMETRIC_HEAP_LIVE);
}

Test(gocounters, threads_are_those_made_less_those_ended)
{
	cr_assert_eq(value(GOMETRIC_THREADS), 12);
	put(SCHED + l->ms_freed, 17, 8);
	cr_assert_str_eq(why_not(GOMETRIC_THREADS), "its value is impossible");
	put(SCHED + l->ms_freed, UINT64_MAX, 8);
	why_not(GOMETRIC_THREADS);
}

Test(gocounters, counts_of_the_targets_are_bounded)
{
	put_slice(ALLP, START + PS, 1ull << 60, 1ull << 60);
	cr_assert_str_eq(why_not(GOMETRIC_PROCS), "its value is impossible");
	put_slice(ALLP, 0x10, 2, 2);
	cr_assert_str_eq(why_not(GOMETRIC_PROCS), "the program's memory cannot be read");
	put_slice(ALLP, START + PS, 2, 2);
	put(P + P_FREE, UINT32_MAX, 4);
	why_not(GOMETRIC_GOROUTINES);
	put(P + P_FREE, 0, 4);
	put_slice(ALLGS, START, 1ull << 40, 1ull << 40);
	why_not(GOMETRIC_GOROUTINES);
}
