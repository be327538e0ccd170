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
#include "rounds/multipart.h"

struct error;
struct pushbatch;
struct pushheaders;

/* To be released by pushrequest_release. */
struct pushrequest {
	struct buffer query; /* of the URL, escaped, without '?' */
	struct multipart form; /* ended */
	const char *file; /* what it is about, static; NULL: all */
};

struct pushprotocol {
	const char *name; /* in "NAME=URL" */
	const char *path; /* behind the URL */
	bool own_path;	  /* a URL that has a path is left as it is */

	/* How many requests a batch takes; 0: nothing in it is for this engine. */
	size_t (*requests)(const struct pushbatch *b);

	/* Makes the n-th of them. Errors as pushbatch_read's, ERR_IO of multipart_init. */
	int (*make)(const struct pushbatch *b, size_t n, unsigned rate, struct pushrequest *q,
		    struct error *err);

	/* Adds headers out of the environment to those of a file, which come first. ERR_USAGE,
	 * ERR_NOMEM. */
	int (*authorize)(struct pushheaders *h, struct error *err);
};

extern const struct pushprotocol push_pyroscope, push_datadog;

static inline void pushrequest_release(struct pushrequest *q)
{
	buffer_release(&q->query);
	multipart_release(&q->form);
}

#endif
