/* Made-up goroutines in memory that can change while it is read. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "runtimes/go/stacks/callers.h"
#include "runtimes/go/stacks/goroutines.h"
#include "tests/unit/runtimes/go/gotable.h"

enum {
	BASE = 0x100000,
	BYTES = 1 << 19, /* of the whole memory */
	SLICE = BASE,
	ARRAY = BASE + 0x100,
	REASONS = BASE + 0x8000,
	TEXTS = BASE + 0x8800,
	FING_STATUS = BASE + 0x8f00,
	MS = BASE + 0x9000,
	GS = BASE + 0x10000,
	G_BYTES = 200,
	STACKS = BASE + 0x40000,
	STACK_BYTES = 0x1000,
	ALL_MAX = 64,
	/* Offsets in a g and an m. */
	G_M = 48,
	G_SP = 56,
	G_PC = 64,
	G_SYSCALL_SP = 72,
	G_SYSCALL_PC = 80,
	G_STATUS = 88,
	G_GOID = 96,
	G_SINCE = 104,
	G_REASON = 112,
	G_SEQ = 113,
	G_CLEANUPS = 114,
	G_LOCKED = 120,
	G_PARENT = 128,
	G_GO_PC = 136,
	G_START = 144,
	G_LABELS = 152,
	G_BUBBLE = 160,
	M_GSIGNAL = 16,
	M_PROCID = 24,
	M_VDSO_SP = 32,
	M_VDSO_PC = 40,
	M_TICK = 48,
};

static struct golive live;
static struct image *image;
static struct gocallers *callers;
static uint8_t bytes[BYTES];
static unsigned made, reads;
static void (*change)(unsigned read); /* called before each read; may be NULL */
static struct gogoroutines_options options;
static struct gogoroutines_stats stats;
static struct error err;

static struct told {
	struct go_goroutine g;
	char reason[64];
	uint64_t pcs[64];
} told[ALL_MAX];
static size_t told_count;

static int read_memory(const struct memory *m, uint64_t at, void *buf, size_t len)
{
	(void)m;
	if (change)
		change(reads);
	reads++;
	if (at < BASE || at - BASE > BYTES || len > BYTES - (at - BASE))
		return ERR_IO;
	memcpy(buf, bytes + (at - BASE), len);
	return 0;
}

static const struct memory memory = { .read = read_memory };

static void put(uint64_t at, uint64_t value, size_t len)
{
	memcpy(bytes + (at - BASE), &value, len);
}

static uint64_t g_at(unsigned i)
{
	return GS + i * 256;
}

static uint64_t high_of(unsigned i)
{
	return STACKS + (i + 1) * STACK_BYTES;
}

static void begin(const char *version)
{
	static const struct gofields fields = {
		.g = { .bytes = G_BYTES,
		       .m = G_M,
		       .sp = G_SP,
		       .pc = G_PC,
		       .bp = 168,
		       .syscall_sp = G_SYSCALL_SP,
		       .syscall_pc = G_SYSCALL_PC,
		       .status = G_STATUS,
		       .goid = G_GOID,
		       .wait_since = G_SINCE,
		       .wait_reason = G_REASON,
		       .tracking_seq = G_SEQ,
		       .locked_m = G_LOCKED,
		       .go_pc = G_GO_PC,
		       .start_pc = G_START,
		       .labels = G_LABELS,
		       .parent = G_PARENT,
		       .running_cleanups = G_CLEANUPS,
		       .bubble = G_BUBBLE },
		.m = { .gsignal = M_GSIGNAL,
		       .procid = M_PROCID,
		       .vdso_sp = M_VDSO_SP,
		       .vdso_pc = M_VDSO_PC,
		       .syscall_tick = M_TICK },
	};

	cr_assert(table_open(&live, &image, version));
	cr_assert_eq(gocallers_new(&callers, &live), 0);
	live.fields = fields;
	live.memory = &memory;
	live.places.all_gs = SLICE;
	live.places.wait_reasons = REASONS;
	live.places.fing_status = FING_STATUS;
	memset(bytes, 0, sizeof(bytes));
	put(SLICE, ARRAY, 8);
	put(SLICE + 16, ALL_MAX, 8);
	options = (struct gogoroutines_options){ .stacks = true };
	change = NULL;
	made = 0;
}

static void leave(void)
{
	gocallers_free(callers);
	table_close(&live, image);
}

