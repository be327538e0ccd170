/* Walks of made-up stacks of a made-up program: their frames, and how they end. */
#include <criterion/criterion.h>

#include "base/buffer.h"
#include "base/error.h"
#include "runtimes/go/stacks/args.h"
#include "runtimes/go/stacks/callers.h"
#include "runtimes/go/stacks/frames.h"
#include "tests/unit/runtimes/go/gotable.h"

enum { WORDS = 512, ROOM = 64 };

static struct golive live;
static struct image *image;
static struct gocallers *callers;
static uint64_t words[WORDS], pcs[ROOM];
static size_t ends[ROOM];
static size_t used, count, room;

static void begin(const char *version)
{
	cr_assert(table_open(&live, &image, version));
	cr_assert_eq(gocallers_new(&callers, &live), 0);
	used = 0;
	room = ROOM;
}

static void leave(void)
{
	gocallers_free(callers);
	table_close(&live, image);
}

TestSuite(gocallers, .fini = leave);

/* Pushes the frame of a function: `depth` bytes and its return address. */
static void push(enum table_function f, uint64_t return_to)
{
	used += (size_t)table_functions[f].depth / 8;
	words[used++] = return_to;
}

static void push_goexit(enum table_function last)
{
	push(last, table_pc(GOEXIT, 1));
}

static int walk(uint64_t pc, bool exact)
{
	struct gocallers_stack s = {
		.pc = pc, .exact = exact, .bytes = (const uint8_t *)words, .len = used * 8
	};

	return gocallers_walk(callers, &s, pcs, ends, room, &count);
}

#define EXPECT(...) \
	do { \
		const uint64_t want_[] = { __VA_ARGS__ }; \
		cr_assert_eq(count, sizeof(want_) / sizeof(*want_), "%zu frames", count); \
		for (size_t i_ = 0; i_ < count; i_++) \
			cr_assert_eq(pcs[i_], want_[i_], "frame %zu: %lx", i_, \
				     (unsigned long)pcs[i_]); \
	} while (0)

Test(gocallers, goes_up_by_the_depths_of_the_tables)
{
	begin("go1.22.1");
	push(LAST, table_pc(MAIN, 0x50));
	push_goexit(MAIN);
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_WHOLE);
	EXPECT(table_pc(LAST, 0x20), table_pc(MAIN, 0x50), table_pc(GOEXIT, 1));
}

/* Before a goroutine begins, its pc is a function's first byte, not a return address, and its stack
 * holds only the function's return address. */
Test(gocallers, a_goroutine_may_not_have_begun)
{
	begin("go1.22.1");
	words[used++] = table_pc(GOEXIT, 1);
	cr_assert_eq(walk(table_pc(MAIN, 0), false), GO_WALK_WHOLE);
	EXPECT(table_pc(MAIN, 0) + 1, table_pc(GOEXIT, 1));
}

Test(gocallers, an_inlined_call_is_a_frame)
{
	begin("go1.22.1");
	push_goexit(RUN);
	cr_assert_eq(walk(table_pc(RUN, 40), false), GO_WALK_WHOLE);
	EXPECT(table_pc(RUN, 40), table_pc(RUN, 0) + 1, table_pc(GOEXIT, 1));
	/* The first two are of one physical frame, which ends after the return address. goexit's
	 * end is not found. */
	cr_assert_eq(ends[0], 24);
	cr_assert_eq(ends[1], 24);
	cr_assert_eq(ends[2], used * 8);
}

static void expect_arguments(uint64_t pc, size_t bytes, const char *want)
{
	struct buffer text = { 0 };
	struct goargs args;

	gocallers_arguments(callers, pc, &args);
	cr_assert_eq(goargs_print(&args, (const uint8_t *)words, bytes, &text), 0);
	cr_assert_eq(buffer_add(&text, "", 1), 0);
	cr_assert_str_eq((const char *)text.data, want);
	buffer_release(&text);
}

