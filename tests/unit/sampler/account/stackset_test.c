// links: sampler/profile
#include <criterion/criterion.h>
#include <string.h>

#include "sampler/account/heldtime.h"
#include "sampler/account/stackset.h"

static uint32_t add(struct stackset *s, uint32_t thread, const struct stack *stack)
{
	struct stack_context context = { .thread = thread, .syscall = -1 };
	uint32_t entry;

	cr_assert_eq(stackset_add(s, &context, stack, &entry), 0);
	s->entries[entry].samples++;
	return entry;
}

Test(stackset, keeps_each_stack_once_for_each_thread)
{
	struct stackset s = { 0 };
	struct stack a = { 0 }, b = { 0 };

	stack_push(&a, NULL, 1, FRAME_PC);
	stack_push(&a, NULL, 2, FRAME_RETURN);
	stack_push(&b, NULL, 1, FRAME_PC);
	stack_push(&b, NULL, 2, FRAME_SIGNAL);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(add(&s, 0, &a), 0);
	cr_assert_eq(add(&s, 1, &a), 1);
	cr_assert_eq(add(&s, 0, &b), 2);
	cr_assert_eq(s.count, 3);
	cr_assert_eq(s.entries[0].samples, 3);
	cr_assert_eq(s.entries[1].context.thread, 1);
	cr_assert_eq(s.entries[2].samples, 1);
	cr_assert_eq(s.frames[s.entries[2].first + 1].kind, FRAME_SIGNAL);
	stack_release(&a);
	stack_release(&b);
	stackset_release(&s);
}

Test(stackset, keeps_states_calls_and_labels_apart)
{
	struct stack_context contexts[] = {
		{ 0, 0, THREAD_RUNNING, -1, 0, 0, 0, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_BLOCKED, -1, 0, 0, 0, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_BLOCKED, 0, 0, 0, 0, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_BLOCKED, 7, 0, 0, 0, 0, 0, GIL_NONE, false },
		{ 0, 1, THREAD_BLOCKED, 7, 0, 0, 0, 0, 0, GIL_NONE, false },
		{ 1, 0, THREAD_BLOCKED, 7, 0, 0, 0, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_RUNNING, -1, 1, 0, 0, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_RUNNING, -1, 2, 0, 0, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_RUNNING, -1, 2, 1, 0, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_RUNNING, -1, 2, 9, 0, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_BLOCKED, 7, 0, 0, 1, 0, 0, GIL_NONE, false },
		{ 0, 0, THREAD_BLOCKED, 7, 0, 0, 1, 5, 0, GIL_NONE, false },
		{ 0, 0, THREAD_RUNNING, -1, 0, 0, 0, 0, 0, GIL_NONE, true },
	};
	struct stackset s = { 0 };
	struct stack a = { 0 };
	uint32_t entry;

	stack_push(&a, NULL, 1, FRAME_PC);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 13; i++) {
			cr_assert_eq(stackset_add(&s, &contexts[i], &a, &entry), 0);
			cr_assert_eq(entry, i);
		}
	stack_release(&a);
	stackset_release(&s);
}

Test(stackset, grows)
{
	struct stackset s = { 0 };
	struct stack a = { 0 };

	for (uint64_t i = 0; i < 5000; i++) {
		a.count = 0;
		for (uint64_t j = 0; j < i % 40 + 1; j++)
			stack_push(&a, NULL, i * 1000 + j, FRAME_RETURN);
		cr_assert_eq(add(&s, (uint32_t)(i % 3), &a), i);
		cr_assert_eq(add(&s, (uint32_t)(i % 3), &a), i);
	}
	cr_assert_eq(s.count, 5000);
	for (uint32_t i = 0; i < s.count; i++)
		cr_assert_eq(s.entries[i].samples, 2);
	stack_release(&a);
	stackset_release(&s);
}

Test(heldtime, percentiles_are_at_most_a_class_too_high)
{
	static struct heldtime h;

	memset(&h, 0, sizeof(h));
	cr_assert_eq(heldtime_percentile(&h, 50), 0);
	for (uint64_t ns = 1; ns <= 100000; ns++)
		heldtime_add(&h, ns);
	for (int p = 1; p <= 99; p++) {
		uint64_t exact = (uint64_t)p * 1000, got = heldtime_percentile(&h, p);

		cr_assert(got >= exact && (double)got <= (double)exact * 1.04, "p%d: %lu", p, got);
	}
	cr_assert_eq(heldtime_percentile(&h, 100), 100000);
	cr_assert_eq(h.max, 100000);
	heldtime_add(&h, UINT64_MAX);
	cr_assert_eq(heldtime_percentile(&h, 100), UINT64_MAX);
}

Test(stackset, has_a_stack_in_several_contexts_with_one_copy_of_its_frames)
{
	struct stack_context context = { .syscall = -1 };
	struct stackset s = { 0 };
	struct stack a = { 0 };
	uint32_t entry;

	stack_push(&a, NULL, 1, FRAME_PC);
	stack_push(&a, NULL, 2, FRAME_RETURN);
	cr_assert_eq(add(&s, 0, &a), 0);
	for (int round = 0; round < 2; round++)
		for (uint32_t lock = 0; lock < 3; lock++) {
			context.lock = lock;
			cr_assert_eq(stackset_in_context(&s, lock ? lock - 1 : 0, &context, &entry),
				     0);
			cr_assert_eq(entry, lock);
			cr_assert_eq(s.entries[entry].origin, 0);
			cr_assert_eq(stackset_add(&s, &context, &a, &entry), 0);
			cr_assert_eq(entry, lock);
		}
	cr_assert_eq(s.frame_count, 2);
	stack_release(&a);
	stackset_release(&s);
}
