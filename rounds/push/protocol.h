/*
 * How each engine takes batches: a table of functions. Internal to rounds/.
 *
 * The functions only make bytes and judge answers; rounds/push/sender.h sends.
 */
#ifndef ROUNDS_PUSH_PROTOCOL_H
#define ROUNDS_PUSH_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "rounds/push/sender.h"

struct error;
struct http_answer;
struct pushbatch;
struct pushheaders;

/* Released by pushrequest_release. */
struct pushrequest {
	struct buffer query; /* of the URL, escaped, without '?' */
	struct buffer body;
	char type[80];	  /* Content-Type of the body */
	bool gzip;	  /* the body is packed by gzip */
	char header[160]; /* one more, "Name: value"; "" for none */
	const char *file; /* the file in it, static; NULL: the whole batch */
};

struct pushprotocol {
	const char *name; /* in "NAME=URL" */
	bool grpc;	  /* of "NAME=grpc://HOST:PORT" and grpcs:// only, by HTTP/2 */
	const char *path; /* appended to the URL */
	bool own_path;	  /* `path` is not appended to a URL with a path */
	const char *hint; /* if the answer is not even HTTP; or NULL */
	const char *keep; /* as http_body.keep */

	/* What the n-th request of the batch sends; NULL: there is no such request. If there is no
	 * first one, the batch has nothing for this engine. */
	const void *(*nth)(const struct pushbatch *b, size_t n);

	/* Makes a request of what `nth` returned; `rate` is that of samples. Errors of
	 * pushbatch_read, ERR_IO of multipart_init. */
	int (*make)(const struct pushbatch *b, const void *what, unsigned rate,
		    struct pushrequest *q, struct error *err);

	/* The result of a request with a 2xx answer; sets the error unless it is PUSHNOTE_SENT, and
	 * a->retry_after_ns if the content has such a time. NULL: every 2xx answer is
	 * PUSHNOTE_SENT. */
	enum pushnote_what (*judge)(struct http_answer *a, struct error *err);

	/* Does a refusal say that it may pass? Its status alone says that it does not. NULL: none
	 * does. */
	bool (*passes)(const struct http_answer *a);

	/* Adds headers from the environment behind those of a file, which take precedence.
	 * ERR_USAGE, ERR_LIMIT, ERR_NOMEM. */
	int (*authorize)(struct pushheaders *h, struct error *err);
};

extern const struct pushprotocol push_pyroscope, push_datadog, push_parca, push_otlp,
	push_otlp_grpc;

static inline void pushrequest_release(struct pushrequest *q)
{
	buffer_release(&q->query);
	buffer_release(&q->body);
}

#endif
