/* Labels of goroutines in made-up memory of Go 1.24: shared, replaced, another goroutine's, not
 * valid. */
#include <criterion/criterion.h>

#include "runtimes/go/live.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/labelled.h"
#include "runtimes/go/session/labelsets.h"

enum { START = 0x10000, BYTES = 1 << 16, TEXTS = START + 0x8000, GS = START + 0xc000 };

static struct golive live;
static struct memory_bytes memory;
static struct goprofile g;
static uint64_t words[BYTES / 8];
static struct go_goroutine all[2000];
static size_t count, told;
static struct labelsets sets;
static uint32_t set_of[2000];
static void (*between)(void); /* called once the first hundreds are passed on */

int gogoroutines_read(const struct golive *l, struct gocallers *callers,
		      const struct gogoroutines_options *options, gogoroutines_callback *each,
		      void *ctx, struct gogoroutines_stats *stats, struct error *err)
{
	char reason[] = "chan receive";
	int rc = 0;

	(void)l, (void)callers;
	cr_assert(options->stacks && !options->system);
	for (size_t i = 0; i < count && !rc; i++) {
		const uint64_t pcs[] = { i, i + 1 };
		const size_t ends[] = { 8, i };
		uint8_t stack[300];

		memset(stack, (int)i, sizeof(stack));

		if (told && between)
			between();
		all[i].pcs = pcs;
		all[i].pc_count = 2;
		all[i].stack = stack;
		all[i].stack_len = i % sizeof(stack) + 1;
		all[i].frame_ends = ends;
		all[i].wait_reason = reason;
		rc = each(ctx, &all[i], err);
	}
	memset(reason, '?', sizeof(reason) - 1);
	stats->goroutines = count;
	return rc;
}

static int take(void *ctx, const struct go_goroutine *r, uint32_t set, struct error *err)
{
	(void)err;
	cr_assert_eq(ctx, &sets);
	cr_assert_eq(r->goid, told + 1, "in order");
	cr_assert_eq(r->pcs[1], told + 1);
	cr_assert_eq(r->frame_ends[0], 8);
	cr_assert_eq(r->frame_ends[1], told);
	cr_assert_eq(r->stack[0], (uint8_t)told);
	cr_assert_eq(r->stack[r->stack_len - 1], (uint8_t)told);
	cr_assert_str_eq(r->wait_reason, "chan receive");
	set_of[told++] = set;
	return 0;
}

static void begin(void)
{
	memset(words, 0, sizeof(words));
	memory_bytes_init(&memory, words, START, sizeof(words));
	live.memory = &memory.memory;
	live.fields.g.labels = 8;
	g = (struct goprofile){ .live = &live, .minor = 24 };
	count = told = 0;
}

static void tell(void)
{
	const struct labelled_wants wants = { .bytes = true };
	struct error err = { 0 };

	cr_assert_eq(labelled_read(&g, wants, &sets, take, &sets, &err), 0, "%s", err.text);
	cr_assert_eq(told, count);
}

static void end(void)
{
	labelsets_release(&sets);
	buffer_release(&g.remarks);
}

static void put(uint64_t address, uint64_t value)
{
	words[(address - START) / 8] = value;
}

/* Puts a set of one label, "k" with a letter as its value, at `address`, which is returned. */
static uint64_t put_set(uint64_t address, char letter)
{
	put(TEXTS, 'k');
	put(TEXTS + 8 * (uint64_t)letter, (uint64_t)letter);
	put(address, address + 24);
	put(address + 8, 1);
	put(address + 16, 1);
	put(address + 24, TEXTS);
	put(address + 32, 1);
	put(address + 40, TEXTS + 8 * (uint64_t)letter);
	put(address + 48, 1);
	return address;
}

static uint64_t put_g(int n, uint64_t labels)
{
	put(GS + 16 * (uint64_t)n + 8, labels);
	return GS + 16 * (uint64_t)n;
}

static void add(uint64_t address, uint64_t labels)
{
	all[count] = (struct go_goroutine){
		.goid = count + 1, .g = address, .labels = labels, .has_stack = true
	};
	count++;
}

static const char *text_of(size_t i)
{
	return set_of[i] ? sets.sets[set_of[i] - 1].text : "none";
}

static const char *remarks(void)
{
	cr_assert_eq(buffer_add(&g.remarks, "", 1), 0);
	return (const char *)g.remarks.data;
}

Test(labelled, sets)
{
	begin();
	put_set(START, 'x');
	put_set(START + 64, 'y');
	put_set(START + 128, 'x');
	add(put_g(0, START), START);
	add(put_g(1, 0), 0);
	add(put_g(2, START + 64), START + 64);
	add(put_g(3, START + 128), START + 128);
	add(put_g(4, START), START);
	tell();
	cr_assert_str_eq(text_of(0), "{\"k\":\"x\"}");
	cr_assert_str_eq(text_of(1), "none");
	cr_assert_str_eq(text_of(2), "{\"k\":\"y\"}");
	cr_assert_eq(set_of[3], set_of[0], "the same content");
	cr_assert_eq(set_of[4], set_of[0]);
	cr_assert_str_eq(remarks(), "");
	end();
}

Test(labelled, what_a_goroutine_has_no_longer_is_not_its)
{
	begin();
	put_set(START, 'x');
	add(put_g(0, START + 64), START);
	add(put_g(1, START), START);
	tell();
	cr_assert_str_eq(text_of(0), "none");
	cr_assert_str_eq(text_of(1), "{\"k\":\"x\"}");
	cr_assert_str_eq(remarks(), "goroutines whose labels could not be read: 1\n");
	end();
}

Test(labelled, what_are_no_labels)
{
	begin();
	put(START, START + 24);
	put(START + 8, UINT64_MAX / 2);
	add(put_g(0, START), START);
	add(put_g(1, 0xdead0000), 0xdead0000);
	tell();
	cr_assert_str_eq(text_of(0), "none");
	cr_assert_str_eq(text_of(1), "none");
	cr_assert_str_eq(remarks(), "goroutines whose labels could not be read: 2\n");
	end();
}

static void use_again(void)
{
	put_set(START, 'y');
}

/* Memory that held labels of earlier goroutines may hold labels of later ones. */
Test(labelled, memory_that_is_used_again_is_read_again)
{
	begin();
	put_set(START, 'x');
	between = use_again;
	for (int i = 0; i < 2000; i++)
		add(put_g(i % 100, START), START);
	tell();
	cr_assert_str_eq(text_of(0), "{\"k\":\"x\"}");
	cr_assert_str_eq(text_of(1999), "{\"k\":\"y\"}");
	cr_assert_str_eq(remarks(), "");
	end();
}
