/* Secrets are overwritten in place with '*' or zeros: in argv, which `ps` shows, and in a message
 * that quotes a server, where also a cut-off copy of a secret is found by its beginning. */
#include "base/net/secret.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { HIDDEN_MIN = 4 }; /* bytes; a shorter word is no secret, and occurs in any text */

/* A URL's authority begins behind "://" and ends before the path (RFC 3986, section 3.2). */
static char *authority_of(const char *url, size_t *len)
{
	const char *scheme = strstr(url, "://"), *host = scheme ? scheme + 3 : url;

	*len = strcspn(host, "/?#");
	return (char *)host;
}

/* Can the `len` bytes be a host, with a port or without? */
static bool is_host(const char *text, size_t len)
{
	const char *bracket = memrchr(text, ']', len), *end = text + len;
	const char *port = bracket ? bracket + 1 : memchr(text, ':', len);

	port += port && port < end && *port == ':';
	while (port && port < end && isdigit((unsigned char)*port))
		port++;
	return !port || port == end;
}

/* Overwrites the end of a text from `at` on, since it may be an argument that `ps` shows. */
static void secret_cut(char *at)
{
	explicit_bzero(at, strlen(at));
}

void secret_bare_url(char *url)
{
	size_t len;
	char *host = authority_of(url, &len), *at = memrchr(host, '@', len);

	if (!at && !is_host(host, len) && strchr(host, '@')) {
		secret_cut(host);
		return;
	}
	secret_cut(host + strcspn(host, "?#"));
	if (!at)
		return;
	len = strlen(at + 1);
	memmove(host, at + 1, len);
	secret_cut(host + len);
}

void secret_bare_header(char *line)
{
	char *value = line + strcspn(line, ":");

	value += *value == ':';
	value += strspn(value, " \t");
	if (!*value)
		return;
	*value++ = '*';
	secret_cut(value);
}

static void secret_hide(char *text, const char *secret, size_t len)
{
	for (char *at = text; *at; at++) {
		size_t same = 0;

		while (same < len && at[same] && at[same] == secret[same])
			same++;
		if (same >= HIDDEN_MIN &&
		    (same == len || !at[same] || !strncmp(at + same, "…", strlen("…"))))
			memset(at, '*', same);
	}
}

static bool is_scheme(const char *word, size_t len)
{
	return (len == 6 && !strncasecmp(word, "Bearer", len)) ||
	       (len == 5 && !strncasecmp(word, "Basic", len));
}

/* Word by word, since a server may quote any word of a value. */
void secret_hide_header(char *text, const char *line)
{
	const char *at = line + strcspn(line, ":");

	at += *at == ':';
	while (*at) {
		size_t len;

		at += strspn(at, " \t");
		len = strcspn(at, " \t");
		if (!is_scheme(at, len))
			secret_hide(text, at, len);
		at += len;
	}
}

void secret_hide_query(char *text, const char *query)
{
	while (*query && *query != '#') {
		size_t len = strcspn(query, "&;#"), name = strcspn(query, "=&;#");

		if (name < len)
			secret_hide(text, query + name + 1, len - name - 1);
		else
			secret_hide(text, query, len);
		query += len + (query[len] == '&' || query[len] == ';');
	}
}

void secret_hide_url(char *text, const char *url)
{
	size_t len;
	const char *host = authority_of(url, &len), *at = memrchr(host, '@', len);
	const char *query = host + strcspn(host, "?#");

	if (at) {
		size_t all = (size_t)(at - host);
		const char *colon = memchr(host, ':', all);
		size_t user = colon ? (size_t)(colon - host) : all;

		secret_hide(text, host, user);
		secret_hide(text, host + user + (colon != NULL), all - user - (colon != NULL));
	}
	if (*query == '?')
		secret_hide_query(text, query + 1);
}
