#include "goparse/summary/stuck.h"

#include <criterion/criterion.h>

#include "tests/unit/goparse/goroutines.h"

static struct stuck *s;

static void begin(void)
{
	cr_assert(!stuck_new(&s, NULL));
	stuck_next_dump(s);
}

static void end(void)
{
	stuck_free(s);
}

TestSuite(stuck, .init = begin, .fini = end);

static bool add(const struct goparse_goroutine *g)
{
	bool all;

	cr_assert(!stuck_add(s, g, &all, NULL));
	return all;
}

/* Adds a goroutine to the current dump. True if it was the same in all dumps before. */
static bool stack(uint64_t id, const char *state, const char *frames)
{
	struct goparse_goroutine g = { .state = text_of(state) };
	struct made_stack m;

	g.stack = make_stack(&m, frames, "main.main");
	g.stack.id = id;
	return add(&g);
}

Test(stuck, all_of_the_first_dump)
{
	cr_assert(stack(1, "select", "a b"));
	cr_assert(stack(2, "select", "a b"));
	cr_assert(stack(3, "running", ""));
}

Test(stuck, what_stands_still_and_what_does_not)
{
	stack(1, "select", "a b");
	stack(2, "select", "a b");
	stack(3, "select", "a b");
	stack(4, "select", "a b");
	stuck_next_dump(s);
	cr_assert(stack(1, "select", "a b"));
	cr_assert_not(stack(2, "IO wait", "a b"), "another state");
	cr_assert_not(stack(3, "select", "a b:2"), "another line");
	cr_assert_not(stack(4, "select", "a b c"), "one frame more");
	cr_assert_not(stack(5, "select", "a b"), "not there before");
}

Test(stuck, missing_or_different_once_is_enough)
{
	stack(1, "select", "a");
	stack(2, "select", "a");
	stack(3, "select", "a");
	stuck_next_dump(s);
	stack(1, "select", "a");
	stack(3, "select", "b");
	stuck_next_dump(s);
	cr_assert(stack(1, "select", "a"));
	cr_assert_not(stack(2, "select", "a"));
	cr_assert_not(stack(3, "select", "a"), "as it was, but not in between");
	cr_assert_not(stack(3, "select", "b"));
}

Test(stuck, what_came_after_the_first_dump_is_never_in_all)
{
	stuck_next_dump(s);
	cr_assert_not(stack(1, "select", "a"));
	stuck_next_dump(s);
	cr_assert_not(stack(1, "select", "a"));
}

static bool frame(const char *state, const char *function, const char *file)
{
	struct goparse_frame f = { .function = text_of(function), .file = text_of(file) };
	struct goparse_goroutine g = { .state = text_of(state) };

	g.stack = (struct goparse_stack){ .frames = &f, .count = 1 };
	return add(&g);
}

/* Stacks differ, too, if their texts are the same when joined but divided elsewhere. */
Test(stuck, all_texts_count)
{
	frame("select", "main.f", "/go");
	stuck_next_dump(s);
	cr_assert(frame("select", "main.f", "/go"));
	cr_assert_not(frame("select", "main.f", "/g"));
	cr_assert_not(frame("select", "main.f/", "go"));
	cr_assert_not(frame("selectm", "ain.f", "/go"));
}

Test(stuck, creator_and_elided_frames_count)
{
	struct made_stack m;
	struct goparse_goroutine g = { .state = text_of("select") };

	g.stack = make_stack(&m, "a ... b", "c");
	add(&g);
	stuck_next_dump(s);
	cr_assert(add(&g));
	g.stack.elided_count = 7;
	cr_assert_not(add(&g), "it has called more since");
	g.stack.elided_count = 0;
	g.stack.elided_at = 2;
	cr_assert_not(add(&g));
	g.stack.elided_at = 1;
	g.stack.created_by.line++;
	cr_assert_not(add(&g));
	g.stack.created_by.line--;
	cr_assert(add(&g));
}

Test(stuck, what_passes_does_not_count)
{
	struct made_stack m;
	struct goparse_goroutine g = { .state = text_of("select"), .flags = GOPARSE_SCAN };

	g.stack = make_stack(&m, "a", NULL);
	add(&g);
	stuck_next_dump(s);
	g.flags = 0;
	g.wait_ns = 60000000000;
	g.line = 5;
	m.frames[0].pc_offset = 1;
	cr_assert(add(&g));
}

Test(stuck, unknown_stacks_are_not_equal)
{
	struct goparse_goroutine g = { .state = text_of("running"), .stack.id = 9 };

	g.stack.unavailable = true;
	cr_assert(add(&g));
	stuck_next_dump(s);
	cr_assert_not(add(&g));
	cr_assert_not(stack(10, "running", ""));
}

Test(stuck, threads_of_one_id)
{
	stack(0, "idle", "a");
	stack(0, "idle", "b");
	stuck_next_dump(s);
	cr_assert(stack(0, "idle", "b"));
	cr_assert(stack(0, "idle", "a"));
	cr_assert(stack(0, "idle", "a"));
	cr_assert_not(stack(0, "idle", "c"));
}

/* A stack that is hashed in several parts, with a difference at either end. */
Test(stuck, long_stacks)
{
	enum { COUNT = 5000 };
	struct goparse_frame *frames = calloc(COUNT, sizeof(*frames));
	struct goparse_goroutine g = { .stack = { .frames = frames, .count = COUNT } };

	cr_assert(frames);
	for (size_t i = 0; i < COUNT; i++)
		frames[i] = (struct goparse_frame){ .function = text_of("main.recurse"),
						    .file = text_of("/main.go"),
						    .line = i };
	add(&g);
	stuck_next_dump(s);
	cr_assert(add(&g));
	frames[0].line++;
	cr_assert_not(add(&g));
	frames[0].line--;
	frames[COUNT - 1].function = text_of("main.Recurse");
	cr_assert_not(add(&g));
	frames[COUNT - 1].function = text_of("main.recurse");
	cr_assert(add(&g));
	free(frames);
}

Test(stuck, many)
{
	enum { COUNT = 20000 };
	char name[16];

	for (uint64_t i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "f%lu", (unsigned long)(i % 100));
		cr_assert(stack(i, "select", name));
	}
	stuck_next_dump(s);
	for (uint64_t i = COUNT; i-- > 0;) {
		snprintf(name, sizeof(name), "f%lu", (unsigned long)(i % 50));
		cr_assert_eq(stack(i, "select", name), i % 100 < 50);
	}
}
