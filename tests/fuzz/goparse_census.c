// links: goparse/summary
/*
 * A dump is counted twice, like two dumps, and the contents of the tables are chosen. Rows must
 * add up to the goroutines, and be in order.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "goparse/summary/census.h"
#include "goparse/summary/dumps.h"
#include "goparse/summary/holder.h"
#include "goparse/summary/telling.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES = 5 };

static struct dumps dumps;

static int add(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	bool begins, again;

	must(!dumps_add(&dumps, g, &begins, &again) && !(begins && again));
	return census_add(ctx, g, err);
}

static void check_row(const struct census_row *r)
{
	uint64_t sum = 0;

	for (int i = 0; i < CENSUS_SPANS; i++)
		sum += r->spans[i];
	must(sum == r->count && r->first == r->count);
	must(r->as_long > 0 && r->as_long <= r->count);
}

/* The chosen frames are in the stack, innermost first; short names are parts of the full ones. */
static void check_stack(const struct census_row *r, const struct census_list *l)
{
	size_t at[FRAMES], count = telling_frames(&r->stack, r->state, at, FRAMES);
	struct holder h = holder_find(r, l);

	must(count <= FRAMES && !count == !r->stack.count);
	for (size_t i = 0; i < count; i++) {
		const struct goparse_frame *f = &r->stack.frames[at[i]];

		must(at[i] < r->stack.count && (!i || at[i] > at[i - 1]));
		must(telling_short_name(f->function).len <= f->function.len);
		must(telling_file_name(f->file).len <= f->file.len);
	}
	must(h.row ? h.row != r && h.count >= h.row->count : !h.count);
}

static void check_list(const struct census *c, enum census_kind kind, enum census_order order)
{
	struct census_list l;
	uint64_t sum = 0;

	must(census_rank(c, kind, order, &l, NULL) == 0);
	for (size_t i = 0; i < l.count; i++) {
		check_row(l.rows[i]);
		sum += l.rows[i]->count;
		if (i && order == CENSUS_BY_COUNT)
			must(l.rows[i]->count <= l.rows[i - 1]->count);
		else if (i)
			must(l.rows[i]->longest_ns <= l.rows[i - 1]->longest_ns);
		if (kind == CENSUS_STACKS && i < FRAMES)
			check_stack(l.rows[i], &l);
	}
	must(sum + l.beyond <= census_total(c)->count);
	must(kind == CENSUS_CREATORS || sum + l.beyond == census_total(c)->count);
	free(l.rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct goparse *parser;
	struct census *c;

	must(goparse_new(&parser, NULL) == 0);
	must(census_new(&c, NULL) == 0);
	must(goparse_memory(parser, data, size, add, c, NULL) == 0);
	census_next_dump(c);
	must(goparse_memory(parser, data, size, add, c, NULL) == 0);
	must(census_total(c)->count == goparse_stats(parser)->goroutines);
	for (int kind = 0; kind < CENSUS_KINDS; kind++) {
		check_list(c, (enum census_kind)kind, CENSUS_BY_COUNT);
		check_list(c, (enum census_kind)kind, CENSUS_BY_WAIT);
	}
	dumps_release(&dumps);
	census_free(c);
	goparse_free(parser);
	return 0;
}
