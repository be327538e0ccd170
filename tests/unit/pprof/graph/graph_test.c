/* Nodes and edges as google/pprof's graph counts them. Here the rules are tested one by one;
 * tests/oracle/report.test compares whole reports. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "pprof/graph/graph.h"
#include "tests/unit/pprof/report/fixture.h"

static struct profile p;
static struct graph g;

static void setup(void)
{
	profile_init(&p);
	profile_add_type(&p, "samples", "count");
}

static void teardown(void)
{
	graph_release(&g);
	profile_release(&p);
}

TestSuite(graph, .init = setup, .fini = teardown);

static void sample(int64_t value, size_t depth, const uint32_t *stack)
{
	cr_assert_eq(profile_add_sample(&p, stack, depth, &value, NULL, 0), 0);
}

static void build(struct report_view v)
{
	graph_release(&g);
	cr_assert_eq(graph_init(&g, &p, &v), 0);
}

static void expect(size_t i, const char *label, int64_t flat, int64_t cum)
{
	const struct node *n;

	cr_assert_lt(i, g.shown_count);
	n = &g.nodes.list[g.shown[i]];
	cr_assert(n->label_len == strlen(label) && !memcmp(n->label, label, n->label_len),
		  "%zu: '%.*s', not '%s'", i, (int)n->label_len, n->label, label);
	cr_assert_eq(g.values[g.shown[i]].flat, flat, "%s: flat %ld", label,
		     g.values[g.shown[i]].flat);
	cr_assert_eq(g.values[g.shown[i]].cum, cum, "%s: cum %ld", label, g.values[g.shown[i]].cum);
}

static const struct graph_edge *edge_to(size_t i, size_t nth)
{
	struct graph_edges in = graph_in(&g, g.shown[i]);

	cr_assert_lt(nth, in.count);
	return &g.edges[in.order[nth]];
}

Test(graph, recursion_counts_once_and_inlined_calls_are_frames)
{
	uint32_t a = add_function(&p, "a", "a.c"), b = add_function(&p, "b", "a.c"), stack[3];

	/* b inlined into a, called by a, called by a */
	stack[0] = add_location(&p, 1, 0, b, a);
	stack[1] = add_location(&p, 2, 0, a, 0);
	stack[2] = add_location(&p, 3, 0, a, 0);
	sample(10, 3, stack);
	sample(5, 2, stack + 1);
	build((struct report_view){ 0 });
	cr_assert_eq(g.total, 15);
	cr_assert_eq(g.shown_count, 2);
	expect(0, "b", 10, 10);
	expect(1, "a", 5, 15);
	cr_assert_eq(g.edge_count, 1, "a function's call of itself is no edge");
	cr_assert_eq(edge_to(0, 0)->weight, 10);
	cr_assert(edge_to(0, 0)->inlined);
}

Test(graph, an_edge_is_inlined_only_if_always)
{
	uint32_t a = add_function(&p, "a", "a.c"), b = add_function(&p, "b", "a.c"), stack[2];
	uint32_t both = add_location(&p, 1, 0, b, a);

	stack[0] = add_location(&p, 2, 0, b, 0);
	stack[1] = add_location(&p, 3, 0, a, 0);
	sample(1, 1, &both);
	sample(2, 2, stack);
	build((struct report_view){ 0 });
	cr_assert_eq(edge_to(0, 0)->weight, 3);
	cr_assert_not(edge_to(0, 0)->inlined);
}

Test(graph, names_alone_tell_functions_apart_and_files_what_has_none)
{
	uint32_t stack[2], id, lib = add_mapping(&p, "/lib/libfoo.so");

	stack[0] = add_location(&p, 1, 0, add_function(&p, "a", "a.c"), 0);
	stack[1] = add_location(&p, 2, 0, add_function(&p, "a", "other.c"), 0);
	sample(1, 2, stack);
	sample(2, 1, stack + 1);
	for (uint64_t address = 10; address < 15; address++) {
		id = add_location(&p, address, lib, 0, 0);
		sample(4, 1, &id);
	}
	id = add_location(&p, 0xabc, 0, 0, 0);
	sample(1, 1, &id);
	build((struct report_view){ 0 });
	cr_assert_eq(g.shown_count, 3);
	expect(0, "[libfoo.so]", 20, 20);
	expect(1, "a", 3, 3);
	expect(2, "<unknown>", 1, 1);
}

Test(graph, what_a_node_is)
{
	struct profile_label label = string_label(&p, "thread", "worker");
	int64_t value = 4;
	uint32_t id = add_location(&p, 0xabc, add_mapping(&p, "/lib/libfoo.so"),
				   add_function(&p, "f", "/src/./x/../a.c"), 0);

	profile_add_sample(&p, &id, 1, &value, &label, 1);
	sample(1, 1, &id);
	build((struct report_view){ .by = REPORT_BY_FUNCTION });
	expect(0, "f", 5, 5);
	build((struct report_view){ .by = REPORT_BY_LINE });
	expect(0, "f /src/a.c:10", 5, 5);
	build((struct report_view){ .by = REPORT_BY_FILE });
	expect(0, "/src/a.c", 5, 5);
	build((struct report_view){ .by = REPORT_BY_ADDRESS });
	expect(0, "0000000000000abc f /src/a.c:10:3", 5, 5);
	build((struct report_view){ .by = REPORT_BY_MODULE });
	expect(0, "libfoo.so", 5, 5);
	build((struct report_view){ .by = REPORT_BY_THREAD });
	expect(0, "worker", 4, 4);
	expect(1, "<unknown>", 1, 1);
}

