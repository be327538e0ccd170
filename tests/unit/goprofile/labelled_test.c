/* Goroutines' labels in made-up memory of Go 1.24: shared, gone, another's, no labels at all. */
#include <criterion/criterion.h>

#include "goprofile/counts.h"
#include "goprofile/labelled.h"
#include "goruntime/gogoroutines.h"
#include "goruntime/golayout.h"
#include "goruntime/golive.h"

enum { START = 0x10000, BYTES = 1 << 16, TEXTS = START + 0x8000, GS = START + 0xc000 };

static struct golayout layout = { .minor = 24 };
static struct golive live;
static struct memory_bytes memory;
static uint64_t words[BYTES / 8];
static struct counts counts;
static struct labelled labelled;

static void put(uint64_t address, uint64_t value)
{
	words[(address - START) / 8] = value;
}

static void begin(void)
{
	memset(words, 0, sizeof(words));
	memory_bytes_init(&memory, words, START, sizeof(words));
	live.memory = &memory.memory;
	live.vars.layout = &layout;
	live.fields.g.labels = 8;
	counts = (struct counts){ 0 };
	cr_assert_eq(labelled_init(&labelled, &live, &counts), 0);
}

static void end(void)
{
	labelled_release(&labelled);
	counts_release(&counts);
}

/* A set of one label, "k" and a letter. */
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

static void add(uint64_t g, uint64_t labels)
{
	struct go_goroutine r = { .g = g, .labels = labels, .has_stack = true };
	const uint64_t pcs[] = { 1, 2, 3 };

	cr_assert_eq(labelled_add(&labelled, &r, pcs, 3), 0);
}

static const char *text_of(const struct counted *s)
{
	return s->labels ? counts.labels.sets[s->labels - 1].text : "none";
}

Test(labelled, sets_of_one_content_are_counted_together)
{
	begin();
	put_set(START, 'x');
	put_set(START + 64, 'x');
	put_set(START + 128, 'y');
	for (int i = 0; i < 4; i++)
		add(put_g(i, START + 64 * (uint64_t)(i % 3)), START + 64 * (uint64_t)(i % 3));
	cr_assert_eq(counts.total, 0, "they wait for others");
	cr_assert_eq(labelled_flush(&labelled), 0);
	counts_sort(&counts);
	cr_assert_eq(counts.count, 2);
	cr_assert_eq(counts.stacks[0].times, 3);
	cr_assert_str_eq(text_of(&counts.stacks[0]), "{\"k\":\"x\"}");
	cr_assert_str_eq(text_of(&counts.stacks[1]), "{\"k\":\"y\"}");
	cr_assert_eq(labelled.unreadable, 0);
	end();
}

Test(labelled, what_a_goroutine_has_no_longer_is_not_its)
{
	begin();
	put_set(START, 'x');
	add(put_g(0, START + 64), START);
	add(put_g(1, START), START);
	cr_assert_eq(labelled_flush(&labelled), 0);
	counts_sort(&counts);
	cr_assert_eq(counts.count, 2);
	cr_assert_str_eq(text_of(&counts.stacks[0]), "none");
	cr_assert_str_eq(text_of(&counts.stacks[1]), "{\"k\":\"x\"}");
	cr_assert_eq(labelled.unreadable, 1);
	end();
}

Test(labelled, what_are_no_labels_is_counted_without)
{
	begin();
	put(START, START + 24);
	put(START + 8, UINT64_MAX / 2);
	add(put_g(0, START), START);
	add(put_g(1, 0xdead0000), 0xdead0000);
	cr_assert_eq(labelled_flush(&labelled), 0);
	cr_assert_eq(counts.count, 1);
	cr_assert_eq(counts.stacks[0].times, 2);
	cr_assert_str_eq(text_of(&counts.stacks[0]), "none");
	cr_assert_eq(labelled.unreadable, 2);
	end();
}

Test(labelled, memory_that_was_used_again_is_read_again)
{
	begin();
	put_set(START, 'x');
	add(put_g(0, START), START);
	cr_assert_eq(labelled_flush(&labelled), 0);
	put_set(START, 'y');
	add(put_g(1, START), START);
	cr_assert_eq(labelled_flush(&labelled), 0);
	cr_assert_eq(counts.count, 2);
	end();
}
