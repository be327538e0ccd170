/* Logs, and the dumps that are in them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "goparse/log/unlog.h"

#define DUMP \
	"goroutine 1 [running]:\nmain.f(0x1)\n\t/x.go:1 +0x2\n\ngoroutine 22 [select, 2 minutes]:\n" \
	"main.g(...)\n\t/y.go:2\ncreated by main.main in goroutine 1\n\t/x.go:3 +0x4\n"

/* A reader that returns at most `most` bytes at a time, and fails at the end if `rc` is not 0. */
struct drip {
	const char *at;
	size_t left, most;
	int rc;
};

static int drip_read(void *ctx, void *buf, size_t len, size_t *got, struct error *err)
{
	struct drip *d = ctx;

	*got = len < d->most ? len : d->most;
	if (*got > d->left)
		*got = d->left;
	if (*got)
		memcpy(buf, d->at, *got);
	d->at += *got;
	d->left -= *got;
	return !*got && d->rc ? error_set(err, d->rc, "broken") : 0;
}

/* Reads `text` to its end; the caller releases the result, which ends in a NUL. *told: what was
 * taken off. Returns what the last call returned. */
static int read_out(struct drip drip, struct buffer *out, char *told, size_t room)
{
	struct error err = { 0 };
	struct unlog *u;
	size_t got = 1;
	char piece[100];
	int rc;

	cr_assert(unlog_new(&u, drip_read, &drip, &err) == 0);
	do {
		rc = unlog_read(u, piece, sizeof(piece), &got, &err);
		cr_assert(!rc || !strcmp(err.text, "broken"));
		cr_assert(buffer_add(out, piece, rc ? 0 : got) == 0);
	} while (!rc && got);
	if (!unlog_tell(u, told, room))
		told[0] = '\0';
	unlog_free(u);
	cr_assert(buffer_add(out, "", 1) == 0);
	return rc;
}

static void check_bytes(const char *log, size_t len, const char *want, const char *want_told)
{
	static const size_t pieces[] = { 1, 7, 1 << 20 };

	for (size_t i = 0; i < 3; i++) {
		struct buffer out = { 0 };
		char told[256];

		cr_expect(read_out((struct drip){ log, len, pieces[i], 0 }, &out, told,
				   sizeof(told)) == 0);
		cr_expect_str_eq((char *)out.data, want, "%.*s\ngave:\n%s\ninstead of:\n%s",
				 (int)len, log, (char *)out.data, want);
		cr_expect_str_eq(told, want_told, "%.*s\ntold: %s", (int)len, log, told);
		buffer_release(&out);
	}
}

static void check(const char *log, const char *want, const char *told)
{
	check_bytes(log, strlen(log), want, told);
}

Test(unlog, a_dump_stays_as_it_is)
{
	check("", "", "");
	check(DUMP, DUMP, "");
	check("panic: x\n\n" DUMP "exit status 2", "panic: x\n\n" DUMP "exit status 2", "");
	check("a: " DUMP, "a: " DUMP, "");
	check("goroutine 1 [a]: \"x\"\n" DUMP, "goroutine 1 [a]: \"x\"\n" DUMP, "");
	check("goroutine 1 [a labels:{\"]:\\u20ac\": \"b]:\"}]:\n", /* as Go prints labels */
	      "goroutine 1 [a labels:{\"]:\\u20ac\": \"b]:\"}]:\n", "");
	check("x\ngoroutine 1 [a labels:{\"]:\\u20ac\": \"b]:\"}]:\n",
	      "x\ngoroutine 1 [a labels:{\"]:\\u20ac\": \"b]:\"}]:\n", "");
	check("no dump: \"goroutine 5 [x]:\" and {\"log\": \"y\\n\"}\n",
	      "no dump: \"goroutine 5 [x]:\" and {\"log\": \"y\\n\"}\n", "");
}