Test(graph, order_is_by_magnitude_then_by_name)
{
	static const char *const names[] = { "leaf", "z", "y", "main" };
	uint32_t stack[4], less;

	for (uint32_t i = 0; i < 4; i++)
		stack[i] = add_frame(&p, names[i]);
	less = add_frame(&p, "less");
	sample(3, 4, stack);
	sample(2, 1, stack + 3);
	sample(-7, 1, &less);
	build((struct report_view){ 0 });
	cr_assert_eq(g.total, 12);
	expect(0, "less", -7, -7);
	expect(1, "leaf", 3, 3);
	expect(2, "main", 2, 5);
	expect(3, "y", 0, 3);
	expect(4, "z", 0, 3);
	build((struct report_view){ .cum = true });
	expect(1, "main", 2, 5);
	expect(2, "leaf", 3, 3);
}

Test(graph, what_is_left_out_leaves_a_residual_edge_and_no_value)
{
	uint32_t stack[3] = { add_frame(&p, "rare"), add_frame(&p, "middle"),
			      add_frame(&p, "main") };
	uint32_t direct[2] = { add_frame(&p, "often"), stack[2] };

	sample(1, 3, stack);
	sample(99, 2, direct);
	build((struct report_view){ .node_fraction = 0.02 });
	cr_assert_eq(g.dropped_count, 2);
	cr_assert_eq(g.shown_count, 2);
	expect(0, "often", 99, 99);
	expect(1, "main", 0, 100);
	cr_assert_eq(graph_shown_total(&g), 99);
	stack[0] = direct[0];
	sample(2, 3, stack); /* often, called through middle, which now has 3 of 102 */
	build((struct report_view){ .node_fraction = 0.05 });
	cr_assert_eq(edge_to(0, 0)->weight, 101);
	cr_assert(edge_to(0, 0)->residual);
}

Test(graph, the_number_of_nodes_is_limited_after_sorting)
{
	for (int i = 0; i < 9; i++) {
		char name[] = { (char)('a' + i), '\0' };
		uint32_t id = add_frame(&p, name);

		sample(i + 1, 1, &id);
	}
	build((struct report_view){ .nodecount = 2 });
	cr_assert_eq(g.all_count, 9);
	cr_assert_eq(g.shown_count, 2);
	expect(0, "i", 9, 9);
	expect(1, "h", 8, 8);
}

Test(graph, light_edges_go_and_heavy_ones_come_first)
{
	uint32_t leaf = add_frame(&p, "leaf"), stack[2] = { leaf, add_frame(&p, "heavy") };

	sample(90, 2, stack);
	stack[1] = add_frame(&p, "also");
	sample(9, 2, stack);
	stack[1] = add_frame(&p, "light");
	sample(1, 2, stack);
	build((struct report_view){ .edge_fraction = 0.02 });
	expect(0, "leaf", 100, 100);
	cr_assert_eq(graph_in(&g, g.shown[0]).count, 2);
	cr_assert_eq(edge_to(0, 0)->weight, 90);
	cr_assert_eq(edge_to(0, 1)->weight, 9);
	cr_assert_eq(g.shown_count, 4);
}

Test(graph, sums_do_not_wrap)
{
	uint32_t a = add_frame(&p, "a"), b = add_frame(&p, "b");

	sample(INT64_MAX, 1, &a);
	sample(INT64_MAX, 1, &a);
	sample(INT64_MIN, 1, &b);
	sample(INT64_MIN, 1, &b);
	build((struct report_view){ 0 });
	cr_assert_eq(g.total, INT64_MAX);
	expect(0, "a", INT64_MAX, INT64_MAX);
	expect(1, "b", INT64_MIN, INT64_MIN);
}

Test(graph, a_difference_is_measured_by_its_base)
{
	struct profile_label base = string_label(&p, "pprof::base", "true");
	uint32_t id = add_frame(&p, "a");
	int64_t value = -10;

	profile_add_sample(&p, &id, 1, &value, &base, 1);
	sample(15, 1, &id);
	cr_assert_eq(graph_total(&p, 0), 10);
	build((struct report_view){ .total = 77 });
	cr_assert_eq(g.total, 77);
}

Test(graph, nothing_and_stacks_without_frames)
{
	build((struct report_view){ 0 });
	cr_assert_eq(g.shown_count, 0);
	sample(3, 0, NULL);
	build((struct report_view){ .by = REPORT_BY_LINE });
	cr_assert_eq(g.shown_count, 0);
	cr_assert_eq(g.total, 3, "samples without a stack count, too");
}
