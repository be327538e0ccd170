/* What Go prints, and the goroutines that the parser makes of it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "goparse/goparse.h"
#include "tests/unit/goparse/show.h"

static int each(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	(void)err;
	return show_goroutine(ctx, g);
}

/* A reader that returns at most `most` bytes at a time. */
struct drip {
	const char *at;
	size_t left, most;
};

static int drip_read(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct drip *d = ctx;

	(void)err;
	*got = len < d->most ? len : d->most;
	if (*got > d->left)
		*got = d->left;
	memcpy(buf, d->at, *got);
	d->at += *got;
	d->left -= *got;
	return 0;
}

/* Parses a text from memory and from a stream, which must give the same. Returns goroutines and
 * errors as one text, which the caller frees. */
static char *parsed(const char *text, size_t len)
{
	struct buffer whole = { 0 }, streamed = { 0 };
	struct drip drip = { text, len, 7 };
	struct error err = { 0 };
	struct goparse *p;

	cr_assert(goparse_new(&p, &err) == 0);
	cr_assert(goparse_memory(p, text, len, each, &whole, &err) == 0, "%s", err.text);
	cr_assert(show_errors(&whole, goparse_stats(p)) == 0);
	cr_assert(goparse_stream(p, drip_read, &drip, each, &streamed, &err) == 0, "%s", err.text);
	cr_assert(show_errors(&streamed, goparse_stats(p)) == 0);
	cr_expect(goparse_stats(p)->bytes == len);
	cr_expect(whole.len == streamed.len &&
			  (!whole.len || !memcmp(whole.data, streamed.data, whole.len)),
		  "streamed:\n%.*s", (int)streamed.len, (char *)streamed.data);
	goparse_free(p);
	buffer_release(&streamed);
	cr_assert(buffer_add(&whole, "", 1) == 0);
	return (char *)whole.data;
}

static void check(const char *text, const char *want)
{
	char *got = parsed(text, strlen(text));

	cr_expect_str_eq(got, want, "%s\ngave:\n%s\ninstead of:\n%s", text, got, want);
	free(got);
}

#define FRAME "main.f()\n\t/x.go:1 +0x2\n"

/* Parses a header followed by a frame. */
static void header(const char *text, const char *want)
{
	char in[512], out[512];

	snprintf(in, sizeof(in), "goroutine %s:\n" FRAME, text);
	snprintf(out, sizeof(out), "1: %s| main.f /x.go:1 +0x2\n", want);
	check(in, out);
}

Test(parse, headers)
{
	header("1 [running]", "1 [running]");
	header("18 [chan receive, 2 minutes, locked to thread]", "18 [chan receive] 2m locked");
	header("18 [IO wait, locked to thread]", "18 [IO wait] locked");
	header("18 [select (no cases), 6883 minutes]", "18 [select (no cases)] 6883m");
	header("0 [idle]", "0 [idle]");
	header("5 [???]", "5 [???]");
	header("18446744073709551615 [select]", "18446744073709551615 [select]");
}

Test(parse, headers_behind_other_text)
{
	check("2026/11/28 18:48:53 stacks: goroutine 1 [running]:\n" FRAME
	      "\ngoroutine 7 [select]:\n" FRAME,
	      "1: 1 [running]| main.f /x.go:1 +0x2\n5: 7 [select]| main.f /x.go:1 +0x2\n");
	check("\xef\xbb\xbfgoroutine 1 gp=0x1 m=nil [select, 2 minutes]:\r\n" FRAME,
	      "1: 1 [select] 2m gp=0x1 m=-1| main.f /x.go:1 +0x2\n");
	check("a: goroutine 1 [select labels:{\"a\": \"b\"}]:\n" FRAME,
	      "1: 1 [select] <a>=<b>| main.f /x.go:1 +0x2\n");
	check("\033[1;31mgoroutine 1 [running]: \r\r\nmain.f() \n\t/x.go:1 +0x2  \n\033[0m\n \n"
	      "goroutine 2 [idle]:\n",
	      "1: 1 [running]| main.f /x.go:1 +0x2\n6: 2 [idle]\n4! ?[0m ? a function call\n");
	check("goroutine 1 [running]::\n" FRAME "a: goroutine 7 [select]:::\n" FRAME,
	      "1: 1 [running]| main.f /x.go:1 +0x2\n4: 7 [select]| main.f /x.go:1 +0x2\n");
	check("goroutines: 3 [x]:\nthe goroutine 7 [select] ended\nmygoroutine 7 [select]:\n", "");
}

