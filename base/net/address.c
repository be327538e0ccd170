/* libcurl's parser of URLs takes the address apart, so that what is shown and what is requested are
 * parsed by the same code. Freed secrets are overwritten first. */
#if __has_include(<curl/curl.h>)
#include "base/net/address.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/net/http.h"
#include "base/net/response.h"
#include "base/net/secret.h"

/* A part of the URL, to be freed by libcurl's curl_free(); NULL if the URL has no such part. */
static char *address_part(const struct address *a, CURLUPart which, unsigned flags)
{
	char *text = NULL;

	return a->curl->url_get(a->url, which, &text, flags) == CURLUE_OK ? text : NULL;
}

static void address_forget(const struct address *a, char **text)
{
	if (*text) {
		explicit_bzero(*text, strlen(*text));
		a->curl->release(*text);
	}
	*text = NULL;
}

/* Text that is no URL cannot be parsed. If it has a password, that stands before the last '@', so
 * only the text after it is shown, without a query. */
static int address_refuse(const char *url, struct error *err)
{
	const char *at = strrchr(url, '@'), *rest = at ? at + 1 : url;
	char shown[200];

	response_text(shown, sizeof(shown), rest, strcspn(rest, "?#"));
	return error_set(err, ERR_USAGE, "'%s%s' is not a URL of http or https", at ? "…" : "",
			 shown);
}

/* Sets the text, for libcurl and for people, without user and password; for people without a query,
 * too. */
static int render(struct address *a, struct error *err)
{
	address_forget(a, &a->text);
	a->curl->url_set(a->url, CURLUPART_USER, NULL, 0);
	a->curl->url_set(a->url, CURLUPART_PASSWORD, NULL, 0);
	a->curl->url_set(a->url, CURLUPART_FRAGMENT, NULL, 0);
	a->text = address_part(a, CURLUPART_URL, 0);
	if (!a->text)
		return error_nomem(err);
	response_text(a->shown, sizeof(a->shown), a->text, strcspn(a->text, "?"));
	return 0;
}

int address_parse(struct address *a, const struct libcurl *curl, const char *url, struct error *err)
{
	*a = (struct address){ .curl = curl, .url = curl->url_new() };
	if (!a->url)
		return error_nomem(err);
	if (!http_is_url(url) || curl->url_set(a->url, CURLUPART_URL, url, 0) != CURLUE_OK)
		return address_refuse(url, err);
	a->user = address_part(a, CURLUPART_USER, CURLU_URLDECODE);
	a->password = address_part(a, CURLUPART_PASSWORD, CURLU_URLDECODE);
	return render(a, err);
}

void address_release(struct address *a)
{
	if (!a->curl)
		return;
	address_forget(a, &a->text);
	address_forget(a, &a->user);
	address_forget(a, &a->password);
	a->curl->url_free(a->url);
	a->curl = NULL;
}

/* Frees both. */
static bool equal(const struct address *a, char *one, char *other)
{
	bool same = one && other && !strcasecmp(one, other);

	a->curl->release(one);
	a->curl->release(other);
	return same;
}

int address_follow(struct address *a, const char *location, bool *same, struct error *err)
{
	char *scheme = address_part(a, CURLUPART_SCHEME, 0),
	     *host = address_part(a, CURLUPART_HOST, 0);
	char *port = address_part(a, CURLUPART_PORT, CURLU_DEFAULT_PORT), *text;
	CURLUcode set = a->curl->url_set(a->url, CURLUPART_URL, location,
					 CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE);
	bool http;

	*same = equal(a, scheme, address_part(a, CURLUPART_SCHEME, 0));
	*same &= equal(a, host, address_part(a, CURLUPART_HOST, 0));
	*same &= equal(a, port, address_part(a, CURLUPART_PORT, CURLU_DEFAULT_PORT));
	text = address_part(a, CURLUPART_URL, 0);
	http = text && http_is_url(text);
	a->curl->release(text);
	if (set != CURLUE_OK || !http) {
		char shown[200];

		response_text(shown, sizeof(shown), location, strlen(location));
		secret_bare_url(shown);
		return error_set(err, ERR_IO,
				 "redirected to '%s': only http and https are followed", shown);
	}
	if (!*same) {
		address_forget(a, &a->user);
		address_forget(a, &a->password);
	}
	return render(a, err);
}
#endif
