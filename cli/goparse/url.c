/* A host alone, or the index of net/http/pprof, is extended to its goroutine profile with debug=2.
 * Any other path is kept as it is. */
#include "cli/goparse/url.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A URL's parts (RFC 3986, section 3). */
struct url_parts {
	int head; /* "http://user@host:6060" */
	const char *path;
	int path_len;
	const char *query; /* after its '?' */
	int query_len;
};

static size_t authority_at(const char *url)
{
	const char *slashes = strstr(url, "//");

	return slashes ? (size_t)(slashes - url) + 2 : 0;
}

static struct url_parts take_apart(const char *url)
{
	size_t at = authority_at(url), head = at + strcspn(url + at, "/?#");
	size_t path = strcspn(url + head, "?#"), query = head + path;
	struct url_parts p = { .head = (int)head, .path = url + head, .path_len = (int)path };

	query += url[query] == '?';
	p.query = url + query;
	p.query_len = (int)strcspn(p.query, "#");
	return p;
}

static bool url_ends(const struct url_parts *p, const char *with)
{
	int len = (int)strlen(with);

	return p->path_len >= len && !memcmp(p->path + p->path_len - len, with, (size_t)len);
}

/* What must be appended to the path; NULL: it is not a path of net/http/pprof. */
static const char *missing(const struct url_parts *p)
{
	if (p->path_len <= 1)
		return p->path_len ? "debug/pprof/goroutine" : "/debug/pprof/goroutine";
	if (url_ends(p, "/debug/pprof/"))
		return "goroutine";
	if (url_ends(p, "/debug/pprof"))
		return "/goroutine";
	return url_ends(p, "/debug/pprof/goroutine") ? "" : NULL;
}

/* Is there a "debug=" among the query's parameters? */
static bool has_debug(const struct url_parts *p)
{
	static const char debug[] = "debug=";
	int len = (int)sizeof(debug) - 1;

	for (int i = 0; i + len <= p->query_len; i++)
		if ((!i || p->query[i - 1] == '&') && !memcmp(p->query + i, debug, (size_t)len))
			return true;
	return false;
}

char *goparse_url(const char *url)
{
	struct url_parts p = take_apart(url);
	const char *more = missing(&p);
	char *whole;

	if (!more)
		return strdup(url);
	if (asprintf(&whole, "%.*s%.*s%s?%.*s%s%s", p.head, url, p.path_len, p.path, more,
		     p.query_len, p.query, p.query_len && !has_debug(&p) ? "&" : "",
		     has_debug(&p) ? "" : "debug=2") < 0)
		return NULL;
	return whole;
}