/* debug.Stack() ends without an empty line. */
Test(parse, a_header_behind_other_text_ends_the_goroutine)
{
	check("x: goroutine 1 [running]:\n" FRAME "y: goroutine 2 [running]:\n" FRAME
	      "created by main.g\n\t/x.go:2\nz: goroutine 3 [running]:\n" FRAME,
	      "1: 1 [running]| main.f /x.go:1 +0x2\n"
	      "4: 2 [running]| main.f /x.go:1 +0x2| by main.g /x.go:2\n"
	      "9: 3 [running]| main.f /x.go:1 +0x2\n");
}

Test(parse, flags_of_a_state)
{
	header("7 [runnable (scan)]", "7 [runnable] (scan)");
	header("7 [chan send (nil chan) (scan), 3 minutes]", "7 [chan send (nil chan)] (scan) 3m");
	header("7 [chan receive (leaked)]", "7 [chan receive] (leaked)");
	header("7 [select (leaked) (scan), 3 minutes]", "7 [select] (scan) (leaked) 3m");
	header("7 [sync.WaitGroup.Wait (durable), synctest bubble 3]",
	       "7 [sync.WaitGroup.Wait] (durable) bubble=3");
	header("7 [chan receive (synctest), 1 minutes, synctest group 2]",
	       "7 [chan receive] (synctest) 1m group=2");
	header("7 [synctest.Run, locked to thread, synctest bubble 9]",
	       "7 [synctest.Run] locked bubble=9");
}

Test(parse, addresses)
{
	header("1 gp=0xc000002380 m=0 mp=0x5b2c60 [running]",
	       "1 [running] gp=0xc000002380 m=0 mp=0x5b2c60");
	header("2 gp=0xc000002e00 m=nil [force gc (idle), 3 minutes]",
	       "2 [force gc (idle)] 3m gp=0xc000002e00 m=-1");
	header("0 gp=0x5b2980 m=3 mp=nil [idle]", "0 [idle] gp=0x5b2980 m=3");
}

Test(parse, labels)
{
	header("1 [running labels:{\"a\": \"b\"}]", "1 [running] <a>=<b>");
	header("1 [select, 2 minutes labels:{\"a\": \"b\", \"c\": \"d\"}]",
	       "1 [select] 2m <a>=<b> <c>=<d>");
	header("1 [select, locked to thread, synctest bubble 4 labels:{\"k\": \"\"}]",
	       "1 [select] locked bubble=4 <k>=<>");
	header("1 [running] {\"a\": \"b\", c: \"d\"}", "1 [running] <a>=<b> <c>=<d>");
	header("1 [running labels:{\"]: {}, \": \"x\\\"]:\\\\\\n\\t\\r\"}]",
	       "1 [running] <]: {}, >=<x\"]:\\\n\t\r>");
	header("1 [running labels:{\"\\u00e9\": \"\\x01\\u4e16\\U0001f600\\ud800\"}]",
	       "1 [running] <é>=<\x01世😀\xef\xbf\xbd>");
}

Test(parse, headers_that_cannot_be_read)
{
	check("goroutine 23 []:\n" FRAME, "1! goroutine 23 []: ? goroutine ID [STATE]:\n");
	check("goroutine \n" FRAME, "1! goroutine ? goroutine ID [STATE]:\n");
	check("goroutine 1 [running]\n" FRAME,
	      "1! goroutine 1 [running] ? goroutine ID [STATE]:\n");
	check("goroutine 18446744073709551616 [x]:\n", "1! goroutine 18446744073709551616 [x]: ? "
						       "goroutine ID [STATE]:\n");
	check("goroutine profile: total 4\n",
	      "1! goroutine profile: total 4 ? goroutine ID [STATE]:\n");
	check("goroutine 1 gp=c000 m=0 mp=0x1 [running]:\n",
	      "1! goroutine 1 gp=c000 m=0 mp=0x1 [running]: ? goroutine ID [STATE]:\n");
	/* Frames after a broken header do not belong to the goroutine before it. */
	check("goroutine 1 [running]:\n" FRAME "goroutine 2 running]:\nmain.g()\n\t/x.go:1 +0x2\n",
	      "1: 1 [running]| main.f /x.go:1 +0x2\n"
	      "4! goroutine 2 running]: ? goroutine ID [STATE]:\n");
}