Test(gocallers, arguments_are_as_go_prints_them)
{
	begin("go1.22.1");
	words[0] = 0x89abcdef01020304;
	words[1] = 0xffff;
	words[2] = 0xc000012340;
	expect_arguments(table_pc(LAST, 0x18), 32,
			 "{0x4, 0x3}, 0x89abcdef, 0xc000012340, {0x0}, _, ...");
	expect_arguments(table_pc(LAST, 0x28), 32,
			 "{0x4, 0x3}, 0x89abcdef, 0xc000012340?, {0x0}, _, ...");
	expect_arguments(table_pc(LAST, 0x28), 31,
			 "{0x4, 0x3}, 0x89abcdef, 0xc000012340?, {_}, _, ...");
	expect_arguments(table_pc(LAST, 0x28), 1, "{0x4, _}, _, _, {_}, _, ...");
	expect_arguments(table_pc(MAIN, 0x28), 32, "");
	expect_arguments(table_pc(FOREIGN, 0x28), 32, "");
	expect_arguments(0, 32, "");
	expect_arguments(UINT64_MAX, 32, "");
}

Test(gocallers, arguments_that_make_no_sense)
{
	struct goargs args = { .known_from = 0 };
	struct buffer text = { 0 };

	begin("go1.22.1");
	memset(args.ops, 8, sizeof(args.ops)); /* the last one has no size */
	cr_assert_eq(goargs_print(&args, (const uint8_t *)words, sizeof(words), &text), 0);
	cr_assert_eq(text.len, GOARGS_OPS / 2 * strlen("0x0?, ") - 2);
	text.len = 0;
	memset(args.ops, 0xfd, sizeof(args.ops));
	cr_assert_eq(goargs_print(&args, NULL, 0, &text), 0);
	cr_assert_eq(text.len, GOARGS_OPS);
	text.len = 0;
	memcpy(args.ops, (uint8_t[]){ 0, 9, 0, 0, 0xff }, 5); /* no value has such a size */
	cr_assert_eq(goargs_print(&args, (const uint8_t *)words, sizeof(words), &text), 0);
	cr_assert_eq(text.len, strlen("_, 0x0?"));
	buffer_release(&text);
}

/* At a return address, the byte before it decides which call is inlined. */
Test(gocallers, a_return_address_counts_as_the_byte_before)
{
	begin("go1.19.1");
	push_goexit(RUN);
	cr_assert_eq(walk(table_pc(RUN, 64), false), GO_WALK_WHOLE);
	EXPECT(table_pc(RUN, 64), table_pc(RUN, 0) + 1, table_pc(GOEXIT, 1));
	cr_assert_eq(walk(table_pc(RUN, 64), true), GO_WALK_WHOLE);
	EXPECT(table_pc(RUN, 64) + 1, table_pc(GOEXIT, 1));
}

Test(gocallers, wrappers_are_left_out)
{
	begin("go1.22.1");
	push(LAST, table_pc(WRAPPER, 0x50));
	push(WRAPPER, table_pc(INLINES_WRAPPER, 40));
	push_goexit(INLINES_WRAPPER);
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_WHOLE);
	EXPECT(table_pc(LAST, 0x20), table_pc(INLINES_WRAPPER, 0) + 1, table_pc(GOEXIT, 1));
}

Test(gocallers, but_not_those_that_called_a_panic)
{
	begin("go1.19.1");
	push(GOPANIC, table_pc(WRAPPER, 0x50));
	push(WRAPPER, table_pc(MAIN, 0x50));
	push_goexit(MAIN);
	cr_assert_eq(walk(table_pc(GOPANIC, 0x20), false), GO_WALK_WHOLE);
	EXPECT(table_pc(GOPANIC, 0x20), table_pc(WRAPPER, 0x50), table_pc(MAIN, 0x50),
	       table_pc(GOEXIT, 1));
}

/* The pc of a frame that a fault has interrupted is that of the instruction itself. */
Test(gocallers, a_fault_is_no_call)
{
	begin("go1.19.1");
	push(SIGPANIC, table_pc(RUN, 64));
	push_goexit(RUN);
	cr_assert_eq(walk(table_pc(SIGPANIC, 0x20), false), GO_WALK_WHOLE);
	EXPECT(table_pc(SIGPANIC, 0x20), table_pc(RUN, 64) + 1, table_pc(GOEXIT, 1));
}

