/*
 * Asking a net/http/pprof endpoint: URLs below its own, times and sizes.
 */
#ifndef ROUNDS_HTTPASK_H
#define ROUNDS_HTTPASK_H

#include <stddef.h>
#include <stdint.h>

#include "net/http.h"

struct buffer;
struct error;

struct httpask {
	struct http_request request; /* its texts are owned */
	char *base;  /* the URL without query, fragment and the slashes behind it */
	char *query; /* of the URL, "" for none: comes behind ours */
};

/* Copies what the request says, but its URL into base and query. ERR_USAGE, ERR_NOMEM. To be
 * released in any case. */
int httpask_init(struct httpask *a, const struct http_request *request, struct error *err);
void httpask_release(struct httpask *a);

/* What to ask for: `path` below the endpoint, which is escaped, with `query`, which is not
 * ("debug=1"; "" for none). */
struct httpask_what {
	const char *path, *query;
	uint64_t timeout_ns; /* for everything */
	size_t max_bytes;
};

/* As http_open. */
int httpask_open(const struct httpask *a, const struct httpask_what *what, struct http **h,
		 struct error *err);

/* Appends all of it. Errors as of http_open and http_read. */
int httpask_all(const struct httpask *a, const struct httpask_what *what, struct buffer *out,
		struct error *err);

#endif