Test(parse, unknown_attributes)
{
	check("goroutine 1 [running, on fire, 2 minutes]:\n" FRAME,
	      "1: 1 [running] 2m| main.f /x.go:1 +0x2\n"
	      "1! goroutine 1 [running, on fire, 2 minutes]: ? a known attribute\n");
	check("goroutine 1 [running labels:{\"a\": \"b\", \"c]:\n" FRAME,
	      "1: 1 [running] <a>=<b>| main.f /x.go:1 +0x2\n"
	      "1! goroutine 1 [running labels:{\"a\": \"b\", \"c]: ? a known attribute\n");
	check("goroutine 1 [select, x minutes]:\n",
	      "1: 1 [select]\n"
	      "1! goroutine 1 [select, x minutes]: ? a known attribute\n");
	check("goroutine 1 [select, 18446744073709551615 minutes]:\n",
	      "1: 1 [select] 307445734.561826m\n");
}

/* Parses the two lines of a frame. */
static void frame(const char *text, const char *want)
{
	char in[512], out[512];

	snprintf(in, sizeof(in), "goroutine 1 [running]:\n%s\n", text);
	snprintf(out, sizeof(out), "1: 1 [running]| %s\n", want);
	check(in, out);
}

Test(parse, frames)
{
	frame("main.main()\n\t/tmp/x.go:12 +0x1d", "main.main /tmp/x.go:12 +0x1d");
	frame("main.main(...)\n\t/tmp/x.go:12", "main.main /tmp/x.go:12");
	frame("main.f(0x1, {0x2, 0x3?}, {{0x1, _}, 0x0}, ...)\n\t/x.go:1 +0xa",
	      "main.f /x.go:1 +0xa");
	frame("panic({0x475540?, 0x4a2ff8?})\n\t/usr/local/go/src/runtime/panic.go:787 +0x132",
	      "panic /usr/local/go/src/runtime/panic.go:787 +0x132");
	frame("net/http.(*conn).serve(0xc0001c0000, {0x7d2a58, 0xc0000b2690})\n\t/s.go:2102 +0x5c5",
	      "net/http.(*conn).serve /s.go:2102 +0x5c5");
	frame("main.(*T[...]).f.func1.2(0x1)\n\t/x.go:1 +0x2",
	      "main.(*T[...]).f.func1.2 /x.go:1 +0x2");
	frame("main.f[go.shape.func(int) struct { a int }](0x1)\n\t/x.go:1 +0x2",
	      "main.f[go.shape.func(int) struct { a int }] /x.go:1 +0x2");
	frame("example.com/a%2eb.F()\n\t?:0 +0x2", "example.com/a%2eb.F ?:0 +0x2");
}

Test(parse, places)
{
	frame("main.f()\n\tC:/Users/a b/x.go:12 +0x1d", "main.f C:/Users/a b/x.go:12 +0x1d");
	frame("main.f()\n\t/a:1/b +0x2/x y:3.go:12 +0x1d", "main.f /a:1/b +0x2/x y:3.go:12 +0x1d");
	frame("main.f()\n\t/x.go:12 +0x1d fp=0xc00009ef50 sp=0xc00009eec0 pc=0x48b9fd",
	      "main.f /x.go:12 +0x1d pc=0x48b9fd");
	frame("main.f(...)\n\t/x.go:12 fp=0xc00009ef50 sp=0xc00009eec0 pc=0x48b9fd",
	      "main.f /x.go:12 pc=0x48b9fd");
	frame("main.f()\n        /x.go:12 +0x1d", "main.f /x.go:12 +0x1d");
	frame("main.f()\n\t_cgo_gotypes.go:56 +0xffffffffffffffff",
	      "main.f _cgo_gotypes.go:56 +0xffffffffffffffff");
}

Test(parse, frames_of_c)
{
	frame("non-Go function\n\tpc=0x7f0a", "non-Go function pc=0x7f0a");
	frame("non-Go function at pc=0x7f0a", "non-Go function pc=0x7f0a");
	frame("c_sleep_loop\n\t/x y.c:12 pc=0x4a", "c_sleep_loop /x y.c:12 pc=0x4a");
	frame("ns::f(int, char*)::{lambda()#1}\n\t/x.cc:12 pc=0x4a",
	      "ns::f(int, char*)::{lambda()#1} /x.cc:12 pc=0x4a");
	frame("ns::operator()\n\tpc=0x4a", "ns::operator() pc=0x4a");
	frame("f(0)\n\t/x.cc:12 pc=0x4a", "f(0) /x.cc:12 pc=0x4a");
	frame("c_f\n\tpc=0x4a\nmain._Cfunc_c_f()\n\t_cgo_gotypes.go:56 +0x45",
	      "c_f pc=0x4a| main._Cfunc_c_f _cgo_gotypes.go:56 +0x45");
}

