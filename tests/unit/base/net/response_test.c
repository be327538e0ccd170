/* Heads of responses, valid and invalid. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <string.h>

#include "base/net/response.h"

static struct response r;

static void head(const char *line, ...)
{
	va_list ap;

	memset(&r, 0, sizeof(r));
	va_start(ap, line);
	for (; line; line = va_arg(ap, const char *))
		cr_assert(response_line(&r, line, strlen(line)));
	va_end(ap);
}

Test(response, a_head)
{
	head("HTTP/1.1 200 OK\r\n", "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
	     "content-TYPE:text/plain; charset=utf-8 \r\n", "Content-Encoding:\tgzip\r\n", NULL);
	cr_assert_eq(r.status, 200);
	cr_assert_str_eq(r.reason, "OK");
	cr_assert_eq(r.date, 784111777);
	cr_assert_str_eq(r.type, "text/plain; charset=utf-8");
	cr_assert_eq(r.encoding, ENCODING_GZIP);
	cr_assert_not(r.complete);
	cr_assert(response_line(&r, "\r\n", 2));
	cr_assert(r.complete);
}

Test(response, retry_after)
{
	static const struct {
		const char *line;
		uint32_t in;
		int64_t at;
	} cases[] = {
		{ "Retry-After: 120\r\n", 120, 0 },
		{ "retry-after:0\r\n", 0, 0 },
		{ "Retry-After: 4294967296\r\n", UINT32_MAX, 0 },
		{ "Retry-After: 99999999999999999999999\r\n", UINT32_MAX, 0 },
		{ "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 0, 784111777 },
		{ "Retry-After: -5\r\n", 0, 0 },
		{ "Retry-After: 5 minutes\r\n", 0, 0 },
		{ "Retry-After: 5s\r\n", 0, 0 },
		{ "Retry-After: \r\n", 0, 0 },
		{ "X-Retry-After: 5\r\n", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		head("HTTP/1.1 503 X\r\n", cases[i].line, NULL);
		cr_assert_eq(r.retry_in, cases[i].in, "%s", cases[i].line);
		cr_assert_eq(r.retry_at, cases[i].at, "%s", cases[i].line);
	}
}

Test(response, lines_that_are_kept)
{
	char long_line[5000];

	memset(&r, 0, sizeof(r));
	r.keep = "x-";
	memset(long_line, 'a', sizeof(long_line));
	memcpy(long_line, "x-c:", 4);
	cr_assert(response_line(&r, "HTTP/1.1 100 Continue", 21));
	cr_assert(response_line(&r, "X-Early: 1", 10));
	cr_assert(response_line(&r, "", 0));
	cr_assert(response_line(&r, "HTTP/1.1 200 OK", 15));
	cr_assert(response_line(&r, "X-A:  b \r\n", 10));
	cr_assert(response_line(&r, long_line, sizeof(long_line)));
	cr_assert(response_line(&r, "x-nul: \0", 8));
	cr_assert(response_line(&r, "Y-x-: b\r\n", 9));
	cr_assert(response_line(&r, "x-\r\n", 4));
	cr_assert(response_line(&r, "x-b:", 4));
	cr_assert_str_eq(r.kept, "X-A:  b\nx-b:\n");
	cr_assert(response_line(&r, long_line, sizeof(r.kept) - strlen(r.kept) - 2));
	cr_assert_eq(strlen(r.kept), sizeof(r.kept) - 1);
	cr_assert(response_line(&r, "x-d:", 4));
	cr_assert_eq(strlen(r.kept), sizeof(r.kept) - 1);
}

Test(response, trailers_change_nothing)
{
	head("HTTP/1.1 200\r\n", "\r\n", "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
	     "HTTP/1.1 404 X\r\n", NULL);
	cr_assert_eq(r.status, 200);
	cr_assert_eq(r.date, 0);
	cr_assert_str_empty(r.reason);
}

/* gRPC has its status there. */
Test(response, trailers_are_kept)
{
	memset(&r, 0, sizeof(r));
	r.keep = "grpc-";
	cr_assert(response_line(&r, "HTTP/2 200", 10));
	cr_assert(response_line(&r, "grpc-a: 1", 9));
	cr_assert(response_line(&r, "", 0));
	cr_assert(response_line(&r, "grpc-status: 0\r\n", 16));
	cr_assert(response_line(&r, "other: 0", 8));
	cr_assert(response_line(&r, "", 0));
	cr_assert_str_eq(r.kept, "grpc-a: 1\ngrpc-status: 0\n");
}

Test(response, interim_ones)
{
	head("HTTP/1.1 103 Early Hints\r\n", "Content-Type: a\r\n", "Location: /x\r\n", "\r\n",
	     "HTTP/2 302\n", "\n", NULL);
	cr_assert_eq(r.status, 302);
	cr_assert(r.complete);
	cr_assert_str_empty(r.type);
	cr_assert_str_empty(r.location);
}

