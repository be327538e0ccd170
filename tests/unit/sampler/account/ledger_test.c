/* The ledger of walks: what is counted for which image. */
#include <criterion/criterion.h>

#include "base/process/image.h"
#include "base/process/modmap.h"
#include "sampler/account/ledger.h"

static struct modmap *maps;
static struct image *images[4];
static struct ledger ledger;
static struct stack stack;

static void set_up(void)
{
	static const char *const names[] = { "/bin/node", "[anon]", "/lib/libc.so",
					     "/lib/libm.so" };

	cr_assert_eq(modmap_new(&maps, NULL), 0);
	for (int i = 0; i < 4; i++) {
		images[i] = image_open_none(names[i]);
		cr_assert_eq(modmap_keep(maps, images[i]), 0);
	}
	memset(&ledger, 0, sizeof(ledger));
	stack = (struct stack){ 0 };
}

static void tear_down(void)
{
	stack_release(&stack);
	ledger_release(&ledger);
	modmap_free(maps);
}

static void push(int image, enum frame_source source)
{
	cr_assert_eq(stack_push(&stack, image < 0 ? NULL : images[image], 0x1000, FRAME_RETURN), 0);
	stack.frames[stack.count - 1].source = source;
}

TestSuite(ledger, .init = set_up, .fini = tear_down);

Test(ledger, a_guess_counts_for_the_code_that_called_for_it)
{
	push(2, FRAME_FROM_REGISTERS);
	push(1, FRAME_BY_CFI);
	push(1, FRAME_BY_FRAME_POINTER);
	push(0, FRAME_BY_SCAN);
	stack.end = STACK_OUTERMOST;
	cr_assert_eq(ledger_count(&ledger, &stack), 0);
	cr_assert_eq(ledger.all.ends[STACK_OUTERMOST], 1);
	cr_assert_eq(ledger_guessed(&ledger.all), 2);
	cr_assert_eq(ledger_guessed(ledger_of(&ledger, image_id(images[1]))), 2);
	cr_assert_eq(ledger_guessed(ledger_of(&ledger, image_id(images[2]))), 0);
	cr_assert_eq(ledger_of(&ledger, image_id(images[2]))->found[FRAME_BY_CFI], 1);
	cr_assert_eq(ledger_of(&ledger, image_id(images[0]))->ends[STACK_OUTERMOST], 1);
	cr_assert_eq(ledger_of(&ledger, 100000)->ends[STACK_OUTERMOST], 0);
}

Test(ledger, a_frame_nowhere_counts_in_all_only)
{
	push(-1, FRAME_FROM_REGISTERS);
	push(2, FRAME_BY_SCAN);
	push(-1, FRAME_BY_CFI);
	stack.end = STACK_NO_UNWIND_INFO;
	cr_assert_eq(ledger_count(&ledger, &stack), 0);
	cr_assert_eq(ledger_guessed(&ledger.all), 1);
	cr_assert_eq(ledger.all.ends[STACK_NO_UNWIND_INFO], 1);
	cr_assert_eq(ledger_of(&ledger, image_id(images[2]))->ends[STACK_NO_UNWIND_INFO], 0);
}

Test(ledger, tells_where_most_was_guessed)
{
	static const int calls[] = { 5, 1, 7, 2 };
	struct ledger_guesses g;

	for (int i = 0; i < 4; i++)
		for (int n = 0; n < calls[i]; n++) {
			stack.count = 0;
			push(i, FRAME_FROM_REGISTERS);
			push(3, FRAME_BY_CODE);
			cr_assert_eq(ledger_count(&ledger, &stack), 0);
		}
	ledger_guesses(&ledger, maps, &g);
	cr_assert_str_eq(g.name[0], "libc.so");
	cr_assert_eq(g.frames[0], 7);
	cr_assert_str_eq(g.name[1], "node");
	cr_assert_eq(g.frames[1], 5);
	cr_assert_str_eq(g.name[2], "libm.so");
	cr_assert_eq(g.frames[2], 2);
}