Test(parse, creators)
{
	frame("main.f()\n\t/x.go:1 +0x2\ncreated by main.g\n\t/x.go:2 +0x3",
	      "main.f /x.go:1 +0x2| by main.g /x.go:2 +0x3");
	frame("created by main.g in goroutine 17\n\t/x.go:2 +0x3", "by main.g /x.go:2 +0x3 in 17");
	frame("created by main.f[go.shape.struct { a int }].func1 in goroutine 1\n\t/x.go:2",
	      "by main.f[go.shape.struct { a int }].func1 /x.go:2 in 1");
	frame("created by a in goroutine 1.b\n\t/x.go:2", "by a in goroutine 1.b /x.go:2");
	check("goroutine 1 [running]:\ncreated by main.g in goroutine 3\n\n" FRAME,
	      "1: 1 [running]| by main.g in 3\n3!  ? a tab, FILE:LINE\n");
	check("goroutine 1 [running]:\ncreated by main.g\n\t/x.go:1\ncreated by main.h\n\t/x.go:1\n",
	      "1: 1 [running]| by main.g /x.go:1\n");
}

Test(parse, frames_left_out)
{
	frame(FRAME "...additional frames elided...\ncreated by main.g\n\t/x.go:2",
	      "main.f /x.go:1 +0x2| ...0| by main.g /x.go:2");
	frame(FRAME "...23 frames elided...\n" FRAME,
	      "main.f /x.go:1 +0x2| ...23| main.f /x.go:1 +0x2");
	frame("...1 frames elided...\n" FRAME, "...1| main.f /x.go:1 +0x2");
	check("goroutine 1 [running]:\n...1 frames elided...\n...2 frames elided...\n",
	      "1: 1 [running]| ...3\n3! ...2 frames elided... ? frames to be elided once\n");
}

Test(parse, stacks_that_are_not_there)
{
	frame("\tgoroutine running on other thread; stack unavailable", "unavailable");
	frame("\tgoroutine running on other thread; stack unavailable\n"
	      "created by main.g in goroutine 1\n\t/x.go:2 +0x3",
	      "unavailable| by main.g /x.go:2 +0x3 in 1");
	frame("goroutine running on other thread; stack unavailable", "unavailable");
	check("goroutine 1 [idle]:\n\ngoroutine 2 [idle]:\n", "1: 1 [idle]\n3: 2 [idle]\n");
	check("goroutine 1 [idle]:\ngoroutine 2 [idle]:", "1: 1 [idle]\n2: 2 [idle]\n");
}

#define BY "created by main.g\n\t/x.go:2\n"

Test(parse, ancestors)
{
	frame(FRAME BY "[originating from goroutine 7]:\nmain.a(...)\n\t/x.go:3 +0x4\n" BY
		       "[originating from goroutine 1]:\nmain.b(...)\n\t/x.go:4 +0x5\n"
		       "...additional frames elided...\n",
	      "main.f /x.go:1 +0x2| by main.g /x.go:2 ^ 7| main.a /x.go:3 +0x4| by main.g /x.go:2"
	      " ^ 1| main.b /x.go:4 +0x5| ...0");
	check("goroutine 1 [running]:\n" FRAME BY "[originating from goroutine x]:\n" FRAME "\n"
	      "goroutine 2 [running]:\n",
	      "1: 1 [running]| main.f /x.go:1 +0x2| by main.g /x.go:2\n10: 2 [running]\n"
	      "6! [originating from goroutine x]: ? [originating from goroutine ID]:\n");
}

Test(parse, other_peoples_text)
{
	check("2026/11/21 listening (80)\npanic: x [recovered]\n\tpanic: y\n\n"
	      "goroutine 1 [running]:\n" FRAME BY "127.0.0.1 GET /\n\tat x.go:1\n"
	      "goroutine 2 [select]:\n" FRAME "exit status 2\nFAIL (x)\n\nrax    0x0\n",
	      "5: 1 [running]| main.f /x.go:1 +0x2| by main.g /x.go:2\n"
	      "12: 2 [select]| main.f /x.go:1 +0x2\n");
	check("fatal error: x\n\nruntime stack:\nruntime.throw({0x1, 0x2})\n\t/p.go:1 +0x48\n\n"
	      "goroutine 1 [running]:\n" FRAME "runtime stack:\n" FRAME,
	      "7: 1 [running]| main.f /x.go:1 +0x2\n");
}