TestSuite(gogoroutines, .fini = leave);

static void put_reason(unsigned i, const char *text)
{
	memcpy(bytes + (TEXTS + i * 64 - BASE), text, strlen(text));
	put(REASONS + i * 16, TEXTS + i * 64, 8);
	put(REASONS + i * 16 + 8, strlen(text), 8);
}

/* Makes a goroutine that is in main.last, called by main.main. Returns its g. */
static uint64_t make(enum go_status status)
{
	uint64_t g = g_at(made), high = high_of(made), sp = high - 0x100;

	put(ARRAY + made * 8, g, 8);
	put(g, high - STACK_BYTES, 8);
	put(g + 8, high, 8);
	put(g + G_SP, sp, 8);
	put(g + G_PC, table_pc(LAST, 0x20), 8);
	put(sp + 24, table_pc(MAIN, 0x50), 8);
	put(sp + 32 + 0x80, table_pc(GOEXIT, 1), 8);
	put(g + G_STATUS, status, 4);
	put(g + G_GOID, ++made, 8);
	put(g + G_START, table_pc(MAIN, 0), 8);
	put(SLICE + 8, made, 8);
	return g;
}

static int take(void *ctx, const struct go_goroutine *g, struct error *e)
{
	struct told *t = &told[told_count++];

	(void)e;
	t->g = *g;
	snprintf(t->reason, sizeof(t->reason), "%s", g->wait_reason);
	for (size_t i = 0; i < g->pc_count && i < 64; i++)
		t->pcs[i] = g->pcs[i];
	return ctx ? *(int *)ctx : 0;
}

static int read_all(void)
{
	told_count = reads = 0;
	return gogoroutines_read(&live, callers, &options, take, NULL, &stats, &err);
}

static void expect_stack(size_t i)
{
	cr_assert(told[i].g.has_stack);
	cr_assert_eq(told[i].g.end, GO_WALK_WHOLE);
	cr_assert_eq(told[i].g.pc_count, 3);
	cr_assert_eq(told[i].pcs[1], table_pc(MAIN, 0x50));
}

Test(gogoroutines, all_are_told_in_order)
{
	uint64_t g;

	begin("go1.25.1");
	put_reason(14, "chan receive");
	make(GO_RUNNABLE);
	g = make(GO_WAITING);
	put(g + G_REASON, 14, 1);
	put(g + G_SEQ, 7, 1);
	put(g + G_SINCE, 12345, 8);
	put(g + G_LOCKED, MS, 8);
	put(g + G_PARENT, 1, 8);
	put(g + G_GO_PC, table_pc(MAIN, 0x40), 8);
	put(g + G_LABELS, 0x1111, 8);
	put(g + G_BUBBLE, 0x2222, 8);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 2);
	cr_assert_eq(stats.goroutines, 2);
	cr_assert_eq(stats.ends[GO_WALK_WHOLE], 2);
	cr_assert_eq(stats.again + stats.without_stack + stats.left_out, 0);
	expect_stack(0);
	expect_stack(1);
	cr_assert_eq(told[0].g.status, GO_RUNNABLE);
	cr_assert_str_eq(told[0].reason, "");
	cr_assert(!told[0].g.locked && !told[0].g.parent);
	cr_assert_eq(told[1].g.goid, 2);
	cr_assert_eq(told[1].g.g, g);
	cr_assert_str_eq(told[1].reason, "chan receive");
	cr_assert_eq(told[1].g.tracking_seq, 7);
	cr_assert_eq(told[1].g.wait_since, 12345);
	cr_assert(told[1].g.locked);
	cr_assert_eq(told[1].g.parent, 1);
	cr_assert_eq(told[1].g.go_pc, table_pc(MAIN, 0x40));
	cr_assert_eq(told[1].g.start_pc, table_pc(MAIN, 0));
	cr_assert_eq(told[1].g.labels, 0x1111);
	cr_assert_eq(told[1].g.bubble, 0x2222);
}

Test(gogoroutines, fields_that_a_release_does_not_have_are_nothing)
{
	uint64_t g;

	begin("go1.18.1");
	g = make(GO_WAITING);
	put(g + G_PARENT, 1, 8);
	put(g + G_BUBBLE, 1, 8);
	live.fields.g.parent = live.fields.g.bubble = live.fields.g.running_cleanups = GO_NO_FIELD;
	cr_assert_eq(read_all(), 0);
	cr_assert(!told[0].g.parent && !told[0].g.bubble);
}

