/* Goroutines of one input, and where the parser and dumps_add say that another dump begins. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "goparse/goparse.h"
#include "goparse/summary/dumps.h"

struct telling {
	struct dumps dumps;
	struct buffer out;
};

/* "7" of the same dump, "|7" where another begins, "7!" of one that comes again. */
static int each(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	struct telling *t = ctx;
	bool begins, again;

	(void)err;
	cr_assert(dumps_add(&t->dumps, g, &begins, &again) == 0);
	return buffer_addf(&t->out, "%s%lu%s ", begins ? "|" : "", g->stack.id, again ? "!" : "");
}

static void check(const char *text, const char *want)
{
	struct telling t = { 0 };
	struct goparse *p;

	cr_assert(goparse_new(&p, NULL) == 0);
	cr_assert(goparse_memory(p, text, strlen(text), each, &t, NULL) == 0);
	cr_assert(buffer_add(&t.out, "", 1) == 0);
	cr_expect_str_eq((char *)t.out.data, want);
	goparse_free(p);
	dumps_release(&t.dumps);
	buffer_release(&t.out);
}

#define RUNS(id) "goroutine " #id " [running]:\nmain.f()\n\t/x.go:1\n\n"
#define WAITS(id) "goroutine " #id " [select]:\nmain.f()\n\t/x.go:1\n\n"

Test(dumps, one)
{
	check("", "");
	check(RUNS(9) WAITS(1) WAITS(18446744073709551615) RUNS(3), "9 1 18446744073709551615 3 ");
	check(WAITS(0) WAITS(1) WAITS(0) WAITS(2), "0 1 0 2 ");
}

Test(dumps, the_same_goroutines_again)
{
	check(RUNS(1) WAITS(2) WAITS(3) RUNS(1) WAITS(2) WAITS(4), "1 2 3 |1 2 4 ");
	check(WAITS(1) WAITS(2) "= later =\n" WAITS(1) WAITS(2), "1 2 |1 2 ");
	check(RUNS(1) RUNS(1) RUNS(1), "1 |1 |1 ");
}

/* Each request for a dump has a goroutine of its own. */
Test(dumps, a_new_goroutine_prints_it)
{
	check(RUNS(70) WAITS(1) WAITS(2) RUNS(99) WAITS(1) WAITS(2), "70 1 2 |99 1 2 ");
	check(WAITS(0) WAITS(1) "SIGQUIT: quit\n" WAITS(0) WAITS(1), "0 1 |0 1 ");
}

Test(dumps, a_goroutine_that_is_printed_twice)
{
	check(RUNS(1) WAITS(2) WAITS(3) WAITS(2), "1 2 3 2! ");
	check(WAITS(0) WAITS(1) RUNS(2) RUNS(3) "-----\n\nSIGQUIT: quit\nPC=0x1 m=1\n\n" RUNS(
		      2) "-----\n\nSIGQUIT: quit\nPC=0x1 m=2\n\n" RUNS(3) WAITS(0),
	      "0 1 2 3 2! 3! 0 ");
	check(RUNS(1) WAITS(2) "-----\n" RUNS(1) WAITS(2), "1 2 |1 2 ");
}