Test(parse, registers_behind_a_stack)
{
	check("goroutine 0 [idle]:\n" FRAME "rax    0xfffffffffffffffc\nrbx    0x0\n\n-----\n\n"
	      "goroutine 0 [idle]:\n" FRAME "r0      0x0\nlr      0x1\n",
	      "1: 0 [idle]| main.f /x.go:1 +0x2\n9: 0 [idle]| main.f /x.go:1 +0x2\n");
}

Test(parse, a_line_in_between_costs_what_it_breaks)
{
	check("goroutine 1 [running]:\nlog\nlog (1)\nlog\n" FRAME
	      "main.g()\nlog\n\t/x.go:2\n" FRAME,
	      "1: 1 [running]| main.f /x.go:1 +0x2| main.f /x.go:1 +0x2\n"
	      "2! log ? a function call\n8! log ? a tab, FILE:LINE\n");
	check("goroutine 1 [running]:\nmain.f()\n\tx\nmain.g(\n" FRAME,
	      "1: 1 [running]| main.f| main.f /x.go:1 +0x2\n"
	      "3!  x ? a tab, FILE:LINE\n4! main.g( ? a function call\n");
	check("goroutine 1 [running]:\n\tlog\n\tpc=0x12\n" FRAME,
	      "1: 1 [running]| main.f /x.go:1 +0x2\n"
	      "2!  log ? a function call\n");
	check("goroutine 1 [running]:\nmain.g()\n\n\t/x.go:3\n" FRAME BY,
	      "1: 1 [running]| main.f /x.go:1 +0x2| by main.g /x.go:2\n"
	      "3!  ? a tab, FILE:LINE\n");
	check("goroutine 1 [running]:\n" FRAME "created by main.g\nlog\n\t/x.go:2\n"
	      "[originating from goroutine 7]:\nmain.a(...)\n\t/x.go:3\n",
	      "1: 1 [running]| main.f /x.go:1 +0x2| by main.g ^ 7| main.a /x.go:3\n"
	      "5! log ? a tab, FILE:LINE\n5! log ? [originating from goroutine ID]:\n");
	/* The second stack's header was lost; it is not part of the main goroutine's stack. */
	check("goroutine 1 [running]:\nmain.main()\n\t/x.go:1\n\n" FRAME BY,
	      "1: 1 [running]| main.main /x.go:1\n");
	check("goroutine 1 [running]:\n\n" FRAME "\n" BY,
	      "1: 1 [running]| main.f /x.go:1 +0x2| by main.g /x.go:2\n"
	      "3! main.f() ? no empty line within a stack\n"
	      "6! created by main.g ? no empty line within a stack\n");
}

Test(parse, crlf)
{
	check("goroutine 1 [select, 2 minutes]:\r\nmain.f()\r\n\t/x.go:1 +0x2\r\n"
	      "created by main.g\r\n\t/x.go:2\r\n\r\ngoroutine 2 [idle]:\r\n",
	      "1: 1 [select] 2m| main.f /x.go:1 +0x2| by main.g /x.go:2\n7: 2 [idle]\n");
}

Test(parse, the_end_anywhere)
{
	check("", "");
	check("goroutine 1 [sel", "1! goroutine 1 [sel ? goroutine ID [STATE]:\n");
	check("goroutine 1 [select]:", "1: 1 [select]\n");
	check("goroutine 1 [select]:\nmain.f", "1: 1 [select]\n2! main.f ? a function call\n");
	check("goroutine 1 [select]:\nmain.f()\n",
	      "1: 1 [select]| main.f\n3! (end of input) ? a tab, FILE:LINE\n");
	check("goroutine 1 [select]:\nmain.f()\n\t/x.go",
	      "1: 1 [select]| main.f\n3!  /x.go ? a tab, FILE:LINE\n");
	check("goroutine 1 [select]:\nmain.f()\n\t/x.go:1", "1: 1 [select]| main.f /x.go:1\n");
	check("goroutine 1 [select]:\nmain.f()\n\t/x.go:1 +0", "1: 1 [select]| main.f /x.go:1\n");
	check("goroutine 1 [select]:\nmain.f()\n\t/x.go:1 +0x1 fp=0x2 s",
	      "1: 1 [select]| main.f /x.go:1\n");
	check("goroutine 1 [select]:\nmain.f()\n\t/x.go:1 +0x1 fp=0x2 see",
	      "1: 1 [select]| main.f\n3!  /x.go:1 +0x1 fp=0x2 see ? a tab, FILE:LINE\n");
	check("goroutine 1 [select]:\ncreated by main.g",
	      "1: 1 [select]| by main.g\n3! (end of input) ? a tab, FILE:LINE\n");
}