Test(gocallers, nor_is_a_preemption_from_1_21_on)
{
	begin("go1.21.1");
	push(PREEMPT, table_pc(RUN, 64));
	push_goexit(RUN);
	cr_assert_eq(walk(table_pc(PREEMPT, 0x20), false), GO_WALK_WHOLE);
	EXPECT(table_pc(PREEMPT, 0x20), table_pc(RUN, 64) + 1, table_pc(GOEXIT, 1));
}

Test(gocallers, up_to_1_20_a_preemption_looks_like_a_call)
{
	begin("go1.20.1");
	push(PREEMPT, table_pc(RUN, 64));
	push_goexit(RUN);
	cr_assert_eq(walk(table_pc(PREEMPT, 0x20), false), GO_WALK_WHOLE);
	EXPECT(table_pc(PREEMPT, 0x20), table_pc(RUN, 64), table_pc(RUN, 0) + 1,
	       table_pc(GOEXIT, 1));
}

Test(gocallers, functions_that_change_stacks_end_a_walk_unless_they_begin_it)
{
	begin("go1.22.1");
	push(MOVES, table_pc(MAIN, 0x50));
	push_goexit(MAIN);
	cr_assert_eq(walk(table_pc(MOVES, 0x20), false), GO_WALK_WHOLE);
	EXPECT(table_pc(MOVES, 0x20), table_pc(MAIN, 0x50), table_pc(GOEXIT, 1));
	used = 0;
	push(LAST, table_pc(MOVES, 0x50));
	push(MOVES, table_pc(MAIN, 0x50));
	push_goexit(MAIN);
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_UNKNOWN);
	EXPECT(table_pc(LAST, 0x20), table_pc(MOVES, 0x50));
	cr_assert_eq(walk(table_pc(LAST, 0x20), true), GO_WALK_WHOLE); /* a held thread's pc */
	used = 0;
	push(LAST, table_pc(CALLBACK, 0x50));
	push_goexit(CALLBACK);
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_WHOLE);
}

Test(gocallers, says_how_a_walk_ended)
{
	begin("go1.22.1");
	push(LAST, 0x1234);
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_UNKNOWN);
	EXPECT(table_pc(LAST, 0x20));
	cr_assert_eq(walk(0x1234, false), GO_WALK_UNKNOWN);
	cr_assert_eq(count, 0);
	cr_assert_eq(walk(UINT64_MAX, false), GO_WALK_UNKNOWN);
	words[used - 1] = 0;
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_BROKEN);
	words[used - 1] = table_pc(FOREIGN, 0x20);
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_UNKNOWN);
	EXPECT(table_pc(LAST, 0x20));
	used--;
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_SHORT);
	used = 0;
	cr_assert_eq(walk(0, false), GO_WALK_SHORT);
}

Test(gocallers, takes_no_more_frames_than_there_is_room_for)
{
	begin("go1.22.1");
	for (int i = 0; i < 20; i++)
		push(LAST, table_pc(LAST, 0x30));
	push_goexit(LAST);
	room = 21;
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_DEEP);
	cr_assert_eq(count, 21);
	room = 22;
	cr_assert_eq(walk(table_pc(LAST, 0x20), false), GO_WALK_WHOLE);
	cr_assert_eq(count, 22);
}

/* LAST has called before, from a frame eight bytes higher, and has not yet written to its own. */
Test(gocallers, a_word_that_equals_the_pc_may_remain_from_a_call)
{
	begin("go1.22.1");
	words[0] = table_pc(LAST, 0x20);
	push_goexit(LAST);
	cr_assert_eq(walk(table_pc(LAST, 0x20), true), GO_WALK_WHOLE);
	EXPECT(table_pc(LAST, 0x20) + 1, table_pc(GOEXIT, 1));
}

Test(gocallers, a_call_of_nil_begins_at_the_caller)
{
	begin("go1.22.1");
	words[used++] = table_pc(LAST, 0x20);
	push_goexit(LAST);
	cr_assert_eq(walk(0, false), GO_WALK_WHOLE);
	EXPECT(table_pc(LAST, 0x20), table_pc(GOEXIT, 1));
}

