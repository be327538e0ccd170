/* Stacks that are merged, each with the case that it is an example of. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/process/image.h"
#include "runtimes/merge.h"
#include "unwind/stack.h"

enum { SEAM = 99, CUT = 98, C_FRAMES = 16 };

static struct image *python;
static struct stack native, out;
static struct interp_runs runs;
static struct interp_counts counts[1];

/* Native frames have no image here, 100 + n as their address and 9100 + n in the process. Frame n lies
 * at 1000 * (n + 1). */
static void native_frames(size_t count, enum stack_end end)
{
	for (size_t i = 0; i < count; i++) {
		stack_push(&native, NULL, 100 + i, FRAME_RETURN);
		native.sps[i] = 1000 * (i + 1);
		native.pcs[i] = 9100 + i;
	}
	native.end = end;
}

static struct interp_shown frame(uint32_t place, uint64_t anchor)
{
	return (struct interp_shown){
		.image = python, .place = place, .anchor = anchor, .seam = SEAM
	};
}

static struct interp_shown hidden(uint64_t anchor)
{
	return (struct interp_shown){ .anchor = anchor, .seam = SEAM };
}

static void start(void)
{
	python = image_open_none("[python]");
}

static void end(void)
{
	stack_release(&native);
	stack_release(&out);
	interp_runs_release(&runs);
	image_free(python);
}

TestSuite(merge, .init = start, .fini = end);

static void expect(const struct interp_shown *frames, size_t count, const uint64_t *places,
		   size_t expected)
{
	cr_assert_eq(interp_merge(&runs, &native, frames, count, counts, &out), 0);
	cr_assert_eq(out.count, expected, "%zu frames", out.count);
	for (size_t i = 0; i < expected; i++) {
		cr_assert_eq(out.frames[i].addr, places[i], "frame %zu is %lu", i,
			     out.frames[i].addr);
		cr_assert_eq(out.frames[i].image, places[i] < 100 ? python : NULL);
		if (places[i] >= 100)
			cr_assert_eq(out.pcs[i], 9000 + places[i]);
	}
	cr_assert_eq(out.end, native.end);
}

#define EXPECT(frames, ...) \
	do { \
		const uint64_t places[] = { __VA_ARGS__ }; \
		expect(frames, sizeof(frames) / sizeof(*(frames)), places, \
		       sizeof(places) / sizeof(*places)); \
	} while (0)

Test(merge, a_run_stands_in_the_place_of_its_loop)
{
	const struct interp_shown frames[] = { frame(1, 2500), frame(2, 2500), frame(3, 4999) };

	native_frames(6, STACK_OUTERMOST);
	EXPECT(frames, 100, 1, 2, 102, 3, 104, 105);
	cr_assert_eq(counts->frames, 3);
	cr_assert_eq(counts->on_top + counts->behind, 0);
}

Test(merge, the_innermost_frame_may_be_the_loop)
{
	const struct interp_shown frames[] = { frame(1, 1000) };

	native_frames(2, STACK_OUTERMOST);
	EXPECT(frames, 1, 101);
}

Test(merge, the_loop_of_a_hidden_run_stays)
{
	const struct interp_shown frames[] = { frame(1, 1500), hidden(2500), hidden(2500) };

	native_frames(3, STACK_OUTERMOST);
	EXPECT(frames, 1, 101, 102);
	cr_assert_eq(counts->frames, 1);
}

Test(merge, a_run_without_a_place_stands_on_top_and_is_marked)
{
	const struct interp_shown frames[] = { frame(1, 0), frame(2, 2500) };

	native_frames(3, STACK_OUTERMOST);
	EXPECT(frames, 1, SEAM, 100, 2, 102);
	cr_assert_eq(counts->on_top, 1);
}

/* A caller stands below what it called: otherwise, it would be shown as the innermost function. */
Test(merge, what_a_run_without_a_place_has_called_stands_on_top_too)
{
	const struct interp_shown frames[] = { frame(1, 1500), frame(2, 0), frame(3, 3500) };
	const struct interp_shown unseen[] = { frame(1, 1500), hidden(0), frame(3, 3500) };

	native_frames(5, STACK_OUTERMOST);
	EXPECT(frames, 1, 2, SEAM, 100, 101, 3, 103, 104);
	EXPECT(unseen, 1, 101, 3, 103, 104);
}

/* Below the stack pointer, behind the outermost frame, and inward of the run before it. */
Test(merge, an_anchor_that_cannot_be_is_no_place)
{
	const struct interp_shown frames[] = { frame(1, 999), frame(2, 2500), frame(3, 1500),
					       frame(4, 77777) };

	native_frames(4, STACK_OUTERMOST);
	EXPECT(frames, 1, 2, 3, 4, SEAM, 100, 101, 102, 103);
	cr_assert_eq(counts->on_top, 4);
}

Test(merge, runs_behind_a_walk_that_ended_early_are_callers)
{
	const struct interp_shown frames[] = { frame(1, 1500), frame(2, 77777), frame(3, 88888) };

	native_frames(2, STACK_NO_UNWIND_INFO);
	EXPECT(frames, 1, 101, SEAM, 2, 3);
	cr_assert_eq(counts->behind, 2);
	cr_assert_eq(counts->on_top, 0);
}

/* Of a fiber: no native frames are missing. */
Test(merge, runs_of_another_stack_stand_behind_one_that_was_made)
{
	const struct interp_shown frames[] = { frame(1, 1500), frame(2, 77777), frame(3, 88888) };

	native_frames(2, STACK_OUTERMOST);
	native.made = true;
	EXPECT(frames, 1, 101, 2, 3);
	cr_assert_eq(counts->on_top + counts->behind, 0);
	cr_assert(out.made);
	native.made = false;
}

Test(merge, behind_a_chain_without_its_end_stands_a_mark)
{
	struct interp_shown frames[] = { frame(1, 1500), frame(2, 2500), frame(3, 0) };

	frames[1].cut = frames[2].cut = CUT;
	native_frames(4, STACK_OUTERMOST);
	EXPECT(frames, 1, 2, CUT, 3, CUT, SEAM, 100, 101, 102, 103);
}

/* A signal handler on a stack of its own: the stack pointer goes down at frame 1. */
Test(merge, a_walk_may_change_to_another_stack)
{
	const struct interp_shown frames[] = { frame(1, 9100), frame(2, 3500) };

	native_frames(4, STACK_OUTERMOST);
	native.sps[0] = 9000;
	native.sps[1] = 9200;
	EXPECT(frames, 1, 101, 2, 103);
}

Test(merge, two_runtimes_on_one_stack)
{
	struct interp_shown frames[] = { frame(1, 1500), frame(2, 3500), frame(3, 2500),
					 frame(4, 4500) };

	frames[2].runtime = frames[3].runtime = 1;
	native_frames(5, STACK_OUTERMOST);
	EXPECT(frames, 1, 3, 2, 4, 104);
}