Test(parse, bytes_of_all_kinds)
{
	static const char text[] =
		"goroutine 1 [select]:\nmain.\0\xff\x1b[31m(0x1)\n\t/x\0.go:1\n\x1b]0;x\n";
	char *got = parsed(text, sizeof(text) - 1);

	cr_expect_str_eq(strstr(got, "4!"), "4! ?]0;x ? a function call\n", "%s", got);
	free(got);
}

Test(parse, long_lines_of_errors_are_shortened)
{
	char text[400], *got;

	memset(text, 'x', sizeof(text));
	memcpy(text, "goroutine 1 [select]:\n", 22);
	memcpy(text + 97, "é", 2);
	got = parsed(text, sizeof(text));
	cr_expect(strstr(got, "xxx… ? a function call\n"), "%s", got);
	cr_expect(strchr(strchr(got, '\n') + 1, '\n') - strchr(got, '\n') < 110, "%s", got);
	free(got);
}

static int stop_at_2(void *ctx, const struct goparse_goroutine *g, struct error *err)
{
	*(uint64_t *)ctx = g->stack.id;
	return g->stack.id == 2 ? error_set(err, ERR_LIMIT, "enough") : 0;
}

Test(parse, an_error_of_the_callback_ends_it)
{
	static const char text[] = "goroutine 1 [x]:\n\ngoroutine 2 [x]:\n\ngoroutine 3 [x]:\n";
	struct error err = { 0 };
	struct goparse *p;
	uint64_t last = 0;

	cr_assert(goparse_new(&p, &err) == 0);
	cr_expect(goparse_memory(p, text, sizeof(text) - 1, stop_at_2, &last, &err) == ERR_LIMIT);
	cr_expect(last == 2 && goparse_stats(p)->goroutines == 2);
	cr_expect_str_eq(err.text, "enough");
	goparse_free(p);
}

/* A reader that returns a text and then fails; goroutines before the failure are reported. */
struct failing {
	const char *text;
};

static int fails_at_the_end(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct failing *f = ctx;

	if (!f->text)
		return error_set(err, ERR_IO, "broken");
	*got = strlen(f->text);
	cr_assert(*got <= len);
	memcpy(buf, f->text, *got);
	f->text = NULL;
	return 0;
}

Test(parse, a_reader_that_fails)
{
	struct failing f = { "goroutine 1 [x]:\n" FRAME "goroutine 2 [x]:\nmain.g" };
	struct buffer out = { 0 };
	struct error err = { 0 };
	struct goparse *p;

	cr_assert(goparse_new(&p, &err) == 0);
	cr_expect(goparse_stream(p, fails_at_the_end, &f, each, &out, &err) == ERR_IO);
	cr_assert(buffer_add(&out, "", 1) == 0);
	cr_expect_str_eq((char *)out.data, "1: 1 [x]| main.f /x.go:1 +0x2\n4: 2 [x]\n");
	buffer_release(&out);
	goparse_free(p);
}

Test(parse, errors_are_counted_and_the_first_kept)
{
	struct buffer text = { 0 };
	struct error err = { 0 };
	struct goparse *p;
	int rc = 0;

	for (int i = 0; i < 250; i++)
		rc |= buffer_addf(&text, "goroutine %d\n", i);
	cr_assert(!rc && goparse_new(&p, &err) == 0);
	cr_expect(goparse_memory(p, text.data, text.len, each, NULL, &err) == 0);
	cr_expect(goparse_stats(p)->error_count == 250 && goparse_stats(p)->errors[99].line == 100);
	cr_expect(goparse_stats(p)->lines == 250 && goparse_stats(p)->goroutines == 0);
	goparse_free(p);
	buffer_release(&text);
}
