/* gRPC's frames and statuses, and what a push by OTLP makes of them. */
#include "rounds/push/grpc.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/net/http.h"
#include "rounds/push/protocol.h"

static struct http_answer a;
static struct error err;

/* An answer with these headers and trailers, and this content. */
static struct http_answer *answer(const char *headers, const char *content, size_t len)
{
	memset(&a, 0, sizeof(a));
	memset(&err, 0, sizeof(err));
	a.status = 200;
	strcpy(a.headers, headers);
	memcpy(a.content, content, len);
	a.content_len = len;
	return &a;
}

static enum pushnote_what judged(const char *headers, const char *content, size_t len)
{
	return push_otlp_grpc.judge(answer(headers, content, len), &err);
}

Test(grpc, a_frame_has_its_length)
{
	struct buffer b = { 0 };

	cr_assert_eq(pushgrpc_begin(&b, true), 0);
	cr_assert_eq(buffer_addf(&b, "%0300d", 1), 0);
	pushgrpc_end(&b);
	cr_assert_eq(b.len, 305);
	cr_assert_arr_eq(b.data, "\1\0\0\1\54", 5);
	buffer_release(&b);
}

/* opentelemetry-proto, specification.md: the table of retryable statuses. */
Test(grpc, statuses_as_otlp_lists_them)
{
	static const char what[] = "SFRRFDRDRRFFDRFFD";
	const enum pushnote_what kinds['S' + 1] = { ['S'] = PUSHNOTE_SENT,
						    ['F'] = PUSHNOTE_FAILED,
						    ['R'] = PUSHNOTE_REFUSED,
						    ['D'] = PUSHNOTE_DROPPED };
	char line[40], said[40];

	/* FAILED: CANCELLED, DEADLINE_EXCEEDED, ABORTED, OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS. */
	for (int i = 0; what[i]; i++) {
		snprintf(line, sizeof(line), "grpc-status: %d\n", i);
		snprintf(said, sizeof(said), "gRPC status %d", i);
		cr_assert_eq(judged(line, "", 0), kinds[(int)what[i]], "%d", i);
		cr_assert_str_eq(err.text, i ? said : "");
	}
	cr_assert_eq(judged("grpc-status: 99999\n", "", 0), PUSHNOTE_REFUSED);
}

Test(grpc, no_status_is_no_answer)
{
	static const char *const cases[] = { "",
					     "grpc-status:\n",
					     "grpc-status: x\n",
					     "grpc-status: -1\n",
					     "grpc-status: 2147483648\n",
					     "grpc-status: 99999999999999999999999\n",
					     "grpc-statuses: 0\n",
					     "grpc-message: 0\n" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_assert_eq(judged(cases[i], "\0\0\0\0\0", 5), PUSHNOTE_FAILED, "%s", cases[i]);
		cr_assert_str_eq(err.text, "the answer is not one of gRPC");
	}
}

Test(grpc, a_message_is_printable)
{
	judged("grpc-message: no\t\x9b way%0a\nGrpc-Status:3\n", "", 0);
	cr_assert_str_eq(err.text, "gRPC status 3: no?? way%0a");
}

Test(grpc, the_first_message_is_the_response)
{
	cr_assert_eq(judged("grpc-status: 0\n", "\0\0\0\0\4\x0a\2\x08\2\0\0\0\0\0", 14),
		     PUSHNOTE_REFUSED);
	cr_assert_str_eq(err.text, "2 of its sample types rejected: ");
	cr_assert_eq(judged("grpc-status: 0\n", "\0\0\0\xff\xff\x0a\2\x08\1", 9), PUSHNOTE_REFUSED,
		     "cut off");
	cr_assert_eq(judged("grpc-status: 0\n", "\0\0", 2), PUSHNOTE_SENT);
	cr_assert_eq(judged("grpc-status: 0\n", "\0\0\0\0\3\xff\xff\xff", 8), PUSHNOTE_SENT);
	cr_assert_eq(judged("grpc-status: 0\n", "\1\0\0\0\1\x1f", 6), PUSHNOTE_FAILED);
	cr_assert(strlen(err.text));
}

/* A google.rpc.Status with one detail, in base64. */
static bool retry(const char *details, uint64_t *ns)
{
	char headers[400];
	struct pushgrpc g;

	snprintf(headers, sizeof(headers), "grpc-status-details-bin: %s\n", details);
	pushgrpc_read(&g, answer(headers, "", 0));
	return pushgrpc_retry(&g, ns);
}

/* code: 8, message: "busy", and a RetryInfo with seconds: 5, nanos: 250000000. */
#define RETRY_5_25 \
	"CAgSBGJ1c3kaNQoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIJCgcIBRCA5Zp3"

Test(grpc, when_to_try_again)
{
	uint64_t ns = 1;

	cr_assert(retry(RETRY_5_25, &ns));
	cr_assert_eq(ns, 5250000000);
	cr_assert(retry(RETRY_5_25 "==", &ns), "with padding");
	cr_assert_eq(judged("grpc-status: 8\ngrpc-status-details-bin: " RETRY_5_25, "", 0),
		     PUSHNOTE_FAILED);
	cr_assert_eq(a.retry_after_ns, 5250000000);
	cr_assert_not(retry("", &ns));
	cr_assert_not(retry("*" RETRY_5_25, &ns));
	cr_assert_not(retry("CAgSBGJ1c3k", &ns), "no details");
	cr_assert_eq(judged("grpc-status: 8\n", "", 0), PUSHNOTE_REFUSED);
}

Test(grpc, a_delay_is_bounded)
{
	uint64_t ns = 1;

	/* seconds: -1 */
	cr_assert(retry(
		"GjkKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5SZXRyeUluZm8SDQoLCP///////////"
		"wE=",
		&ns));
	cr_assert_eq(ns, 2147483647000000000);
}
