/*
 * How an engine takes batches: a table of functions for each. Internal to rounds/.
 *
 * They make bytes and do no more; who sends them is rounds/pushsender.h.
 */
#ifndef ROUNDS_PUSHPROTOCOL_H
#define ROUNDS_PUSHPROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "rounds/pushsender.h"

struct error;
struct http_answer;
struct pushbatch;
struct pushheaders;

/* To be released by pushrequest_release. */
struct pushrequest {
	struct buffer query; /* of the URL, escaped, without '?' */
	struct buffer body;
	char type[80]; /* of the body */
	const char *file; /* what it is about, static; NULL: all */
};

struct pushprotocol {
	const char *name; /* in "NAME=URL" */
	const char *path; /* behind the URL */
	bool own_path;	  /* a URL that has a path is left as it is */
	const char *keep; /* as http_body.keep */

	/* How many requests a batch takes; 0: nothing in it is for this engine. */
	size_t (*requests)(const struct pushbatch *b);

	/* Makes the n-th of them. Errors as pushbatch_read's, ERR_IO of multipart_init. */
	int (*make)(const struct pushbatch *b, size_t n, unsigned rate, struct pushrequest *q,
		    struct error *err);

	/* What came of it, where a status of 2xx does not say so; or NULL. Sets the error when
	 * that is not PUSHNOTE_SENT. */
	enum pushnote_what (*judge)(const struct http_answer *a, struct error *err);

	/* Adds headers out of the environment to those of a file, which come first. ERR_USAGE,
	 * ERR_NOMEM. */
	int (*authorize)(struct pushheaders *h, struct error *err);
};

extern const struct pushprotocol push_pyroscope, push_datadog, push_parca;

static inline void pushrequest_release(struct pushrequest *q)
{
	buffer_release(&q->query);
	buffer_release(&q->body);
}

#endif