Test(response, no_status_line)
{
	static const char *const lines[] = { "",
					     "HTTP/1.1",
					     "HTTP/1.1 ",
					     "HTTP/1.1 x",
					     "HTTP/1.1 99",
					     "HTTP/1.1 1000",
					     "http/1.1 200 OK",
					     "ICY 200 OK",
					     "HTTP/1.1 99999999999999999999" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		head(lines[i], "\r\n", NULL);
		cr_assert_eq(r.status, 0, "%s", lines[i]);
		cr_assert_not(r.complete);
	}
}

Test(response, dates)
{
	static const struct {
		const char *line;
		int64_t date;
	} cases[] = {
		{ "Date: Thu, 01 Jan 1970 00:00:01 GMT", 1 },
		{ "Date: Sat, 29 Feb 2020 23:59:59 GMT", 1583020799 },
		{ "Date: Fri, 31 Dec 9999 23:59:60 GMT", 253402300800 },
		{ "Date: Sunday, 06-Nov-94 08:49:37 GMT", 0 },
		{ "Date: Sun Nov  6 08:49:37 1994", 0 },
		{ "Date: Sun, 06 Nov 1994 08:49:37", 0 },
		{ "Date: Sun, 06 Nov 1994 24:49:37 GMT", 0 },
		{ "Date: Sun, 00 Nov 1994 08:49:37 GMT", 0 },
		{ "Date: Sun, 32 Nov 1994 08:49:37 GMT", 0 },
		{ "Date: Sun, 06 nov 1994 08:49:37 GMT", 0 },
		{ "Date: Sun, 06 Nov 1969 08:49:37 GMT", 0 },
		{ "Date: Sun, 06 Nov 99999999999 08:49:37 GMT", 0 },
		{ "Date: Su", 0 },
		{ "Date:", 0 },
		{ "Date", 0 },
		{ "Dates: Sun", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		head("HTTP/1.1 200 OK", cases[i].line, NULL);
		cr_assert_eq(r.date, cases[i].date, "%s: %ld", cases[i].line, (long)r.date);
	}
}

Test(response, encodings)
{
	static const struct {
		const char *one, *two;
		enum response_encoding is;
	} cases[] = {
		{ "Content-Encoding: gzip", "X: y", ENCODING_GZIP },
		{ "Content-Encoding: X-GZip", "Content-Encoding:", ENCODING_GZIP },
		{ "Content-Encoding: identity", "Content-Encoding: gzip", ENCODING_GZIP },
		{ "Content-Encoding: identity", "Content-Encoding: ", ENCODING_NONE },
		{ "Content-Encoding: gzip", "Content-Encoding: gzip", ENCODING_OTHER },
		{ "Content-Encoding: gzip, br", "X: y", ENCODING_OTHER },
		{ "Content-Encoding: br", "Content-Encoding: gzip", ENCODING_OTHER },
		{ "Content-Encoding: gzipp", "X: y", ENCODING_OTHER },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		head("HTTP/1.1 200 OK", cases[i].one, cases[i].two, NULL);
		cr_assert_eq(r.encoding, cases[i].is, "%s", cases[i].one);
	}
}

Test(response, places_to_go)
{
	static char longest[9000] = "Location: ";

	head("HTTP/1.1 307 Elsewhere", "Location: \t http://x/y?z ", NULL);
	cr_assert(response_redirects(&r));
	cr_assert_str_eq(r.location, "http://x/y?z");
	memset(longest + 10, 'x', sizeof(r.location));
	head("HTTP/1.1 304 Not Modified", "Location: /before", longest, NULL);
	cr_assert_not(response_redirects(&r));
	cr_assert_str_empty(r.location);
	longest[10 + sizeof(r.location) - 1] = '\0';
	head("HTTP/1.1 301 Elsewhere", longest, NULL);
	cr_assert_eq(strlen(r.location), sizeof(r.location) - 1);
	cr_assert(response_line(&r, "Location: a\0b", 13));
	cr_assert_str_empty(r.location);
}

Test(response, bytes_are_bounded)
{
	static const char line[1024] = "X: y";
	size_t lines = 0;

	memset(&r, 0, sizeof(r));
	while (response_line(&r, line, sizeof(line)))
		lines++;
	cr_assert_eq(lines, RESPONSE_HEAD_BYTES / sizeof(line));
	cr_assert(!response_line(&r, "HTTP/1.1 200 OK", 15));
}

Test(response, text_for_a_terminal)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "\x1b[1m\t\r\n\x7f", "?[1m????" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "\xff\xc3", "??" },
		{ "\xc2\x9b", "?" },
		{ "\xef\xbf\xbd", "\xef\xbf\xbd" },
		{ "fifteen bytes..", "fifteen bytes.." },
		{ "sixteen bytes...", "sixteen byte…" },
		{ "elf bytes..\xc3\xa9\xc3\xa9\xc3\xa9", "elf bytes..…" },
	};
	char to[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		response_text(to, sizeof(to), cases[i].from, strlen(cases[i].from));
		cr_assert_str_eq(to, cases[i].to, "%s: %s", cases[i].from, to);
	}
	response_text(to, sizeof(to), "a\0b", 3);
	cr_assert_str_eq(to, "a?b");
}
