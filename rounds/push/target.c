/* The text before '=' names the protocol, and the URL's scheme tells HTTP, gRPC or a socket. The
 * query is split off first: it may hold a token, which no message may show. */
#include "rounds/push/target.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/net/http.h"
#include "rounds/push/protocol.h"

static const struct pushprotocol *const protocols[] = { &push_pyroscope, &push_datadog, &push_parca,
							&push_otlp, &push_otlp_grpc };

static bool is_grpc(const char *url)
{
	return !strncmp(url, "grpc://", 7) || !strncmp(url, "grpcs://", 8);
}

/* An engine without gRPC is found for a URL of gRPC, too, which is rejected by its scheme. */
static const struct pushprotocol *target_find(const char *text)
{
	const struct pushprotocol *found = NULL;

	for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++) {
		size_t len = strlen(protocols[i]->name);

		if (!strncmp(text, protocols[i]->name, len) && text[len] == '=' &&
		    (!found || is_grpc(text + len + 1)))
			found = protocols[i];
	}
	return found;
}

/* Is there an '@' in the URL's authority (RFC 3986, section 3.2)? */
static bool has_user(const char *url)
{
	const char *host = strstr(url, "://");
	const char *at = host ? strchr(host + 3, '@') : NULL;

	return at && at < host + 3 + strcspn(host + 3, "/?#\\");
}

static int parse_socket(struct pushtarget *t, const char *path, struct error *err)
{
	if (*path != '/' || strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return error_set(err, ERR_USAGE,
				 "'unix://' needs the path of a socket, of 107 bytes at "
				 "most");
	t->socket = strdup(path);
	return t->socket ? 0 : error_nomem(err);
}

/* Appends the protocol's path to the URL's, unless own_path is set and the URL has one. */
static int target_split(struct pushtarget *t, const char *url, struct error *err)
{
	size_t len = strcspn(url, "?#");
	const char *query = url[len] == '?' ? url + len + 1 : "", *host = strstr(url, "://") + 3;
	bool has_path = strcspn(host, "/") + 1 < len - (size_t)(host - url);
	const char *path = t->protocol->own_path && has_path ? "" : t->protocol->path;

	while (*path && len && url[len - 1] == '/')
		len--;
	if (asprintf(&t->base, "%.*s%s", (int)len, url, path) < 0)
		t->base = NULL;
	t->query = strndup(query, strcspn(query, "#"));
	return t->base && t->query ? 0 : error_nomem(err);
}

/* Checks the URL without its query first: a query may hold a token, which no message may show. */
static int target_check(const char *url, struct error *err)
{
	char *bare = strndup(url, strcspn(url, "?#"));
	int rc = bare ? http_check(bare, false, err) : error_nomem(err);

	if (!rc && http_check(url, false, NULL))
		rc = error_set(err, ERR_USAGE, "what follows '%s' in the URL cannot stand there",
			       bare);
	free(bare);
	return rc;
}

/* A method's name is the whole path (grpc/doc/PROTOCOL-HTTP2.md), so the URL has none of its
 * own. */
static int parse_grpc(struct pushtarget *t, const char *url, struct error *err)
{
	const char *host = strstr(url, "://") + 3;
	size_t len = strcspn(host, "/?#");
	char *http = NULL;
	int rc;

	if (host[len + (host[len] == '/')])
		return error_set(err, ERR_USAGE, "a gRPC URL ends after host and port: %s",
				 t->shown);
	if (asprintf(&http, "http%.*s", (int)(host + len - url) - 4, url + 4) < 0)
		return error_nomem(err);
	rc = http_check(http, true, err);
	if (rc == ERR_USAGE)
		error_set(err, rc, "'grpc://HOST:PORT' was expected, not %s", t->shown);
	rc = rc ? rc : target_split(t, http, err);
	free(http);
	return rc;
}

int pushtarget_parse(struct pushtarget *t, const char *text, struct error *err)
{
	const char *url = strchr(text, '=');
	int rc = 0;

	memset(t, 0, sizeof(*t));
	t->protocol = target_find(text);
	if (!t->protocol)
		return error_set(err, ERR_USAGE,
				 "where to push is 'pyroscope=URL', 'datadog=URL', "
				 "'parca=URL' or 'otlp=URL'");
	url++;
	if (has_user(url))
		return error_set(err, ERR_USAGE,
				 "user and password may not be in the URL of %s: they come "
				 "from the environment or a file",
				 t->protocol->name);
	snprintf(t->shown, sizeof(t->shown), "%s at '%.*s'", t->protocol->name,
		 (int)strcspn(url, "?#"), url);
	printable(t->shown, sizeof(t->shown));
	if (t->protocol->grpc)
		return parse_grpc(t, url, err);
	if (!strncmp(url, "unix://", 7)) {
		rc = parse_socket(t, url + 7, err);
		url = "http://localhost";
	}
	rc = rc ? rc : target_check(url, err);
	return rc ? rc : target_split(t, url, err);
}

void pushtarget_release(struct pushtarget *t)
{
	free(t->base);
	free(t->query);
	free(t->socket);
	memset(t, 0, sizeof(*t));
}

int pushtarget_url(const struct pushtarget *t, const struct buffer *query, struct buffer *url)
{
	int rc = buffer_addf(url, "%s%s", t->base, query->len || *t->query ? "?" : "");

	rc = rc ? rc : buffer_add(url, query->data, query->len);
	rc = rc ? rc : buffer_addf(url, "%s%s", query->len && *t->query ? "&" : "", t->query);
	return rc ? rc : buffer_add(url, "", 1);
}
