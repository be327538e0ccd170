/* The runtime's counters after each step of a GC cycle. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/process/process.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/gc.h"

enum {
	START = 0x10000,
	MEMSTATS = START,
	CYCLES = START + 0x3000,
	SWEEP = CYCLES + 8,
	BYTES = 0x4000
};

static const uint32_t DRAINED = 1u << 31;

static uint8_t bytes[BYTES];
static struct memory_bytes memory;
static struct process process = { .pid = 1, .pid_fd = -1 };
static struct golive live;
static struct gogc gc;

static void put(uint64_t addr, uint32_t value)
{
	memcpy(bytes + (addr - START), &value, sizeof(value));
}

static uint64_t numgc(void)
{
	return MEMSTATS + live.vars.layout->last_gc + 8 + 8 + 2 * 256 * 8;
}

static int state(uint32_t begun, uint32_t finished, uint32_t sweep)
{
	put(CYCLES, begun);
	put(numgc(), finished);
	put(SWEEP, sweep);
	return gogc_read(&live, &gc, NULL);
}

static void set_up(void)
{
	memory_bytes_init(&memory, bytes, START, sizeof(bytes));
	live = (struct golive){ .process = &process, .memory = &memory.memory };
	live.vars.layout = golayout_of("go1.26");
	live.vars.memstats = MEMSTATS;
	live.places.gc_cycles = CYCLES;
	live.places.sweep_active = SWEEP;
}

static bool over(const struct gogc *since)
{
	return gogc_over(since, &gc);
}

/* Two cycles; the first one had begun before `since`. */
Test(gogc, a_cycle_from_its_beginning, .init = set_up)
{
	struct gogc since;

	cr_assert_eq(state(7, 6, DRAINED), 0);
	since = gc;
	cr_assert(state(7, 7, 0) == 0 && !gc.swept && !over(&since));
	cr_assert(state(7, 7, 3) == 0 && !over(&since));
	cr_assert(state(7, 7, DRAINED) == 0 && gc.swept && !over(&since), "it had begun before");
	cr_assert(state(8, 7, DRAINED) == 0 && !over(&since), "it marks");
	cr_assert(state(8, 8, 0) == 0 && !over(&since));
	cr_assert(state(8, 8, DRAINED | 1) == 0 && !over(&since), "a sweeper is still at work");
	cr_assert(state(8, 8, DRAINED) == 0 && over(&since));
	cr_assert(state(9, 8, DRAINED) == 0 && over(&since), "the next one marks");
	cr_assert(state(9, 9, 0) == 0 && !over(&since), "and is not swept");
}

Test(gogc, counts_that_begin_again, .init = set_up)
{
	struct gogc since;

	cr_assert_eq(state(UINT32_MAX, UINT32_MAX, DRAINED), 0);
	since = gc;
	cr_assert(state(0, UINT32_MAX, DRAINED) == 0 && !over(&since));
	cr_assert(state(0, 0, DRAINED) == 0 && over(&since));
}

Test(gogc, what_makes_no_sense, .init = set_up)
{
	cr_assert_eq(state(5, 7, DRAINED), ERR_FORMAT);
	cr_assert_eq(state(9, 7, DRAINED), ERR_FORMAT);
	live.places.sweep_active = 0;
	cr_assert_eq(gogc_read(&live, &gc, NULL), ERR_NOTFOUND);
	live.places.sweep_active = START + BYTES;
	cr_assert_eq(gogc_read(&live, &gc, NULL), ERR_FORMAT);
}

Test(gogc, waiting_has_an_end, .init = set_up)
{
	bool ended = true;

	cr_assert_eq(state(7, 7, DRAINED), 0);
	cr_assert(gogc_wait(&live, 1, &ended, NULL) == 0 && !ended);
	live.places.gc_cycles = 0;
	cr_assert_eq(gogc_wait(&live, 1, &ended, NULL), ERR_NOTFOUND);
}
