/*
 * Requests to a net/http/pprof endpoint: URLs below its own, time and size bounds.
 */
#ifndef ROUNDS_SOURCE_HTTPASK_H
#define ROUNDS_SOURCE_HTTPASK_H

#include <stddef.h>
#include <stdint.h>

#include "base/net/http.h"

struct buffer;
struct error;

struct httpask {
	struct http_request request; /* its texts are borrowed */
	char *base;  /* the URL without query, fragment and trailing slashes; owned */
	char *query; /* the URL's own, "" for none; appended to that of a request; owned */
};

/* Splits the URL of `request`, whose texts must live until httpask_release; its bounds (idle and
 * total time, size) are not used. ERR_USAGE, ERR_NOMEM. The caller calls httpask_release, after an
 * error too. */
int httpask_init(struct httpask *a, const struct http_request *request, struct error *err);
void httpask_release(struct httpask *a);

/* A request: `path` below the endpoint, which is escaped here, and `query`, which is not
 * ("debug=1"; "" for none). */
struct httpask_what {
	const char *path, *query;
	uint64_t timeout_ns; /* from the connection to the last byte */
	size_t max_bytes;    /* of the content, unpacked */
};

/* As http_open; the caller closes *h with http_close. */
int httpask_open(const struct httpask *a, const struct httpask_what *what, struct http **h,
		 struct error *err);

/* Appends the whole content to `out`. Errors of http_open and http_read. */
int httpask_all(const struct httpask *a, const struct httpask_what *what, struct buffer *out,
		struct error *err);

#endif