Test(unlog, a_prefix_that_varies)
{
	check("9:59:59.9 a-7 | goroutine 1 [running]:\n9:59:59.95 a-7 | main.f(0x1)\n"
	      "10:00:00.123 a-7 | \t/x.go:1 +0x2\n10:0:0.1 a-7 |\n10:0:0.1 a-7 | goroutine 2 [x]:\n",
	      "goroutine 1 [running]:\nmain.f(0x1)\n\t/x.go:1 +0x2\n\ngoroutine 2 [x]:\n",
	      "taken off each line: '9:59:59.9 a-7 | '");
	check("> goroutine 1 [running]:\r\n> main.f(0x1)\r\n>   /x.go:1 +0x2\r\n>\r\n",
	      "goroutine 1 [running]:\r\nmain.f(0x1)\r\n  /x.go:1 +0x2\r\n\r\n",
	      "taken off each line: '> '");
	check("May  4 a goroutine 1 [running]:\nMay 14 a main.f()\nMay 14 a \t/x.go:1\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "taken off each line: 'May  4 a '");
}

Test(unlog, a_prefix_that_is_padded)
{
	check("[ 9.5] goroutine 1 [running]:\n[10.0] main.f()\n[10.1] \t/x.go:1\n[ 9.9]\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n\n", "taken off each line: '[ 9.5] '");
	check(" 9\tgoroutine 1 [running]: \n10\tmain.f()\n11\t\t/x.go:1\n",
	      "goroutine 1 [running]: \nmain.f()\n\t/x.go:1\n", "taken off each line: ' 9\t'");
}

Test(unlog, lines_of_others_are_left_out)
{
	check("b 1| x\na 1| goroutine 1 [running]:\nb 1| y\na 1| main.f()\nA 1| z (3)\n"
	      "a 1| \t/x.go:1\nA 1| z\n",
	      "b 1| x\ngoroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "taken off each line: 'a 1| '");
	check("web-1 | goroutine 1 [running]:\nweb-2 | GET / (200)\nweb-1 | main.f()\n"
	      "web-2 | x (1)\nweb-1 | \t/x.go:1\nweb-2 | GET /\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "taken off each line: 'web-1 | '");
	check("ab[7]: goroutine 1 [running]:\nab[8]: x ()\nab[7]: main.f()\nab[8]: y ()\nab[7]: \t/x.go:1\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "taken off each line: 'ab[7]: '");
}

/* What others write behind the header looks like a call behind half of the prefix. */
Test(unlog, half_a_prefix_is_none)
{
	check("[a-5d-xk2] goroutine 1 [running]:\n[a-5d-zz9] GET / (200)\n[a-5d-zz9] GET / (200)\n"
	      "[a-5d-xk2] main.f()\n[a-5d-zz9] GET / (200)\n[a-5d-xk2] \t/x.go:1\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "taken off each line: '[a-5d-xk2] '");
	check("a[1]: goroutine 1 [running]:\na[22]: x ()\na[1]: main.f()\na[22]: y ()\na[1]: \t/x.go:1\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "taken off each line: 'a[1]: '");
}

/* A counter in a name, and in a bracket. */
Test(unlog, a_name_that_varies)
{
	check("seq-1 goroutine 1 [running]:\nseq-2 main.f()\nseq-3 \t/x.go:1\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "taken off each line: 'seq-1 '");
	check("seq-1 goroutine 1 [running]:\nseq-1 main.f()\nseq-2 \t/x.go:1\nseq-3 main.g()\n"
	      "seq-3 \t/x.go:2\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\nmain.g()\n\t/x.go:2\n",
	      "taken off each line: 'seq-1 '");
	check("INFO[0001] goroutine 1 [running]:\nINFO[0001] main.f()\nINFO[0002] \t/x.go:1\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "taken off each line: 'INFO[0001] '");
}

Test(unlog, a_line_without_the_prefix_that_only_a_dump_has)
{
	check("a | goroutine 1 [running]:\na | main.f()\n\t/x.go:1\nmain.g()\n/x.go:2\nb | x.g()\n"
	      "goroutine 2 [select]:\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\nmain.g()\n/x.go:2\n"
	      "goroutine 2 [select]:\n",
	      "taken off each line: 'a | '");
}

/* The second one comes behind the first. */
Test(unlog, dumps_that_stand_among_each_other)
{
	static const char want[] = "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n\n"
				   "goroutine 2 [select]:\nmain.g()\n\t/x.go:2\n"
				   "goroutine 1 [running]:\nmain.h()\n\t/x.go:3\n"
				   "goroutine 3 [select]:\nmain.i()\n\t/x.go:4\n";

	check("web | goroutine 1 [running]:\ndb | goroutine 1 [running]:\nweb | main.f()\n"
	      "db | main.h()\nweb | \t/x.go:1\ndb | \t/x.go:3\nweb |\ndb |\n"
	      "web | goroutine 2 [select]:\ndb | goroutine 3 [select]:\nweb | main.g()\n"
	      "db | main.i()\nweb | \t/x.go:2\ndb | \t/x.go:4\n",
	      want, "taken off each line: 'web | '; then: 'db | '");
	check("pq-1 | goroutine 1 [running]:\npq-2 | goroutine 1 [running]:\npq-1 | main.f()\n"
	      "pq-2 | main.h()\npq-1 | \t/x.go:1\npq-2 | \t/x.go:3\npq-1 |\npq-2 |\n"
	      "pq-1 | goroutine 2 [select]:\npq-1 | main.g()\npq-1 | \t/x.go:2\n"
	      "pq-2 | goroutine 3 [select]:\npq-2 | main.i()\npq-2 | \t/x.go:4\n",
	      want, "taken off each line: 'pq-1 | '; then: 'pq-2 | '");
}

/* Another dump of the same source ends the first: the order stays. */
Test(unlog, dumps_behind_each_other_stay_in_order)
{
	check("a | goroutine 1 [running]:\na | main.f()\na | \t/x.go:1\nb | goroutine 2 [running]:\n"
	      "b | main.g()\nb | \t/x.go:2\na | goroutine 3 [running]:\na | main.h()\na | \t/x.go:3\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\ngoroutine 2 [running]:\n"
	      "main.g()\n\t/x.go:2\ngoroutine 3 [running]:\nmain.h()\n\t/x.go:3\n",
	      "taken off each line: 'a | '; then: 'b | '");
}

/* Lines of a dump that are left out are counted: no header of theirs was there. */
Test(unlog, what_is_left_out_of_another_dump_is_told)
{
	check("a | goroutine 1 [running]:\na | main.f()\nb | \t/y.go:1 +0x1\na | \t/x.go:1\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "taken off each line: 'a | '; lines of other dumps left out: 1, such as behind 'b | '");
}

Test(unlog, an_empty_line_behind_each_line)
{
	static const char told[] = "the empty line behind each line taken out";

	check("panic: x\n\n\n\ngoroutine 1 [running]:\n\nmain.f()\n\n\t/x.go:1 +0x2\n\n\n\n"
	      "goroutine 2 [x]:\n\nmain.g()\n\n\t/y.go:2\n\n",
	      "panic: x\n\n\n\ngoroutine 1 [running]:\nmain.f()\n\t/x.go:1 +0x2\n\n\n"
	      "goroutine 2 [x]:\nmain.g()\n\t/y.go:2\n",
	      told);
	check("goroutine 1 [running]:\r\n\r\nmain.f()\r\n\r\n\t/x.go:1\r\n\r\n",
	      "goroutine 1 [running]:\r\nmain.f()\r\n\t/x.go:1\r\n", told);
	check("goroutine 1 [running]:\n\nmain.f()\n\t/x.go:1\n",
	      "goroutine 1 [running]:\n\nmain.f()\n\t/x.go:1\n", "");
}

Test(unlog, other_text_before_the_header_is_no_prefix)
{
	check("1 a: stacks: goroutine 1 [running]:\n1 a: main.f()\n1 a: \t/x.go:1\n",
	      "stacks: goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "taken off each line: '1 a: '");
	check("  x_test.go:3: goroutine 1 [running]:\n      main.f()\n      \t/x.go:1\n",
	      "  x_test.go:3: goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "taken off each line: '      '");
}

Test(unlog, a_string_for_each_line)
{
	check("{\"time\":\"a\",\"log\":\"goroutine 1 [running]:\\n\"}\n"
	      "{\"log\" : \"main.f({\\\"\\\\\\/\\u00e9\\ud83d\\ude00\\t\\n\",\"x\":\"y\"}\n{\"x\":\"y\"}\n"
	      "{\"log\":\"\\n\"}\nother\n",
	      "goroutine 1 [running]:\nmain.f({\"\\/é😀\t\n{\"x\":\"y\"}\n\nother\n",
	      "escapes undone in '\"log\"'");
	check("t=1 msg=\"goroutine 1 [running]:\" x=2\nt=1 msg=\"main.f()\"\nt=1 msg=\"\"\n",
	      "goroutine 1 [running]:\nmain.f()\n\n", "escapes undone in 'msg'");
}

Test(unlog, a_string_for_a_dump)
{
	check("x {\"a\": {\"stack\": \"panic\\n\\ngoroutine 1 [running]:\\nmain.f()\\n\\t/x.go:1\"}}\ny\n",
	      "panic\n\ngoroutine 1 [running]:\nmain.f()\n\t/x.go:1\ny\n",
	      "escapes undone in '\"stack\"'");
	check("\"goroutine 1 [running]:\\nmain.f()\\n\\t/x.go:1\\n\"\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "escapes undone");
	check("a goroutine 1 [running]:\\nmain.f()\\n\\t/x.go:1\nb\\n\n",
	      "a goroutine 1 [running]:\nmain.f()\n\t/x.go:1\nb\\n\n", "escapes undone");
	check("a goroutine 1 [running]:#012main.f()#012#011/x.go:1#9\nb\n",
	      "a goroutine 1 [running]:\nmain.f()\n\t/x.go:1#9\nb\n", "escapes undone");
}

Test(unlog, a_string_in_a_string)
{
	check("{\"log\":\"{\\\"stack\\\":\\\"goroutine 1 [running]:\\\\nmain.f()\\\\n\\\\t/x.go:1\\\"}\\n\"}\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "escapes undone in '\"log\"'; escapes undone in '\"stack\"'");
}

/* docker cuts lines into values of 16 KiB without a newline. */
Test(unlog, pieces_of_a_line_are_joined)
{
	struct buffer log = { 0 }, want = { 0 };

	cr_assert(buffer_addf(&log, "{\"log\":\"goroutine 1 [running]:\\n\"}\n{\"log\":\"") == 0);
	cr_assert(buffer_addf(&want, "goroutine 1 [running]:\n") == 0);
	for (int i = 0; i < 16 << 10; i++)
		cr_assert(buffer_add(&log, "x", 1) == 0 && buffer_add(&want, "x", 1) == 0);
	cr_assert(buffer_addf(&log, "\"}\n{\"log\":\"y\\n\"}\n") == 0);
	cr_assert(buffer_addf(&want, "y\n%c", 0) == 0);
	check_bytes((char *)log.data, log.len, (char *)want.data, "escapes undone in '\"log\"'");
	buffer_release(&log);
	buffer_release(&want);
}

/* CRI: the tag "P" says that the line goes on in the next one of its stream. */
Test(unlog, pieces_of_cri_are_joined)
{
	static const char told[] =
		"pieces of lines joined; taken off each line: '2024-05-05T12:00:00.1Z stderr F '";

	check("2024-05-05T12:00:00.1Z stderr P goroutine 1 [run\n"
	      "2024-05-05T12:00:00.2Z stdout P x\n2024-05-05T12:00:00.2Z stderr P ning\n"
	      "2024-05-05T12:00:00.2Z stdout F y\n2024-05-05T12:00:00.3Z stderr F ]:\n"
	      "2024-05-05T12:00:00.4Z stderr F main.f()\n2024-05-05T12:00:00.5Z stderr P:x \t/x\r\n"
	      "2024-05-05T12:00:00.5Z stderr F:y .go:1\r\n2024-05-05T12:00:00.6Z stderr F\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n\n", told);
	check("2024-05-05T12:00:00.1Z stderr F goroutine 1 [running]:\n"
	      "2024-05-05T12:00:00.4Z stderr F main.f()\n2024-05-05T12:00:00.5Z stderr P \t/x.g",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.g", told);
	check("2024-05-05T12:00:00.1Z stdout P a\n2024-05-05T12:00:00.1Z stderr F b\n"
	      "2024-05-05T12:00:00.1Z stderr P c\n2024-05-05T12:00:00.1Z stdout F d\nx\n",
	      "2024-05-05T12:00:00.1Z stdout F ad\n2024-05-05T12:00:00.1Z stderr F b\n"
	      "2024-05-05T12:00:00.1Z stderr F c\nx\n",
	      "pieces of lines joined");
	check("{\"log\":\"goroutine 1 [running]:\",\"logtag\":\"F\"}\n{\"logtag\": \"P\",\"log\":\"main\"}\n"
	      "{\"log\":\".f()\",\"logtag\":\"F\"}\n",
	      "goroutine 1 [running]:\nmain.f()\n",
	      "pieces of lines joined; escapes undone in '\"log\"'");
}

Test(unlog, a_list_of_strings)
{
	static const char told[] = "a list of strings read as lines";
	static const char want[] =
		"goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n\ngoroutine 2 [x]:\n";

	check("{\"x\":[\"y\"],\"stack\":[\"goroutine 1 [running]:\",\"main.f()\",\"\\t/x.go:1\",\"\",\"goroutine 2 "
	      "[x]:\"],\"y\":[\"z ()\"]}\n",
	      want, told);
	check("[\n  \"goroutine 1 [running]:\\n\",\n  \"main.f()\\n\",\n  \"\\t/x.go:1\\n\",\n  \"\\n\",\n"
	      "  \"goroutine 2 [x]:\\n\"\n],\n\"z\"\n",
	      "[\ngoroutine 1 [running]:\nmain.f()\n\t/x.go:1\n\ngoroutine 2 [x]:\n", told);
	check("x [\"goroutine 1 [running]:\" \"main.f()\" \"\\t/x.go:1\" \"\" \"goroutine 2 [x]:\"] y\n",
	      want, told);
	check("[[\"17\",\"goroutine 1 [running]:\"],[\"18\",\"main.f()\"],[\"19\",\"\\t/x.go:1\"],"
	      "[\"20\",\"\"],[\"21\",\"goroutine 2 [x]:\"]]\n",
	      want, told);
	check("[[\"goroutine 1 [running]:\",\"main.f()\",\"\\t/x.go:1\",\"\"],[\"goroutine 2 [x]:\",\"main.g()\","
	      "\"\\t/x.go:2\"]]\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n\ngoroutine 2 [x]:\nmain.g()\n\t/x.go:2\n",
	      told);
}

Test(unlog, a_key_that_is_many_times_in_a_line)
{
	check("[{\"m\":\"goroutine 1 [running]:\",\"t\":1},{\"m\":\"main.f()\",\"t\":2},{\"m\":\"\\t/x.go:1\"}]\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "escapes undone in '\"m\"'");
	check("{\"s\":\"goroutine 1 [running]:\\nmain.f()\\n\\t/x.go:1\",\"x\":{\"s\":\"main.g()\"}}\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "escapes undone in '\"s\"'");
}

Test(unlog, lines_of_json_around_a_string)
{
	check("[\n  {\n    \"m\": \"goroutine 1 [running]:\",\n    \"t\": 1\n  },\n  {\n    \"l\": {\n      \"k\": []\n"
	      "    },\n    \"m\": \"main.f()\"\n  },\n  {\n    \"m\": \"\\t/x.go:1\"\n  }\n]\nx\n",
	      "[\n  {\ngoroutine 1 [running]:\nmain.f()\n\t/x.go:1\nx\n",
	      "escapes undone in '\"m\"'");
}

Test(unlog, lines_that_something_else_ends)
{
	static const char want[] = "x: goroutine 1 [running]:\nmain.f(0x1, 0x2)\n\t/x.go:1 +0x2\n\n"
				   "goroutine 2 [x]:\nmain.g()\n\t/y z.go:2\ny\n";

	check("x: goroutine 1 [running]:⏎main.f(0x1, 0x2)⏎\t/x.go:1 +0x2⏎⏎goroutine 2 [x]:⏎main.g()⏎"
	      "\t/y z.go:2\ny\n",
	      want, "lines taken apart that were joined by '⏎'");
	check("x: goroutine 1 [running]: | main.f(0x1, 0x2) | \t/x.go:1 +0x2 |  | goroutine 2 [x]: | "
	      "main.g() | \t/y z.go:2\ny\n",
	      want, "lines taken apart that were joined by '|'");
	check("x: goroutine 1 [running]:<br>main.f(0x1, 0x2)<br>\t/x.go:1 +0x2<br><br>goroutine 2 [x]:<br>"
	      "main.g()<br>\t/y z.go:2\ny\n",
	      want, "lines taken apart that were joined by '<br>'");
	check("x: goroutine 1 [running]:, main.f(0x1, 0x2), \t/x.go:1\n",
	      "x: goroutine 1 [running]:, main.f(0x1, 0x2), \t/x.go:1\n", "");
}

Test(unlog, lines_joined_by_blanks)
{
	static const char told[] = "lines taken apart that were joined by blanks";

	check("x: goroutine 1 [running, 2 minutes]: main.(*T).f(0x1, {0x2?, ...}) /x y.go:1 +0x2 fp=0x1 sp=0x2 pc=0x3 "
	      "...23 frames elided... main.g(...)  \t/y.go:2 created by main.h in goroutine 7 /z.go:3 +0x1 "
	      "goroutine 2 [x]: goroutine running on other thread; stack unavailable created by main.i z.go:1 "
	      "exit status 2\ny\n",
	      "x: goroutine 1 [running, 2 minutes]:\nmain.(*T).f(0x1, {0x2?, ...})\n"
	      "\t/x y.go:1 +0x2 fp=0x1 sp=0x2 pc=0x3\n...23 frames elided...\nmain.g(...)\n\t/y.go:2\n"
	      "created by main.h in goroutine 7\n\t/z.go:3 +0x1\n\ngoroutine 2 [x]:\n"
	      "goroutine running on other thread; stack unavailable\ncreated by main.i\n\tz.go:1\n"
	      "exit status 2\ny\n",
	      told);
	check("goroutine 1 [running]: see main.f() /x.go:1\n",
	      "goroutine 1 [running]: see main.f() /x.go:1\n", "");
}

Test(unlog, what_stands_at_the_end_of_each_line)
{
	check("x$\ngoroutine 1 [running]:$\nmain.f()$\n^I/x.go:1$\n$\ny\n",
	      "x$\ngoroutine 1 [running]:\nmain.f()\n^I/x.go:1\n\ny\n",
	      "taken off the end of each line: '$'");
	check("| x                      |\n| goroutine 1 [running]: |\n| main.f()               |\n"
	      "| \t/x.go:1               |\n",
	      "| x                      |\ngoroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "taken off the end of each line: '|'; taken off each line: '| '");
}

Test(unlog, a_column_of_csv)
{
	static const char want[] = "goroutine 1 [running]:\nmain.f(0x1, 0x2)\n\t/x.go:1\n\n";

	check("time,message,pod\n1,goroutine 1 [running]:,c\n2,\"main.f(0x1, 0x2)\",c\n"
	      "3,\t/x.go:1,\"a,\n\"\"b\"\n4,,c\n",
	      "time,message,pod\ngoroutine 1 [running]:\nmain.f(0x1, 0x2)\n\t/x.go:1\n\n",
	      "read from column 2 of CSV");
	check("\"a;b\";goroutine 1 [running]:\r\n1;main.f(0x1, 0x2)\r\n\"2\";\"\t/x.go:1\"\r\n1;\r\n",
	      want, "read from column 2 of CSV");
	check("\"goroutine 1 [running]:\"\n\"main.f(0x1, 0x2)\"\n\t/x.go:1\n\n", want,
	      "read from column 1 of CSV");
	check("goroutine 1 [running]:\n\"main.f(0x1, 0x2)\"\n\"\t/x.go:1\"\n\n", want,
	      "read from column 1 of CSV");
	check("1\tgoroutine 1 [running]:\tx\n2\tmain.f(0x1, 0x2)\tx\n3\t\"\t/x.go:1\"\tx\n4\t\tx\n",
	      want, "read from column 2 of CSV");
}

Test(unlog, a_field_of_csv)
{
	check("1,\"goroutine 1 [running labels:{\"\"a\"\": \"\"b\"\"}]:\nmain.f()\n\t/x.go:1\",\"x\n\"\n"
	      "2,\"goroutine 2 [x]:\n\",x\n3\n",
	      "goroutine 1 [running labels:{\"a\": \"b\"}]:\nmain.f()\n\t/x.go:1\ngoroutine 2 [x]:\n3\n",
	      "read from column 2 of CSV");
	check("x: \"goroutine 1 [running]:\nmain.f()\n\t/x.go:1\"\n",
	      "x: \"goroutine 1 [running]:\nmain.f()\n\t/x.go:1\"\n", "");
}

Test(unlog, charsets)
{
	static const char little[] = "\xff\xfeg\0\r\0\n\0\xe9\0\x3d\xd8\0\xdex", big[] = "\0g\0\n";

	check_bytes(little, sizeof(little) - 1, "g\r\né😀", "read as UTF-16");
	check_bytes(big, sizeof(big) - 1, "g\n", "read as UTF-16");
	check("\xef\xbb\xbf" DUMP, DUMP, "");
	check("goroutine 1 [running]:\rmain.f()\r\t/x.go:1\r",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n",
	      "carriage returns read as ends of lines");
}

Test(unlog, utf_32)
{
	static const char little[] = "\xff\xfe\0\0g\0\0\0\n\0\0\0\x3d\xf6\1\0x",
			  big[] = "\0\0\0g\0\0\0\n";
	static const char mark[] = "\0\0\xfe\xff\0\0\0g\0\x11\0\0";

	check_bytes(little, sizeof(little) - 1, "g\n😽", "read as UTF-32");
	check_bytes(big, sizeof(big) - 1, "g\n", "read as UTF-32");
	check_bytes(mark, sizeof(mark) - 1, "g\ufffd", "read as UTF-32");
}

Test(unlog, signs_that_a_page_shows)
{
	static const char want[] = "goroutine 1 [running]:\nmain.f()\n  /x.go:1 +0x2\n";

	check("goroutine\u00a01 [running]:\nmain.f()\n\u00a0 /x.go:1\u00a0+0x2\n", want,
	      "no-break spaces read as blanks");
	check("goroutine\xa0"
	      "1\xa0[running]:\nmain.f()\n\xa0 /x.go:1 +0x2\n",
	      want, "no-break spaces read as blanks");
	check("goroutine 1 [running]:\nmain.f()\n \u00a0/x.go:1 +0x2\n", want,
	      "no-break spaces read as blanks");
	check("&amp;<pre>goroutine 1 [running]:\nmain.f(&lt;&amp;lt;&#x2B;&#7f;)\n&nbsp;&#160;/x.go:1 &#43;0x2\n",
	      "&amp;<pre>goroutine 1 [running]:\nmain.f(<&lt;+&#7f;)\n  /x.go:1 +0x2\n",
	      "HTML's entities undone");
	check("\033[31mgoroutine 1 [running]:\033[0m\n\033[31mmain.f()\033[0m\n\033[1;31m  /x.go:1 +0x2\033[0m\n",
	      "\033[31mgoroutine 1 [running]:\nmain.f()\n  /x.go:1 +0x2\n", "colours taken out");
	check("x\ngoroutine 1 [running]:\nmain.f()\n\t/x\u00a0y&lt;\033[1m.go:1\n",
	      "x\ngoroutine 1 [running]:\nmain.f()\n\t/x\u00a0y&lt;\033[1m.go:1\n", "");
}

Test(unlog, the_newest_line_first)
{
	static const char *const logs[] = {
		"\t/x.go:1\nmain.f()\ngoroutine 2 [x]:\n\n\t/x.go:2\nmain.g()\n",
		"1 \t/x.go:1\n2 main.f()\n3 goroutine 2 [x]:\n",
		"{\"m\":\"main.f()\"}\n{\"m\":\"goroutine 2 [x]:\"}\n{\"m\":\"\"}\n{\"m\":\"\\t/x.go:1\"}\n"
		"{\"m\":\"created by main.g\"}\n{\"m\":\"\\t/x.go:2\"}\n{\"m\":\"main.h()\"}\n",
	};

	for (size_t i = 0; i < 3; i++) {
		struct drip drip = { logs[i], strlen(logs[i]), 7, 0 };
		struct error err = { 0 };
		struct unlog *u;
		size_t got = 1;
		char piece[1000];
		int rc;

		cr_assert(unlog_new(&u, drip_read, &drip, &err) == 0);
		do
			rc = unlog_read(u, piece, sizeof(piece), &got, &err);
		while (!rc && got);
		cr_expect(rc == ERR_FORMAT && strstr(err.text, "newest first"), "%s: %d, %s",
			  logs[i], rc, err.text);
		unlog_free(u);
	}
	/* Frames whose header or whose call was lost. */
	check("\t/x.go:1\nmain.f()\ngoroutine 2 [x]:\nmain.g()\n\t/x.go:2\n",
	      "\t/x.go:1\nmain.f()\ngoroutine 2 [x]:\nmain.g()\n\t/x.go:2\n", "");
	check("goroutine 2 [x]:\n\t/x.go:2\nmain.g()\n\t/x.go:3\ncreated by main.h\n\t/x.go:4\n",
	      "goroutine 2 [x]:\n\t/x.go:2\nmain.g()\n\t/x.go:3\ncreated by main.h\n\t/x.go:4\n",
	      "");
}

/* What stands in place of a header. */
static void check_clue(const char *log, const char *want)
{
	struct drip drip = { log, strlen(log), 7, 0 };
	struct error err = { 0 };
	struct unlog *u;
	size_t got = 1;
	char piece[100], clue[256] = "";

	cr_assert(unlog_new(&u, drip_read, &drip, &err) == 0);
	while (got)
		cr_assert(unlog_read(u, piece, sizeof(piece), &got, &err) == 0);
	cr_expect(unlog_clue(u, clue, sizeof(clue)) == (*want != '\0'));
	cr_expect_str_eq(clue, want, "%s gave: %s", log, clue);
	unlog_free(u);
}

Test(unlog, clues)
{
	check_clue("x\ngoroutine profile: total 3\n", "");
	check_clue(
		"x\n\ny goroutine 1 [running]:,main.f()\n",
		"line 3 has 'goroutine 1 [running]:,main.f()', where the header does not end its line: "
		"give each line of the dump its own");
	check_clue("\nurl=goroutine%201%20%5Brunning\n",
		   "line 2 has 'goroutine%201%20%5Brunning', which is "
		   "encoded for a URL: decode it first");
	check_clue("{\"data\":\"\nZ29yb3V0aW5lIDEgW3J1\n",
		   "line 2 has 'Z29yb3V0aW5lIDEgW3J1', which is base64: "
		   "`base64 -d` decodes it");
}

/* `grep -A` */
Test(unlog, a_dash_in_place_of_a_colon)
{
	check("a:7:goroutine 1 [running]:\na-8-main.f()\na-9-\t/x.go:1\n",
	      "goroutine 1 [running]:\nmain.f()\n\t/x.go:1\n", "taken off each line: 'a:7:'");
}

/* Each step reads through a window of its own. */
Test(unlog, behind_much_else)
{
	for (size_t before = 65470; before < 65590; before++) {
		struct buffer log = { 0 }, out = { 0 };
		char told[256];

		for (size_t i = 0; i < before; i++)
			cr_assert(buffer_add(&log, i % 50 == 49 ? "\n" : "x", 1) == 0);
		cr_assert(buffer_addf(&log, "\n{\"log\":\"5 a: goroutine 1 [running]:\\n\"}\n"
					    "{\"log\":\"6 a: main.f()\\n\"}\n") == 0);
		cr_assert(read_out((struct drip){ (char *)log.data, log.len, 1 << 20, 0 }, &out,
				   told, sizeof(told)) == 0);
		cr_expect(out.len == before + sizeof("\ngoroutine 1 [running]:\nmain.f()\n") &&
				  strstr((char *)out.data, "\ngoroutine 1 [running]:\nmain.f()\n"),
			  "%zu bytes before it: %s", before, (char *)out.data + before);
		buffer_release(&log);
		buffer_release(&out);
	}
}

Test(unlog, an_error_comes_behind_all_that_was_read)
{
	static const char *const logs[] = { DUMP, "1 " DUMP, "a\n1: " DUMP };

	for (size_t i = 0; i < 3; i++) {
		struct buffer out = { 0 };
		char told[256];

		cr_expect(read_out((struct drip){ logs[i], strlen(logs[i]), 7, ERR_IO }, &out, told,
				   sizeof(told)) == ERR_IO);
		cr_expect_str_eq((char *)out.data, logs[i]);
		buffer_release(&out);
	}
}
