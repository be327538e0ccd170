/* The URL is split at its query once; each request appends its own path and puts its parameters in
 * front of the user's. */
#include "rounds/source/httpask.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

enum { PIECE = 64 << 10 };

int httpask_init(struct httpask *a, const struct http_request *request, struct error *err)
{
	const char *url = request->url;
	size_t len, end;

	*a = (struct httpask){ .request = *request };
	if (!url || !http_is_url(url))
		return error_set(err, ERR_USAGE,
				 "not a URL of http or https: "
				 "http://HOST:PORT/debug/pprof was expected");
	len = end = strcspn(url, "?#");
	while (len && url[len - 1] == '/')
		len--;
	a->base = strndup(url, len);
	a->query = url[end] == '?' ? strndup(url + end + 1, strcspn(url + end + 1, "#")) :
				     strdup("");
	return a->base && a->query ? 0 : error_nomem(err);
}

void httpask_release(struct httpask *a)
{
	free(a->base);
	free(a->query);
	*a = (struct httpask){ 0 };
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