/* As fpunwindExpand: all are return addresses; those of C are kept as they are. */
Test(gocallers, physical_addresses_become_logical_frames)
{
	const uint64_t physical[] = { table_pc(LAST, 0x20), 0x1234, table_pc(RUN, 40),
				      table_pc(WRAPPER, 0x20), table_pc(GOEXIT, 1) };

	begin("go1.23.1");
	cr_assert_eq(gocallers_expand(callers, physical, 5, 0, pcs, ROOM, &count), 0);
	EXPECT(table_pc(LAST, 0x20), 0x1234, table_pc(RUN, 40), table_pc(RUN, 0) + 1,
	       table_pc(GOEXIT, 1));
	cr_assert_eq(gocallers_expand(callers, physical, 5, 3, pcs, ROOM, &count), 0);
	EXPECT(table_pc(RUN, 0) + 1, table_pc(GOEXIT, 1));
	cr_assert_eq(gocallers_expand(callers, physical, 5, 1, pcs, 2, &count), 0);
	EXPECT(0x1234, table_pc(RUN, 40));
	cr_assert_eq(gocallers_expand(callers, physical, 5, 9, pcs, 2, &count), 0);
	cr_assert_eq(count, 0);
}

Test(gocallers, frames_have_names_and_lines)
{
	struct gocallers_frame f;

	begin("go1.22.1");
	cr_assert(gocallers_frame(callers, table_pc(RUN, 40), &f));
	cr_assert_str_eq(f.function, "main.small");
	cr_assert_str_eq(f.file, "/src/made.go");
	cr_assert_eq(f.line, 31);
	cr_assert_eq(f.start_line, 77);
	cr_assert_eq(f.entry, table_pc(RUN, 0));
	cr_assert(f.inlined);
	cr_assert(gocallers_frame(callers, table_pc(RUN, 0) + 1, &f));
	cr_assert_str_eq(f.function, "main.(*T).run");
	cr_assert_eq(f.line, 30);
	cr_assert_eq(f.start_line, 29);
	cr_assert(!f.inlined);
	cr_assert(gocallers_frame(callers, table_pc(RUN, 0),
				  &f)); /* not the byte before: it begins here */
	cr_assert_eq(f.line, 30);
	cr_assert(!gocallers_frame(callers, 0x1234, &f));
	cr_assert(!gocallers_frame(callers, UINT64_MAX, &f));
	cr_assert_str_eq(gocallers_function(callers, table_pc(RUN, 40)), "main.(*T).run");
	cr_assert_null(gocallers_function(callers, 0));
	/* Code of other compilers has a name but no lines. */
	cr_assert(gocallers_frame(callers, table_pc(FOREIGN, 40), &f));
	cr_assert_str_eq(f.file, "?");
	cr_assert_eq(f.line, 0);
}

Test(gocallers, names_of_instances_are_as_the_table_has_them)
{
	begin("go1.21.1");
	cr_assert_str_eq(gocallers_function(callers, table_pc(GENERIC, 0)), "main.F[go.shape.int]");
}

static void expect_print(unsigned minor, const char *name, const char *want)
{
	char text[128];

	snprintf(text, sizeof(text), "%s", name);
	goframes_for_print(text, minor);
	cr_assert_str_eq(text, want, "1.%u: %s", minor, text);
}

/* The cases of TestFuncNamePieces in runtime/traceback_test.go (Go 1.27), and more. */
Test(gocallers_names, are_as_go_prints_them)
{
	for (unsigned minor = 21; minor <= 27; minor++) {
		expect_print(minor, "main.f", "main.f");
		expect_print(minor, "main.f[int]", "main.f[...]");
		expect_print(minor, "main.f[T]", "main.f[...]");
		expect_print(minor, "main.f[]", "main.f[...]");
		expect_print(minor, "main.f[map[string]int].func1", "main.f[...].func1");
		expect_print(minor, "main.f]x[", "main.f]x[");
		expect_print(minor, "main.f[x", "main.f[x");
	}
	expect_print(26, "main.(*T[int]).Do[string]", "main.(*T[...]");
	expect_print(27, "main.(*T[int]).Do[string]", "main.(*T[...]).Do[...]");
	expect_print(27, "main.(*T[a]).Do[b].func1", "main.(*T[...]).Do[...].func1");
	expect_print(27, "main.T[[]int].Do[map[a]b]", "main.T[...].Do[...]");
	expect_print(27, "main.f[a]b]c]", "main.f[a]b]c]");
	expect_print(27, "main.f[[a]", "main.f[[a]");
}
