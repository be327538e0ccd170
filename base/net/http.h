/*
 * Reads a URL's content as a stream, and posts a body to a URL.
 *
 * libcurl does the work. It is loaded when a URL is opened, so that a process without URLs neither
 * needs nor pays for it. If its header was missing at build time or the library is missing now,
 * opening fails with a message about that. Nothing but the request is sent: no cookies, no .netrc.
 * A proxy is taken from the environment as by curl (http_proxy, https_proxy, all_proxy, no_proxy;
 * libcurl-env(3)).
 *
 * Servers are not trusted: only a 200 is content, redirects are followed 3 times and only to http
 * and https, and the unpacked size has a bound. Messages quote the URL without user, password and
 * query, and the response only as far as a terminal may show it, without secrets of the request.
 *
 * Not thread-safe, because the initialisation of libcurl is not.
 */
#ifndef BASE_NET_HTTP_H
#define BASE_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct http;

enum {
	HTTP_CONNECT_SECONDS = 10,
	HTTP_IDLE_SECONDS = 30,
	HTTP_BYTES = 1 << 30,
	HTTP_REDIRECTS = 3,
};

/* Read by http_open and http_post only. A time or size of 0 means the default above. */
struct http_request {
	const char *url;	 /* http or https; user:password@ is sent as basic authentication */
	const char *unix_socket; /* connect to this path, whatever the URL's host; or NULL */
	const char *ca_file;	 /* PEM, trusted instead of the system's authorities; or NULL */
	const char *const *headers; /* "Name: value"; not sent to another host by a redirect */
	size_t header_count;
	uint64_t connect_timeout_ns; /* for name lookup, connecting, a proxy and TLS */
	uint64_t idle_timeout_ns;    /* limit without any byte received or sent */
	uint64_t total_timeout_ns;   /* from http_open to the last byte; 0: no bound */
	uint64_t max_bytes;	     /* limit of the content, unpacked */
};

struct http_response {
	int64_t date;	 /* Unix time of the Date header, 0 for none */
	char type[128];	 /* Content-Type as sent, printable, "" for none */
	const char *url; /* the last URL after redirects, without user and password */
};

/* A body to post; owned by the caller. */
struct http_body {
	const void *data;
	size_t len;
	const char *type; /* Content-Type */
	bool gzip;	  /* Content-Encoding: gzip */
	const char *keep; /* prefix of the answer's headers and trailers to keep; or NULL */
	bool http2;	  /* by HTTP/2 only, whose trailers are requested */
};

struct http_answer {
	unsigned status;	 /* 0: no complete head of an answer was received */
	uint64_t retry_after_ns; /* from now; 0: not given */
	char headers[4096];	 /* of a 2xx: the kept ones, as sent, one per line */
	uint8_t content[1024];	 /* beginning of the content, as far as it could be read */
	size_t content_len;
};

/* Does the text begin with "http://" or "https://"? (Other schemes are no URLs here.) */
bool http_is_url(const char *text);

/* Is it a header: a token, a colon, and nothing that ends the line (RFC 9110, sections 5.1, 5.5 and
 * 5.6.2)? Its value may be secret and is not quoted. 0 or ERR_USAGE. */
int http_check_header(const char *header, struct error *err);

/* Appends a text as a part of a URL: letters, digits and the characters `plain` as they are, all
 * others percent-encoded. RFC 3986's unreserved ones are "-._~". ERR_NOMEM. */
int http_escape(struct buffer *url, const char *text, const char *plain);

/* To be called before any request: is this a URL, and is libcurl there? It is loaded now, so that
 * processes forked later need not load it. `http2`: can it also speak HTTP/2? ERR_USAGE,
 * ERR_NOTFOUND, ERR_NOMEM. */
int http_check(const char *url, bool http2, struct error *err);

/* Sends a request and waits for the response's head. ERR_USAGE (URL, header, paths), ERR_NOTFOUND
 * (no libcurl), ERR_IO (cannot connect, certificate, a status other than 200, with the body's first
 * line), ERR_LIMIT (time, redirects), ERR_FORMAT (not HTTP; wrong encoding), ERR_NOMEM. */
int http_open(struct http **h, const struct http_request *q, struct error *err);
void http_close(struct http *h);

/* Reads up to `len` bytes of content, and waits for them; *got is 0 at its end. `http` is a struct
 * http: this is a reader (goparse_reader). Content that came before an error has been returned
 * already. ERR_LIMIT (time, size), ERR_FORMAT (cut off, broken compression), ERR_IO, ERR_NOMEM. */
int http_read(void *http, void *buf, size_t len, size_t *got, struct error *err);

/* POSTs a body and waits for the answer; 0 if that is a 2xx. *answer is set in any case. No
 * redirect is followed, and no message quotes the URL. ERR_IO with the status if the server has
 * refused; else errors as http_open's, and the body may have arrived nevertheless. */
int http_post(const struct http_request *q, const struct http_body *body,
	      struct http_answer *answer, struct error *err);

/* The connection's descriptor; -1 if there is none any more. A caller that needs no more of a long
 * answer may shut it down for writing (shutdown(2), which a signal handler may call, too). Go's
 * server takes that for the client's end, and a handler that watches for it ends in good order
 * (net/http/server.go, backgroundRead). What the server still sends is read. */
int http_socket(const struct http *h);

/* Valid until http_close. */
const struct http_response *http_response(const struct http *h);

#endif
