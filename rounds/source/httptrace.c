/*
 * No request ends a trace. But the handler sleeps until its time is up or its client is gone,
 * then stops the tracing, which writes the rest, and returns. So the connection is shut down in
 * our direction only: to the server the client is gone, and we still get the rest. The shutdown
 * comes while there is still room below the limit for what the runtime holds back, by an estimate.
 * If the rest does not fit, or a proxy drops the connection, the trace is cut behind its last whole
 * generation.
 */
#include "rounds/source/httptrace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "rounds/source/httpask.h"
#include "rounds/source/source.h"
#include "rounds/source/tracecut.h"

enum { PIECE = 64 << 10, LEAST_MS = 1 };

/* How long to wait at most for another trace to end, and the pause between two requests. */
static const uint64_t BUSY_NS = 2 * NS_PER_S, BUSY_STEP_NS = 20 * NS_PER_MS;

struct httptrace_reading {
	struct tracecut cut;
	struct buffer *out;
	size_t from, limit; /* where the trace begins in `out`; its limit; bytes */
	bool asked;	    /* to end the trace, because of the limit */
	bool over;	    /* there is more than the limit */
	bool broken;	    /* the trace ended early with an error */
};

void httptrace_init(struct httptrace *t)
{
	t->socket = -1;
	t->finish = 0;
}

void httptrace_finish(struct httptrace *t)
{
	t->finish = 1;
	if (t->socket >= 0)
		shutdown(t->socket, SHUT_WR);
}

static size_t httptrace_length(const struct httptrace_reading *r)
{
	return r->out->len - r->from;
}

/* Is only as much room left as the end may need? In an unknown format a quarter of the limit. */
static bool time_to_end(const struct httptrace_reading *r)
{
	size_t tail = tracecut_tail(&r->cut), share = r->limit / (tail ? 8 : 4);

	return httptrace_length(r) + (tail > share ? tail : share) >= r->limit;
}

/* Keeps at most `limit` bytes; when they are there, r->over says whether more follow. */
static int httptrace_read_piece(struct httptrace_reading *r, struct http *h, size_t *got,
				struct error *err)
{
	size_t left = r->limit - httptrace_length(r), want = left < PIECE ? left : PIECE;
	char more;
	int rc;

	if (!left) {
		rc = http_read(h, &more, 1, got, err);
		r->over = !rc && *got;
		return rc;
	}
	if (buffer_reserve(r->out, want))
		return error_nomem(err);
	rc = http_read(h, r->out->data + r->out->len, want, got, err);
	r->out->len += rc ? 0 : *got;
	return rc;
}

static int httptrace_read_all(struct httptrace *t, struct httptrace_reading *r, struct http *h,
			      struct error *err)
{
	size_t got = 1;
	int rc = 0;

	while (!rc && got && !r->over) {
		rc = httptrace_read_piece(r, h, &got, err);
		r->broken = rc && rc != ERR_NOMEM;
		if (!rc)
			rc = tracecut_look(&r->cut, r->out->data + r->from, httptrace_length(r),
					   err);
		if (!rc && got && !r->asked && time_to_end(r)) {
			r->asked = true;
			shutdown(t->socket, SHUT_WR); /* no socket: fails, and the trace is cut */
		}
	}
	return r->broken ? 0 : rc;
}

/* `err` holds the reason if the trace is broken. Its whole generations are still a trace. */
static int httptrace_conclude(struct httptrace_reading *r, struct source_remark *remark,
			      struct error *err)
{
	bool limit = r->asked || r->over;

	remark->cut = limit || r->broken;
	if (limit)
		snprintf(remark->note, sizeof(remark->note), "ended early: the limit is %zu bytes",
			 r->limit);
	else if (r->broken)
		snprintf(remark->note, sizeof(remark->note), "broken off: %.200s", err->text);
	if (!r->over && !r->broken)
		return tracecut_complete(&r->cut, httptrace_length(r)) ?
			       0 :
			       error_set(err, ERR_FORMAT, "the trace has no end");
	if (!r->cut.whole && !limit)
		return err->code;
	if (!r->cut.whole)
		return error_set(err, ERR_LIMIT,
				 "the trace cannot be cut within the limit of %zu "
				 "bytes: %s",
				 r->limit,
				 r->cut.version < TRACECUT_FIRST ?
					 "before Go 1.22 only a whole one can be read" :
					 "its first generation is longer");
	r->out->len = r->from + r->cut.whole;
	return 0;
}

static int httptrace_receive(struct httptrace *t, struct http *h, struct httptrace_reading *r,
			     struct source_remark *remark, struct error *err)
{
	struct error own = { 0 };
	int rc;

	t->socket = http_socket(h);
	if (t->finish)
		httptrace_finish(t);
	rc = httptrace_read_all(t, r, h, &own);
	t->socket = -1;
	rc = rc ? rc : httptrace_conclude(r, remark, &own);
	return rc ? error_set(err, rc, "%s", own.text) : 0;
}

static int httptrace_ask(const struct httpask *a, const struct httptrace_what *what,
			 uint64_t left_ns, struct http **h, struct error *err)
{
	uint64_t ms = left_ns / NS_PER_MS;
	char query[64];

	ms = ms ? ms : LEAST_MS; /* 0 would mean a second */
	snprintf(query, sizeof(query), "seconds=%llu.%03llu", (unsigned long long)(ms / 1000),
		 (unsigned long long)(ms % 1000));
	return httpask_open(a,
			    &(struct httpask_what){ "trace", query, left_ns + what->timeout_ns,
						    what->limit + 1 },
			    h, err);
}

/* Is this the handler's answer while another trace is running? */
static bool is_busy(const struct error *err)
{
	return err->code == ERR_IO && strstr(err->text, "status 500") &&
	       strstr(err->text, "already enabled");
}

/* The previous round's trace may still be ending, so a busy server is asked again. This trace
 * must still end with its own round, or the next one would start too late in its turn. */
static int ask_until_free(const struct httptrace *t, const struct httpask *a,
			  const struct httptrace_what *what, struct http **h, struct error *err)
{
	uint64_t began = monotonic_ns(), passed = 0;
	uint64_t share = what->duration_ns / 4 * 3, most = share < BUSY_NS ? share : BUSY_NS;
	struct timespec pause = to_timespec(BUSY_STEP_NS);
	struct error own = { 0 };
	int rc = httptrace_ask(a, what, what->duration_ns, h, &own);

	while (rc && is_busy(&own) && passed < most && !t->finish) {
		nanosleep(&pause, NULL);
		passed = monotonic_ns() - began;
		rc = httptrace_ask(a, what,
				   passed < what->duration_ns ? what->duration_ns - passed : 0, h,
				   &own);
	}
	return rc ? error_set(err, rc, "%s", own.text) : 0;
}

int httptrace_take(struct httptrace *t, const struct httpask *a, const struct httptrace_what *what,
		   struct buffer *out, struct source_remark *remark, struct error *err)
{
	struct httptrace_reading *r = calloc(1, sizeof(*r));
	struct http *h = NULL;
	int rc;

	if (!r)
		return error_nomem(err);
	r->out = out;
	r->from = out->len;
	r->limit = what->limit;
	if (t->finish)
		rc = error_set(err, ERR_IO, "the round ended before the trace began");
	else
		rc = ask_until_free(t, a, what, &h, err);
	rc = rc ? rc : httptrace_receive(t, h, r, remark, err);
	http_close(h);
	free(r);
	return rc;
}