Test(gogoroutines, dead_ones_are_not_told)
{
	begin("go1.27.1");
	make(GO_IDLE);
	make(GO_DEAD);
	make(GO_DEADEXTRA);
	make(0x1000 | GO_DEAD);
	make(GO_LEAKED);
	make(GO_PREEMPTED);
	make(GO_COPYSTACK);
	put(g_at(4) + G_STATUS, 0x1000 | GO_LEAKED, 4);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 3);
	cr_assert_eq(told[0].g.status, GO_LEAKED);
	cr_assert(told[0].g.scan && !told[1].g.scan);
	for (size_t i = 0; i < 3; i++)
		expect_stack(i);
	cr_assert_eq(stats.left_out, 0);
}

Test(gogoroutines, what_is_none_is_left_out)
{
	begin("go1.25.1");
	make(5);
	put(make(GO_WAITING) + G_GOID, 0, 8);
	put(make(GO_WAITING), 0, 8);		  /* stack.lo */
	put(make(GO_WAITING) + 8, 1ull << 60, 8); /* stack.hi */
	make(GO_WAITING);
	put(ARRAY + 4 * 8, g_at(4) + 4, 8);
	make(GO_WAITING);
	put(ARRAY + 5 * 8, 0, 8);
	make(GO_WAITING);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 1);
	expect_stack(0);
	cr_assert_eq(stats.left_out, 6);
}

/* runtime/stack.go, copystack: low, high and sp are set one after the other. */
static void exchange(unsigned i, unsigned done)
{
	const uint64_t low = high_of(6), words[] = { low, low + STACK_BYTES, low + 0x100 };

	for (unsigned k = 0; k < done; k++)
		put(g_at(i) + (k < 2 ? k * 8 : G_SP), words[k], 8);
}

Test(gogoroutines, held_amid_an_exchange_of_its_stack_it_has_none)
{
	begin("go1.26.1");
	for (unsigned done = 1; done <= 2; done++) {
		made = 0;
		make(GO_COPYSTACK);
		exchange(0, done);
		make(GO_WAITING);
		put(g_at(1) + G_STATUS, 0x1000 | GO_WAITING, 4);
		exchange(1, done);
		cr_assert_eq(read_all(), 0);
		cr_assert_eq(told_count, 2);
		cr_assert(!told[0].g.has_stack && !told[1].g.has_stack);
		cr_assert_eq(stats.without_stack, 2);
		cr_assert_eq(stats.left_out, 0);
	}
	exchange(0, 3);
	cr_assert_eq(read_all(), 0);
	cr_assert(told[0].g.has_stack);
}

Test(gogoroutines, those_of_the_runtime_are_told_when_asked_for)
{
	static const enum table_function starts[] = { SYSTEM, RUNTIME_MAIN, FING, CLEANUPS, MAIN };
	static const bool is[] = { true, false, true, true, false };

	begin("go1.24.1");
	for (unsigned i = 0; i < 5; i++)
		put(make(GO_WAITING) + G_START, table_pc(starts[i], 0), 8);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 2);
	options.system = true;
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 5);
	for (unsigned i = 0; i < 5; i++)
		cr_assert_eq(told[i].g.system, is[i], "%u", i);
	/* Finalizers and cleanups, so functions of the program, run now. */
	put(FING_STATUS, 2, 4);
	put(g_at(3) + G_CLEANUPS, 1, 1);
	options.system = false;
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 4);
}

Test(gogoroutines, fingrunning_was_a_bool_once)
{
	begin("go1.19.1");
	put(make(GO_WAITING) + G_START, table_pc(FING, 0), 8);
	put(FING_STATUS, 0x100, 4);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 0);
	put(FING_STATUS, 1, 1);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 1);
}

Test(gogoroutines, in_a_system_call_the_stack_begins_where_it_was_entered)
{
	uint64_t g, sp;

	begin("go1.25.1");
	g = make(GO_SYSCALL);
	sp = high_of(0) - 0x200;
	put(g + G_SP, 0, 8);
	put(g + G_M, MS, 8);
	put(g + G_SYSCALL_SP, sp, 8);
	put(g + G_SYSCALL_PC, table_pc(GENERIC, 0x20), 8);
	put(sp + 8, table_pc(GOEXIT, 1), 8);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told[0].g.pc_count, 2);
	cr_assert_eq(told[0].pcs[0], table_pc(GENERIC, 0x20));
	put(g + G_STATUS, GO_RUNNING, 4); /* it has just returned from the call */
	cr_assert_eq(read_all(), 0);
	cr_assert(told[0].g.has_stack);
}

