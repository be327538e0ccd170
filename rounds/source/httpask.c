/* The URL is split at its query once; each request appends its own path and puts its parameters in
 * front of the user's. */
#include "rounds/source/httpask.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

enum { PIECE = 64 << 10 };

static char *httpask_copy(const char *text, int *rc)
{
	char *c = text ? strdup(text) : NULL;

	if (text && !c)
		*rc = ERR_NOMEM;
	return c;
}

static int copy_headers(struct httpask *a, const struct http_request *request)
{
	const char **headers = calloc(request->header_count + 1, sizeof(*headers));
	int rc = headers ? 0 : ERR_NOMEM;

	a->request.headers = headers;
	a->request.header_count = 0;
	for (size_t i = 0; !rc && i < request->header_count; i++) {
		headers[i] = httpask_copy(request->headers[i], &rc);
		a->request.header_count += !rc;
	}
	return rc;
}

/* Splits "http://host/debug/pprof/?token=x#y" into base and query. */
static int httpask_split(struct httpask *a, const char *url)
{
	int rc = 0;
	char *query;
	size_t len;

	a->base = httpask_copy(url, &rc);
	if (rc)
		return rc;
	a->base[strcspn(a->base, "#")] = '\0';
	len = strcspn(a->base, "?");
	query = a->base + len + (a->base[len] == '?');
	a->query = httpask_copy(query, &rc);
	while (len && a->base[len - 1] == '/')
		len--;
	a->base[len] = '\0';
	return rc;
}

int httpask_init(struct httpask *a, const struct http_request *request, struct error *err)
{
	int rc = 0;

	memset(a, 0, sizeof(*a));
	if (!request->url || !http_is_url(request->url))
		return error_set(err, ERR_USAGE,
				 "not a URL of http or https: "
				 "http://HOST:PORT/debug/pprof was expected");
	a->request.connect_timeout_ns = request->connect_timeout_ns;
	a->request.unix_socket = httpask_copy(request->unix_socket, &rc);
	a->request.ca_file = httpask_copy(request->ca_file, &rc);
	rc = rc ? rc : copy_headers(a, request);
	rc = rc ? rc : httpask_split(a, request->url);
	return rc ? error_nomem(err) : 0;
}

void httpask_release(struct httpask *a)
{
	for (size_t i = 0; i < a->request.header_count; i++)
		free((char *)a->request.headers[i]);
	free((void *)a->request.headers);
	free((char *)a->request.unix_socket);
	free((char *)a->request.ca_file);
	free(a->base);
	free(a->query);
	memset(a, 0, sizeof(*a));
}

static int make_url(const struct httpask *a, const struct httpask_what *what, struct buffer *url)
{
	bool both = *what->query && *a->query;
	int rc = buffer_addf(url, "%s/", a->base);

	rc = rc ? rc : http_escape(url, what->path, "-._~/");
	rc = rc ? rc :
		  buffer_addf(url, "%s%s%s%s", *what->query || *a->query ? "?" : "", what->query,
			      both ? "&" : "", a->query);
	return rc ? rc : buffer_add(url, "", 1);
}

int httpask_open(const struct httpask *a, const struct httpask_what *what, struct http **h,
		 struct error *err)
{
	struct http_request q = a->request;
	struct buffer url = { 0 };
	int rc = make_url(a, what, &url);

	*h = NULL;
	q.url = (const char *)url.data;
	q.total_timeout_ns = q.idle_timeout_ns = what->timeout_ns;
	q.max_bytes = what->max_bytes;
	rc = rc ? error_nomem(err) : http_open(h, &q, err);
	buffer_release(&url);
	return rc;
}

int httpask_all(const struct httpask *a, const struct httpask_what *what, struct buffer *out,
		struct error *err)
{
	struct http *h;
	size_t got;
	int rc = httpask_open(a, what, &h, err);

	while (!rc) {
		if (buffer_reserve(out, PIECE)) {
			rc = error_nomem(err);
			break;
		}
		rc = http_read(h, out->data + out->len, PIECE, &got, err);
		if (rc || !got)
			break;
		out->len += got;
	}
	http_close(h);
	return rc;
}
