/*
 * A URL's content, pulled as a stream; and the other way, a body given to a URL.
 *
 * libcurl does the work. It is loaded when a URL is opened, so that who opens none neither
 * needs nor pays for it; built without its header, or without the library, opening fails and
 * says so. Nothing is sent but the request: no cookies, no .netrc. A proxy is taken from the
 * environment as curl takes it (http_proxy, https_proxy, all_proxy, no_proxy; libcurl-env(3)).
 *
 * What a server sends is not trusted: only a 200 is content, redirects are followed 3 times
 * and to http and https only, and the size, unpacked, has a bound. Messages quote the URL
 * without user and password, and of the response what a terminal may see.
 *
 * Not for several threads at once: libcurl's start is not.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct http;

enum {
	HTTP_CONNECT_SECONDS = 10,
	HTTP_IDLE_SECONDS = 30,
	HTTP_BYTES = 1 << 30,
	HTTP_REDIRECTS = 3,
};

/* Read by http_open only. Times and sizes of 0 are the defaults above. */
struct http_request {
	const char *url;	 /* http or https; user:password@ is sent as basic authentication */
	const char *unix_socket; /* connect to this path whatever the URL's host; NULL: do not */
	const char *ca_file;	 /* PEM, trusted instead of the system's authorities; or NULL */
	const char *const *headers; /* "Name: value"; not sent to another host by a redirect */
	size_t header_count;
	uint64_t connect_timeout_ns; /* finding the host's address, TLS and a proxy's part in it */
	uint64_t idle_timeout_ns; /* nothing received for so long */
	uint64_t total_timeout_ns; /* from http_open to the last byte; 0: no bound */
	uint64_t max_bytes;	  /* of the content, unpacked */
};

struct http_response {
	int64_t date;	       /* unix time of the Date header, 0 for none */
	char type[128];	       /* Content-Type as sent, printable, "" for none */
	const char *url;       /* where it came from in the end, without user and password */
};

/* What is given to a URL. The caller's. */
struct http_body {
	const void *data;
	size_t len;
	const char *type; /* Content-Type */
	const char *keep; /* headers of the answer that begin with that are wanted; or NULL */
};

struct http_answer {
	unsigned status;       /* 0: no whole head of an answer came */
	uint64_t retry_after_ns; /* from now; 0: not said */
	char headers[512];	 /* the wanted ones, as sent, a line each, as far as they fit */
	uint8_t content[1024];	 /* of a 2xx, its beginning, as far as it can be read */
	size_t content_len;
};

/* Does the text begin with "http://" or "https://"? (Other schemes are no URLs here.) */
bool http_is_url(const char *text);

/* Before anything is asked: is that a URL, and is libcurl there? It is loaded now, which
 * processes that are forked later need not do. ERR_USAGE, ERR_NOTFOUND, ERR_NOMEM. */
int http_check(const char *url, struct error *err);

/* Waits for the response's head. ERR_USAGE (URL, header, paths), ERR_NOTFOUND (no libcurl), ERR_IO
 * (cannot connect, certificate, a status other than 200, with the body's first line),
 * ERR_LIMIT (time, redirects), ERR_FORMAT (not HTTP; an encoding not asked for), ERR_NOMEM. */
int http_open(struct http **h, const struct http_request *q, struct error *err);
void http_close(struct http *h);

/* Waits for content; up to `len` bytes, *got 0 at its end. `http` is a struct http: this has
 * the type of a reader (goparse_reader). What came before an error has been given already.
 * ERR_LIMIT (time, size), ERR_FORMAT (cut off, broken compression), ERR_IO, ERR_NOMEM. */
int http_read(void *http, void *buf, size_t len, size_t *got, struct error *err);

/* POSTs a body, and waits for the answer: 0 when that is a 2xx. No
 * redirect is followed, no message quotes the URL. ERR_IO and the status when the server has
 * refused; else errors as http_open's, and the body may have arrived nevertheless. */
int http_post(const struct http_request *q, const struct http_body *body,
	      struct http_answer *answer, struct error *err);

/* The connection, -1 when there is none any more. Who wants no more of an answer that would
 * go on for a time may shut it down for writing (shutdown(2), which a signal's handler may
 * call, too): Go's server takes that for the client's end, and lets a handler that looks for
 * it end in good order (net/http/server.go, backgroundRead). What it sends is still read. */
int http_socket(const struct http *h);

/* Good until http_close. */
const struct http_response *http_response(const struct http *h);

#endif
