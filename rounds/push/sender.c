/* Each note is one write(2) below PIPE_BUF, so the parent reads whole notes or none, even if the
 * child is killed. */
#include "rounds/push/sender.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/printable.h"
#include "sampler/child/errand.h"
#include "base/net/http.h"
#include "base/net/secret.h"
#include "rounds/push/batch.h"
#include "rounds/push/headers.h"
#include "rounds/push/protocol.h"
#include "rounds/push/target.h"

enum { CPU_S = 300 };

static const uint64_t TOTAL_NS = 120000000000; /* for one request */

/* In the child. */

static void sender_tell(const struct pushjob *job, int out, struct pushnote *n, const char *why)
{
	snprintf(n->text, sizeof(n->text), "%.*s", (int)sizeof(n->text) - 1, why);
	printable(n->text, sizeof(n->text));
	pushheaders_hide(job->headers, n->text);
	secret_hide_query(n->text, job->target->query);
	if (write(out, n, sizeof(*n)) != sizeof(*n)) /* atomic: less than PIPE_BUF (pipe(7)) */
		_exit(1);
}

static int post(const struct pushjob *job, struct pushrequest *r, struct http_answer *answer,
		struct error *err)
{
	struct buffer url = { 0 };
	const char *headers[PUSHHEADERS_MAX + 1];
	struct http_body body = { r->body.data,
				  r->body.len,
				  r->type,
				  r->gzip,
				  job->target->protocol->keep,
				  job->target->protocol->grpc };
	struct http_request q = { .unix_socket = job->target->socket,
				  .ca_file = job->ca_file,
				  .headers = headers,
				  .header_count = job->headers->count,
				  .total_timeout_ns = TOTAL_NS };
	int rc = pushtarget_url(job->target, &r->query, &url);

	for (size_t i = 0; i < job->headers->count; i++)
		headers[i] = job->headers->lines[i];
	if (*r->header)
		headers[q.header_count++] = r->header;
	q.url = (const char *)url.data;
	rc = rc ? error_nomem(err) : http_post(&q, &body, answer, err);
	buffer_release(&url);
	return rc;
}

/* The result of a failed request. It is retried if no answer came, or the server has trouble that
 * may pass. If the engine cannot read a profile or finds it too large, that profile alone is
 * refused, unless the engine says that it may pass. All else, such as missing authorization,
 * concerns the whole batch. */
static enum pushnote_what sender_judge(int rc, const struct pushprotocol *p,
				       const struct http_answer *a)
{
	if (p->passes && p->passes(a))
		return PUSHNOTE_FAILED;
	switch (a->status) {
	case 0:
		return rc == ERR_USAGE || rc == ERR_NOTFOUND ? PUSHNOTE_DROPPED : PUSHNOTE_FAILED;
	case 408:
	case 429:
		return PUSHNOTE_FAILED;
	case 400:
	case 413:
	case 415:
	case 422:
		return PUSHNOTE_REFUSED;
	default:
		return a->status >= 500 ? PUSHNOTE_FAILED : PUSHNOTE_DROPPED;
	}
}

static void add_hint(const struct pushprotocol *p, struct error *err)
{
	const struct error why = *err;

	if (p->hint)
		error_set(err, why.code, "%s (%s)", why.text, p->hint);
}

static enum pushnote_what send_request(const struct pushjob *job, const struct pushbatch *b,
				       size_t n, struct pushnote *note, struct error *err)
{
	const struct pushprotocol *p = job->target->protocol;
	struct pushrequest r = { 0 };
	struct http_answer answer = { 0 };
	enum pushnote_what what = PUSHNOTE_SENT;
	int rc = p->make(b, p->nth(b, n), job->rate, &r, err);

	if (rc) {
		what = rc == ERR_GONE  ? PUSHNOTE_GONE :
		       rc == ERR_NOMEM ? PUSHNOTE_FAILED :
					 PUSHNOTE_REFUSED;
	} else {
		rc = post(job, &r, &answer, err);
		if (rc == ERR_FORMAT && !answer.status)
			add_hint(p, err);
		if (rc)
			what = sender_judge(rc, p, &answer);
		else if (p->judge)
			what = p->judge(&answer, err);
		if (what == PUSHNOTE_REFUSED && r.file)
			error_prefix(err, "%s", r.file);
	}
	note->retry_after_ns = answer.retry_after_ns;
	pushrequest_release(&r);
	return what;
}

static void send_all(void *ctx, int out)
{
	const struct pushjob *job = ctx;
	struct pushnote done = { .what = PUSHNOTE_DONE };

	for (size_t i = 0; i < job->count; i++) {
		const struct pushbatch *b = job->batches[i];

		for (size_t n = b->done; n < b->requests; n++) {
			struct pushnote note = { .batch = b->id };
			struct error err = { 0 };

			note.what = send_request(job, b, n, &note, &err);
			sender_tell(job, out, &note, err.text);
			if (note.what == PUSHNOTE_FAILED)
				return;
			if (note.what == PUSHNOTE_GONE || note.what == PUSHNOTE_DROPPED)
				break;
		}
	}
	sender_tell(job, out, &done, "");
}

/* In the parent. */

int pushsender_start(struct errand *e, const struct pushjob *job, struct error *err)
{
	return errand_start(e, send_all, (void *)job, CPU_S, err);
}

bool pushsender_note(struct errand *e, struct pushnote *n, bool *end)
{
	ssize_t got;

	do
		got = read(e->pipe, n, sizeof(*n));
	while (got < 0 && errno == EINTR);
	*end = got >= 0 || errno != EAGAIN;
	if (got != sizeof(*n) || n->what > PUSHNOTE_DONE)
		return false;
	*end = false;
	printable(n->text, sizeof(n->text));
	return true;
}