Test(gogoroutines, a_running_one_has_no_stack)
{
	begin("go1.25.1");
	make(GO_RUNNING);
	make(GO_WAITING);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 2);
	cr_assert(!told[0].g.has_stack);
	cr_assert_eq(told[0].g.pc_count, 0);
	cr_assert_eq(stats.without_stack, 1);
	cr_assert_gt(stats.again, 0);
	expect_stack(1);
}

/* The number, from 0, of the first read of a stack. The reads are: the slice four times, the array,
 * the slice twice; the g; its state, its stack, its state. */
enum { FIRST_STACK = 9 };

static void runs_once(unsigned read)
{
	if (read == FIRST_STACK)
		bytes[g_at(0) - BASE + G_SEQ]++;
}

static void runs_always(unsigned read)
{
	(void)read;
	bytes[g_at(0) - BASE + G_SEQ]++;
}

static void grows_at_once(unsigned read)
{
	if (read == FIRST_STACK)
		put(g_at(0), STACKS - STACK_BYTES, 8);
}

static void ends_at_once(unsigned read)
{
	if (read == FIRST_STACK)
		put(g_at(0) + G_STATUS, GO_DEAD, 4);
}

Test(gogoroutines, one_that_has_run_meanwhile_is_read_again)
{
	begin("go1.25.1");
	make(GO_WAITING);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(stats.again, 0);
	change = runs_once;
	cr_assert_eq(read_all(), 0);
	expect_stack(0);
	cr_assert_eq(stats.again, 1);
	cr_assert_eq(told[0].g.tracking_seq, 1);
	change = grows_at_once;
	cr_assert_eq(read_all(), 0);
	expect_stack(0);
	cr_assert_eq(stats.again, 1);
	change = runs_always;
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 1);
	cr_assert(!told[0].g.has_stack);
	cr_assert_eq(stats.without_stack, 1);
	change = ends_at_once;
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 0);
	cr_assert_eq(stats.left_out, 0);
}

/* It runs while its stack is copied, and is then preempted by the GC at the same place. */
static void preempted_there_again(unsigned read)
{
	if (read == FIRST_STACK)
		put(high_of(0) - 0x100 + 24, 0x1234, 8);
	else if (read == FIRST_STACK + 1)
		put(high_of(0) - 0x100 + 24, table_pc(MAIN, 0x50), 8);
}

static void never_the_same(unsigned read)
{
	put(high_of(0) - 0x100 + 24, table_pc(MAIN, 0x50 + read % 3), 8);
}

Test(gogoroutines, a_stack_in_doubt_is_looked_at_twice)
{
	static const enum go_status statuses[] = { GO_PREEMPTED, GO_RUNNABLE, GO_WAITING };

	begin("go1.25.1");
	make(GO_PREEMPTED);
	for (size_t i = 0; i < 3; i++) {
		put(g_at(0) + G_STATUS, statuses[i], 4);
		change = preempted_there_again;
		cr_assert_eq(read_all(), 0);
		expect_stack(0);
		cr_assert_eq(stats.again, 1);
	}
	/* A stack that leads nowhere at each reading. */
	change = NULL;
	put(high_of(0) - 0x100 + 24, 0x1234, 8);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told[0].g.end, GO_WALK_UNKNOWN);
	cr_assert_eq(stats.again, 0);
	put(g_at(0) + G_STATUS, GO_RUNNABLE, 4);
	change = never_the_same;
	cr_assert_eq(read_all(), 0);
	cr_assert(told_count == 1 && !told[0].g.has_stack && !told[0].g.pc_count);
	cr_assert_eq(stats.without_stack, 1);
}

static void calls_again(unsigned read)
{
	if (read == FIRST_STACK + 1)
		bytes[MS - BASE + M_TICK]++;
}

