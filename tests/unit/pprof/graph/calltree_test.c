/* Stacks with the same outer frames share nodes; order and totals of nodes; no recursion. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "base/error.h"
#include "pprof/graph/calltree.h"

#define ADD(t, value, ...) \
	do { \
		const uint32_t stack[] = { __VA_ARGS__ }; \
		const int64_t v = value; \
		cr_assert_eq(calltree_add(t, stack, sizeof(stack) / sizeof(*stack), &v, NULL), 0); \
	} while (0)

/* Compares depth, frame, self and total of each node, in the tree's order. */
static void assert_walk(const struct calltree *t, const int64_t (*expected)[4], size_t count)
{
	size_t i = 0;

	for (uint32_t n = 0; n != CALLTREE_NONE; n = calltree_next(t, n), i++) {
		cr_assert_lt(i, count);
		cr_assert_eq(t->nodes[n].depth, expected[i][0], "node %zu: depth", i);
		cr_assert_eq(n ? (int64_t)t->nodes[n].frame : -1, expected[i][1], "node %zu: frame",
			     i);
		cr_assert_eq(t->self[n], expected[i][2], "node %zu: self %ld", i, t->self[n]);
		cr_assert_eq(t->total[n], expected[i][3], "node %zu: total %ld", i, t->total[n]);
	}
	cr_assert_eq(i, count);
}

Test(calltree, shares_nodes_and_adds_up)
{
	static const uint32_t rank[] = { 2, 1, 0 };
	static const int64_t numbered[][4] = {
		{ 0, -1, 5, 26 }, { 1, 0, 1, 14 }, { 2, 1, 10, 10 }, { 2, 2, 3, 3 }, { 1, 1, 7, 7 }
	};
	static const int64_t ranked[][4] = {
		{ 0, -1, 5, 26 }, { 1, 1, 7, 7 }, { 1, 0, 1, 14 }, { 2, 2, 3, 3 }, { 2, 1, 10, 10 }
	};
	struct calltree t;

	for (int i = 0; i < 2; i++) {
		const int64_t five = 5;

		cr_assert_eq(calltree_init(&t, 1), 0);
		ADD(&t, 3, 0, 2);
		ADD(&t, 1, 0);
		ADD(&t, 4, 0, 1);
		ADD(&t, 7, 1);
		ADD(&t, 6, 0, 1);
		cr_assert_eq(calltree_add(&t, NULL, 0, &five, NULL), 0);
		cr_assert_eq(calltree_finish(&t, i ? rank : NULL, NULL), 0);
		assert_walk(&t, i ? ranked : numbered, 5);
		calltree_release(&t);
	}
}

Test(calltree, skips_what_is_below)
{
	struct calltree t;
	uint32_t first;

	calltree_init(&t, 1);
	ADD(&t, 1, 0, 1, 2);
	ADD(&t, 1, 3);
	calltree_finish(&t, NULL, NULL);
	first = calltree_next(&t, 0);
	cr_assert_eq(t.nodes[calltree_skip(&t, first)].frame, 3);
	cr_assert_eq(calltree_skip(&t, calltree_skip(&t, first)), CALLTREE_NONE);
	cr_assert_eq(calltree_skip(&t, 0), CALLTREE_NONE);
	calltree_release(&t);
}

Test(calltree, sums_stay_in_range)
{
	struct calltree t;

	calltree_init(&t, 1);
	ADD(&t, INT64_MAX, 0);
	ADD(&t, INT64_MAX, 0);
	ADD(&t, INT64_MAX, 1);
	calltree_finish(&t, NULL, NULL);
	cr_assert_eq(t.total[0], INT64_MAX);
	calltree_release(&t);
}

Test(calltree, a_million_deep)
{
	enum { DEPTH = 1000000 };
	uint32_t *stack = calloc(DEPTH, sizeof(*stack));
	int64_t one = 1;
	struct calltree t;
	uint32_t n = 0;

	calltree_init(&t, 1);
	cr_assert_eq(calltree_add(&t, stack, DEPTH, &one, NULL), 0);
	cr_assert_eq(calltree_finish(&t, NULL, NULL), 0);
	for (uint32_t next; (next = calltree_next(&t, n)) != CALLTREE_NONE;)
		n = next;
	cr_assert_eq(t.nodes[n].depth, DEPTH);
	cr_assert_eq(t.total[0], 1);
	calltree_release(&t);
	free(stack);
}

Test(calltree, is_bounded)
{
	enum { DEPTH = 1 << 20 };
	uint32_t *stack = calloc(DEPTH, sizeof(*stack));
	int64_t values[64] = { 0 };
	struct error err = { 0 };
	struct calltree t;
	int rc = 0;

	calltree_init(&t, 64);
	for (uint32_t i = 0; i < 4 && !rc; i++) {
		stack[0] = i;
		rc = calltree_add(&t, stack, DEPTH, values, &err);
	}
	cr_assert_eq(rc, ERR_LIMIT);
	cr_assert(strstr(err.text, "too many"));
	calltree_release(&t);
	free(stack);
}