Test(gogoroutines, another_system_call_is_seen_from_the_threads_tick)
{
	uint64_t g;

	begin("go1.27.1");
	g = make(GO_SYSCALL);
	put(g + G_M, MS, 8);
	put(g + G_SYSCALL_SP, high_of(0) - 0x100, 8);
	put(g + G_SYSCALL_PC, table_pc(LAST, 0x20), 8);
	change = calls_again;
	cr_assert_eq(read_all(), 0);
	expect_stack(0);
	cr_assert_eq(stats.again, 1);
}

/* The stack is larger than what is read at first. */
Test(gogoroutines, long_stacks_are_read_whole)
{
	uint64_t g, sp = STACKS + 64, high = STACKS + (100 << 10);

	begin("go1.25.1");
	g = make(GO_WAITING);
	put(g, STACKS, 8);
	put(g + 8, high, 8);
	put(g + G_SP, sp, 8);
	for (uint64_t at = sp + 24; at + 32 < high; at += 32)
		put(at, at + 64 < high ? table_pc(LAST, 0x30) : table_pc(GOEXIT, 1), 8);
	options.max_frames = 10000;
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told[0].g.end, GO_WALK_WHOLE);
	cr_assert_gt(told[0].g.pc_count, 3000);
	cr_assert_eq(stats.again, 0);
	options.max_frames = 0; /* the default: 32 up to Go 1.22, then 128 */
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told[0].g.end, GO_WALK_DEEP);
	cr_assert_eq(told[0].g.pc_count, 128);
	cr_assert_eq(stats.ends[GO_WALK_DEEP], 1);
}

Test(gogoroutines, without_stacks_none_is_read)
{
	begin("go1.25.1");
	make(GO_WAITING);
	make(GO_RUNNING);
	options.stacks = false;
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 2);
	cr_assert(!told[0].g.has_stack);
	cr_assert_eq(stats.without_stack, 0);
}

Test(gogoroutines, reasons_that_are_no_text_are_none)
{
	begin("go1.25.1");
	put_reason(1, "sel\x1b[31mect");
	put_reason(2, "ok");
	put(REASONS + 3 * 16, 16, 8);
	put(REASONS + 3 * 16 + 8, 5, 8);
	put(REASONS + 4 * 16, TEXTS, 8);
	put(REASONS + 4 * 16 + 8, 1ull << 40, 8);
	for (unsigned i = 0; i <= 4; i++)
		put(make(GO_WAITING) + G_REASON, i, 1);
	put(make(GO_WAITING) + G_REASON, 255, 1);
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 6);
	for (unsigned i = 0; i < 6; i++)
		cr_assert_str_eq(told[i].reason, i == 2 ? "ok" : "");
}

Test(gogoroutines, a_list_that_is_none_is_refused)
{
	static const uint64_t wrong[][3] = {
		{ 0, 1, 64 },
		{ ARRAY + 4, 1, 64 },
		{ ARRAY, 0, 64 },
		{ ARRAY, 65, 64 },
		{ ARRAY, 1ull << 40, 1ull << 40 },
		{ 0x10, 1, 64 },
	};

	begin("go1.25.1");
	make(GO_WAITING);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		memcpy(bytes + (SLICE - BASE), wrong[i], sizeof(wrong[i]));
		cr_assert_eq(read_all(), ERR_FORMAT, "%zu", i);
		cr_assert_eq(told_count, 0);
	}
	live.places.all_gs = 0;
	cr_assert_eq(read_all(), ERR_FORMAT);
	live.vars.allgs = SLICE; /* the address found by other code */
	put(SLICE, ARRAY, 8);
	cr_assert_eq(read_all(), 0);
}

/* allgs moves to a larger array, and the memory of the old one is reused. */
static void list_moves(unsigned read)
{
	if (read != 4)
		return;
	memcpy(bytes + (ARRAY + 0x400 - BASE), bytes + (ARRAY - BASE), 64);
	memset(bytes + (ARRAY - BASE), 0xee, 64);
	put(SLICE, ARRAY + 0x400, 8);
}

Test(gogoroutines, the_list_may_move)
{
	begin("go1.25.1");
	make(GO_WAITING);
	make(GO_WAITING);
	change = list_moves;
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(told_count, 2);
	cr_assert_eq(stats.left_out, 0);
}

Test(gogoroutines, fields_beyond_a_g_are_refused)
{
	begin("go1.25.1");
	make(GO_WAITING);
	live.fields.g.labels = G_BYTES - 4;
	cr_assert_eq(gocheck(&live, &err), ERR_FORMAT);
	live.fields.g.labels = G_LABELS;
	live.fields.g.bytes = 1 << 20;
	cr_assert_eq(gocheck(&live, &err), ERR_FORMAT);
}

Test(gogoroutines, the_callback_may_end_it)
{
	int stop = 7;

	begin("go1.25.1");
	make(GO_WAITING);
	make(GO_WAITING);
	told_count = 0;
	cr_assert_eq(gogoroutines_read(&live, callers, &options, take, &stop, &stats, &err), 7);
	cr_assert_eq(told_count, 1);
}

/* From here on: goroutines that run on held threads. */

static uint64_t make_running(void)
{
	uint64_t g = make(GO_RUNNING);

	put(g + G_M, MS, 8);
	put(MS + M_PROCID, 77, 8);
	put(g + G_SP, 0, 8);
	return g;
}

static void hold(uint64_t pc, uint64_t sp)
{
	static struct go_held held[2];

	held[0] = (struct go_held){ .thread = 76 };
	held[1] = (struct go_held){ .thread = 77, .pc = pc, .sp = sp };
	options.held = held;
	options.held_count = 2;
}

static void expect_held_stack(uint64_t first)
{
	cr_assert_eq(read_all(), 0);
	cr_assert_eq(stats.again, 0);
	expect_stack(0);
	cr_assert_eq(told[0].pcs[0], first, "%lx", (unsigned long)told[0].pcs[0]);
}

Test(gogoroutines, a_held_one_is_where_its_registers_say)
{
	begin("go1.25.1");
	make_running();
	hold(table_pc(LAST, 0x20), high_of(0) - 0x100);
	expect_held_stack(table_pc(LAST, 0x20) + 1);
}

/* gogo has already set the stack pointer; sched.sp is 0 by then. */
Test(gogoroutines, one_that_is_about_to_run_is_where_it_will)
{
	begin("go1.25.1");
	make_running();
	hold(table_pc(GOGO, 0x20), high_of(0) - 0x100);
	expect_held_stack(table_pc(LAST, 0x20));
}

Test(gogoroutines, in_the_vdso_it_is_where_that_was_called)
{
	begin("go1.25.1");
	make_running();
	put(MS + M_VDSO_SP, high_of(0) - 0x100, 8);
	put(MS + M_VDSO_PC, table_pc(LAST, 0x28), 8);
	hold(0x7fff0000, BASE);
	expect_held_stack(table_pc(LAST, 0x28));
}

Test(gogoroutines, on_the_threads_own_stack_it_is_where_it_was_left)
{
	uint64_t g;

	begin("go1.25.1");
	g = make_running();
	put(g + G_SP, high_of(0) - 0x100, 8);
	hold(0x7fff0000, BASE);
	expect_held_stack(table_pc(LAST, 0x20));
}

Test(gogoroutines, in_a_handler_it_is_where_the_signal_came)
{
	uint64_t gsignal = MS + 0x80, low = BASE + 0x30000, high = low + 0x4000;
	uint64_t context = high - 0x400;

	begin("go1.25.1");
	make_running();
	put(MS + M_GSIGNAL, gsignal, 8);
	put(gsignal, low, 8);
	put(gsignal + 8, high, 8);
	put(context - 0x400 + 16, low, 8); /* similar to a context */
	put(context + 16, low, 8);
	put(context + 32, high - low, 8);
	put(context + 160, high_of(0) - 0x100, 8);
	put(context + 168, table_pc(LAST, 0x24), 8);
	hold(0x7fff0000, context - 0x800);
	expect_held_stack(table_pc(LAST, 0x24) + 1);
	/* It has pushed the interrupted pc and has not yet set the new one. */
	put(high_of(0) - 0x108, table_pc(LAST, 0x24), 8);
	put(context + 160, high_of(0) - 0x108, 8);
	expect_held_stack(table_pc(LAST, 0x24) + 1);
	put(context + 32, 1, 8); /* not a context: the interrupted pc is unknown */
	cr_assert_eq(read_all(), 0);
	cr_assert(!told[0].g.has_stack);
}

Test(gogoroutines, one_whose_thread_is_not_held_has_no_stack)
{
	begin("go1.25.1");
	make_running();
	hold(table_pc(LAST, 0x20), high_of(0) - 0x100);
	put(MS + M_PROCID, 78, 8);
	cr_assert_eq(read_all(), 0);
	cr_assert(!told[0].g.has_stack);
}
