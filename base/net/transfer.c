/* libcurl's callbacks fill one buffer of 64 KiB and pause when it is full. A loop around
 * curl_multi_perform(3) drives them, and keeps the times for connecting, idleness and the whole. */
#if __has_include(<curl/curl.h>)
#include "base/net/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/net/address.h"
#include "base/net/http.h"

enum {
	RAW_BYTES = 64 << 10, /* more than CURL_MAX_WRITE_SIZE, libcurl's largest piece */
	POLL_MS = 1000,
	SOCKETS = 8, /* open at a time: libcurl tries several addresses of a host in parallel */
};

struct transfer {
	const struct libcurl *curl;
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	uint64_t connect_ns, idle_ns, total_ns; /* total 0: no bound */
	uint64_t deadline, heard;		/* monotonic ns; heard: last activity */
	char peer[128];				/* the Unix socket's path, printable; "": none */
	struct response head;
	bool added, paused, over, headers_too_long;
	CURLcode result; /* when over */
	char why[CURL_ERROR_SIZE];
	curl_socket_t sockets[SOCKETS]; /* open ones, in the order in which they were opened */
	size_t socket_count;
	const struct http_body *body; /* NULL: nothing is posted */
	size_t sent;
	uint64_t received;
	size_t at, len; /* of raw: bytes taken, bytes filled */
	unsigned char raw[RAW_BYTES];
};

/* Callbacks of libcurl. */

static size_t on_header(char *line, size_t size, size_t count, void *ctx)
{
	struct transfer *t = ctx;

	t->heard = monotonic_ns();
	if (response_line(&t->head, line, size * count))
		return size * count;
	t->headers_too_long = true;
	return 0;
}

static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
	struct transfer *t = ctx;
	size_t len = size * count;

	t->heard = monotonic_ns();
	if (len > sizeof(t->raw) - t->len) {
		t->paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	memcpy(t->raw + t->len, data, len);
	t->len += len;
	t->received += len;
	return len;
}

/* A server that takes what we send is active, too. */
static size_t on_send(char *to, size_t size, size_t count, void *ctx)
{
	struct transfer *t = ctx;
	size_t left = t->body->len - t->sent, len = size * count < left ? size * count : left;

	t->heard = monotonic_ns();
	if (len)
		memcpy(to, (const char *)t->body->data + t->sent, len);
	t->sent += len;
	return len;
}

/* libcurl reports an answer's socket only after the answer's end (CURLINFO_ACTIVESOCKET), so open
 * sockets are recorded here. */
static int on_open(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
	struct transfer *t = ctx;

	(void)purpose;
	if (t->socket_count < SOCKETS)
		t->sockets[t->socket_count++] = fd;
	return CURL_SOCKOPT_OK;
}

static int on_close(void *ctx, curl_socket_t fd)
{
	struct transfer *t = ctx;
	size_t left = 0;

	for (size_t i = 0; i < t->socket_count; i++)
		if (t->sockets[i] != fd)
			t->sockets[left++] = t->sockets[i];
	t->socket_count = left;
	return close(fd);
}

/* Options for libcurl. */

static CURLcode set_basics(struct transfer *t)
{
	CURLcode (*set)(CURL *, CURLoption, ...) = t->curl->easy_set;
	int rc = 0;

	rc |= set(t->easy, CURLOPT_ERRORBUFFER, t->why);
	rc |= set(t->easy, CURLOPT_HEADERFUNCTION, on_header);
	rc |= set(t->easy, CURLOPT_HEADERDATA, t);
	rc |= set(t->easy, CURLOPT_WRITEFUNCTION, on_body);
	rc |= set(t->easy, CURLOPT_WRITEDATA, t);
	rc |= set(t->easy, CURLOPT_SOCKOPTFUNCTION, on_open);
	rc |= set(t->easy, CURLOPT_SOCKOPTDATA, t);
	rc |= set(t->easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
	rc |= set(t->easy, CURLOPT_CLOSESOCKETDATA, t);
	rc |= set(t->easy, CURLOPT_FORBID_REUSE, 1L); /* to have one socket in the end */
	rc |= set(t->easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	rc |= set(t->easy, CURLOPT_FOLLOWLOCATION, 0L); /* http.c follows redirects */
	rc |= set(t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	rc |= set(t->easy, CURLOPT_HTTP09_ALLOWED, 0L);
	rc |= set(t->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	set(t->easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED); /* unknown if built without .netrc */
	rc |= set(t->easy, CURLOPT_USERAGENT, "sampler/" SAMPLER_VERSION);
	rc |= set(t->easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	rc |= set(t->easy, CURLOPT_HTTP_CONTENT_DECODING, 0L); /* unpack.h says why */
	return rc ? CURLE_UNKNOWN_OPTION : CURLE_OK;
}

/*
 * Without CURLOPT_NOSIGNAL, libcurl ignores SIGPIPE, which a TLS library may cause. But it also
 * ends slow name lookups by SIGALRM, unless it looks names up in a thread. So the option is set
 * only for a libcurl that has no thread for lookups.
 */
static CURLcode transfer_set_signals(struct transfer *t)
{
	const curl_version_info_data *v = t->curl->version(CURLVERSION_NOW);
	bool threads = v && v->features & CURL_VERSION_ASYNCHDNS;

	return t->curl->easy_set(t->easy, CURLOPT_NOSIGNAL, threads ? 0L : 1L);
}

/*
 * Lets cleanup return while a thread still looks a name up: the thread ends by itself and frees
 * its memory. libcurl before 7.87 does not support that, which is no failure.
 */
static void set_leaving(struct transfer *t)
{
	enum { QUICK_EXIT = 322 }; /* CURLOPT_QUICK_EXIT, which older headers lack */

	t->curl->easy_set(t->easy, (CURLoption)QUICK_EXIT, 1L);
}

#ifdef SAMPLER_STATIC
/* Our libcurl was built for no system in particular. The places of Debian, Fedora, openSUSE, RHEL
 * and Alpine, in the order of Go's crypto/x509 (root_linux.go). NULL: none. */
static const char *authorities(void)
{
	static const char *const places[] = {
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem",
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
		"/etc/ssl/cert.pem",
	};
	const char *named = getenv("SSL_CERT_FILE");

	if (named && *named)
		return named;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!access(places[i], R_OK))
			return places[i];
	return NULL;
}
#endif

/* No proxy is used to reach a socket in the file system. */
static CURLcode set_request(struct transfer *t, const struct http_request *q)
{
	CURLcode (*set)(CURL *, CURLoption, ...) = t->curl->easy_set;
	int rc = 0;

	t->connect_ns = q->connect_timeout_ns ? q->connect_timeout_ns :
						HTTP_CONNECT_SECONDS * NS_PER_S;
	t->idle_ns = q->idle_timeout_ns ? q->idle_timeout_ns : HTTP_IDLE_SECONDS * NS_PER_S;
	t->total_ns = q->total_timeout_ns;
	t->deadline = monotonic_ns() + t->total_ns;
	if (!t->total_ns || t->deadline < t->total_ns)
		t->deadline = UINT64_MAX;
	rc |= set(t->easy, CURLOPT_CONNECTTIMEOUT_MS,
		  (long)(t->connect_ns / NS_PER_MS < INT32_MAX ? t->connect_ns / NS_PER_MS + 1 :
								 INT32_MAX));
	if (q->unix_socket) {
		response_text(t->peer, sizeof(t->peer), q->unix_socket, strlen(q->unix_socket));
		rc |= set(t->easy, CURLOPT_UNIX_SOCKET_PATH, q->unix_socket);
		rc |= set(t->easy, CURLOPT_PROXY, "");
	}
	if (q->ca_file) {
		rc |= set(t->easy, CURLOPT_CAINFO, q->ca_file);
		rc |= set(t->easy, CURLOPT_CAPATH, NULL);
	}
#ifdef SAMPLER_STATIC
	else if (authorities())
		rc |= set(t->easy, CURLOPT_CAINFO, authorities());
#endif
	return rc ? CURLE_UNKNOWN_OPTION : CURLE_OK;
}

static int transfer_add_header(struct transfer *t, const char *header)
{
	struct curl_slist *more = t->curl->list_append(t->headers, header);

	if (!more)
		return ERR_NOMEM;
	t->headers = more;
	return 0;
}

int transfer_new(struct transfer **out, const struct libcurl *curl, const struct http_request *q,
		 struct error *err)
{
	struct transfer *t = calloc(1, sizeof(*t));

	*out = t;
	if (!t)
		return error_nomem(err);
	t->curl = curl;
	t->multi = curl->multi_init();
	t->easy = curl->easy_init();
	if (!t->multi || !t->easy)
		return error_nomem(err);
	for (size_t i = 0; i < q->header_count; i++)
		if (transfer_add_header(t, q->headers[i]))
			return error_nomem(err);
	set_leaving(t);
	if (set_basics(t) || transfer_set_signals(t) || set_request(t, q))
		return error_set(err, ERR_NOTFOUND, "libcurl was built without what is needed");
	return 0;
}

/* The server is not asked first ("Expect: 100-continue"): if it refuses, it answers before all is
 * sent, and the answer is read. */
int transfer_post(struct transfer *t, const struct http_body *body, struct error *err)
{
	CURLcode (*set)(CURL *, CURLoption, ...) = t->curl->easy_set;
	char type[256];
	int rc = 0, len = snprintf(type, sizeof(type), "Content-Type: %s", body->type);

	t->body = body;
	if (len >= (int)sizeof(type) ||
	    (body->gzip && transfer_add_header(t, "Content-Encoding: gzip")) ||
	    (body->http2 && transfer_add_header(t, "TE: trailers")) ||
	    transfer_add_header(t, type) || transfer_add_header(t, "Expect:"))
		return error_nomem(err);
	rc |= set(t->easy, CURLOPT_POST, 1L);
	rc |= set(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
	rc |= set(t->easy, CURLOPT_READFUNCTION, on_send);
	rc |= set(t->easy, CURLOPT_READDATA, t);
	if (body->http2) { /* at once in clear text, by ALPN in TLS; through a proxy by CONNECT */
		rc |= set(t->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE + 0L);
		rc |= set(t->easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
	}
	return rc ? error_set(err, ERR_NOTFOUND, "libcurl was built without what is needed") : 0;
}

static void transfer_give_up(struct transfer *t)
{
	if (t->added)
		t->curl->multi_remove(t->multi, t->easy);
	t->added = false;
}

void transfer_free(struct transfer *t)
{
	if (!t)
		return;
	transfer_give_up(t);
	if (t->easy)
		t->curl->easy_cleanup(t->easy);
	if (t->multi)
		t->curl->multi_cleanup(t->multi);
	t->curl->list_free(t->headers);
	free(t);
}

int transfer_start(struct transfer *t, const struct address *a, bool trusted, struct error *err)
{
	CURLcode (*set)(CURL *, CURLoption, ...) = t->curl->easy_set;
	int rc = 0;

	transfer_give_up(t);
	memset(&t->head, 0, sizeof(t->head));
	t->head.keep = t->body ? t->body->keep : NULL;
	t->paused = t->over = false;
	t->at = t->len = 0;
	t->received = 0;
	t->sent = 0;
	*t->why = '\0';
	rc |= set(t->easy, CURLOPT_URL, a->text);
	rc |= set(t->easy, CURLOPT_USERNAME, a->user);
	rc |= set(t->easy, CURLOPT_PASSWORD, a->password);
	rc |= set(t->easy, CURLOPT_HTTPHEADER, trusted ? t->headers : NULL);
	if (rc || t->curl->multi_add(t->multi, t->easy) != CURLM_OK)
		return error_nomem(err);
	t->added = true;
	return 0;
}

/* Error messages. */

static int explain_connect(const struct transfer *t, const char *why, struct error *err)
{
	long number = 0;
	bool to = *t->peer;

	t->curl->easy_get(t->easy, CURLINFO_OS_ERRNO, &number);
	return error_set(err, ERR_IO, "cannot connect%s%s%s: %s", to ? " to '" : "", t->peer,
			 to ? "'" : "", number > 0 ? strerror((int)number) : why);
}

static int explain_format(const struct transfer *t, const char *why, struct error *err)
{
	if (t->headers_too_long)
		return error_set(err, ERR_FORMAT, "the answer's head has more than %d KiB",
				 RESPONSE_HEAD_BYTES >> 10);
	if (!t->head.complete)
		return error_set(err, ERR_FORMAT, "the answer is not HTTP%s, or no whole one: %s",
				 t->body && t->body->http2 ? "/2" : "", why);
	return error_set(err, ERR_FORMAT, "cut off after %llu bytes: %s",
			 (unsigned long long)t->received, why);
}

static int explain(const struct transfer *t, struct error *err)
{
	const char *text = *t->why ? t->why : t->curl->easy_strerror(t->result);
	long proxy = 0;
	char why[200];

	response_text(why, sizeof(why), text, strlen(text));
	t->curl->easy_get(t->easy, CURLINFO_HTTP_CONNECTCODE, &proxy);
	if (proxy >= 300)
		return error_set(err, ERR_IO, "the proxy refuses to connect: status %ld", proxy);
	switch (t->result) {
	case CURLE_OUT_OF_MEMORY:
		return error_nomem(err);
	case CURLE_COULDNT_RESOLVE_HOST:
		return error_set(err, ERR_IO, "the host's name cannot be resolved");
	case CURLE_COULDNT_RESOLVE_PROXY:
		return error_set(err, ERR_IO, "the proxy's name cannot be resolved");
	case CURLE_COULDNT_CONNECT:
		return explain_connect(t, why, err);
	case CURLE_OPERATION_TIMEDOUT:
		return error_set(err, ERR_LIMIT, "cannot connect within %g s",
				 (double)t->connect_ns / 1e9);
	case CURLE_PEER_FAILED_VERIFICATION:
		return error_set(err, ERR_IO, "the server's certificate is not trusted: %s", why);
	case CURLE_SSL_CACERT_BADFILE:
		return error_set(err, ERR_USAGE,
				 "the file of trusted certificates cannot be used: %s", why);
	case CURLE_SSL_CONNECT_ERROR:
		return error_set(err, ERR_IO, "cannot agree on TLS: %s", why);
	case CURLE_OK:			 /* the answer ended without a head */
	case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9 */
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_HTTP2:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_WRITE_ERROR: /* from on_header */
		return explain_format(t, why, err);
	default:
		return error_set(err, ERR_IO, "%s", why);
	}
}

/* Waiting. */

static void drive(struct transfer *t)
{
	int running, left;
	CURLMsg *m;

	if (t->paused) {
		t->paused = false;
		t->result = t->curl->easy_pause(t->easy, CURLPAUSE_CONT);
		t->over = t->result != CURLE_OK;
	}
	if (t->curl->multi_perform(t->multi, &running) != CURLM_OK) {
		t->over = true;
		t->result = CURLE_OUT_OF_MEMORY;
	}
	while ((m = t->curl->multi_info(t->multi, &left)))
		if (m->msg == CURLMSG_DONE) {
			t->over = true;
			t->result = m->data.result;
		}
}

static int check_time(struct transfer *t, uint64_t now, struct error *err)
{
	double connected_after = 0; /* seconds */

	if (now >= t->deadline)
		return error_set(err, ERR_LIMIT, "not all has come within %g s",
				 (double)t->total_ns / 1e9);
	/* A connection that is still being made has a time limit of its own. */
	t->curl->easy_get(t->easy, CURLINFO_PRETRANSFER_TIME, &connected_after);
	if (!(connected_after > 0))
		t->heard = now;
	if (now - t->heard >= t->idle_ns)
		return error_set(err, ERR_LIMIT, "nothing has come for %g s",
				 (double)t->idle_ns / 1e9);
	return 0;
}

static void sleep_until_something(struct transfer *t, uint64_t now)
{
	uint64_t idle = t->idle_ns - (now - t->heard), left = t->deadline - now;
	uint64_t ms = (idle < left ? idle : left) / NS_PER_MS + 1;

	t->curl->multi_poll(t->multi, NULL, 0, ms < POLL_MS ? (int)ms : POLL_MS, NULL);
}

/* Waits for bytes, or the end of the transfer, or with `head` for the head. */
static int wait_for(struct transfer *t, bool head, struct error *err)
{
	uint64_t now = t->heard = monotonic_ns();
	int rc = check_time(t, now, err);

	while (!rc) {
		drive(t);
		if (t->len || t->over || (head && t->head.complete))
			return 0;
		now = monotonic_ns();
		rc = check_time(t, now, err);
		if (!rc)
			sleep_until_something(t, now);
	}
	return rc;
}

int transfer_head(struct transfer *t, const struct response **head, struct error *err)
{
	int rc = wait_for(t, true, err);

	*head = &t->head;
	if (!rc && !t->head.complete)
		rc = explain(t, err);
	return rc;
}

const unsigned char *transfer_data(const struct transfer *t, size_t *len)
{
	*len = t->len - t->at;
	return t->raw + t->at;
}

void transfer_took(struct transfer *t, size_t len)
{
	t->at += len;
	if (t->at == t->len)
		t->at = t->len = 0;
}

int transfer_more(struct transfer *t, bool *end, struct error *err)
{
	int rc = t->over ? 0 : wait_for(t, false, err);

	*end = !rc && !t->len;
	return *end && t->result ? explain(t, err) : rc;
}

uint64_t transfer_received(const struct transfer *t)
{
	return t->received;
}

int transfer_socket(const struct transfer *t)
{
	return t->over || t->socket_count != 1 ? -1 : (int)t->sockets[0];
}

void transfer_hurry(struct transfer *t, uint64_t ns)
{
	uint64_t then = monotonic_ns() + ns;

	if (then < t->deadline)
		t->deadline = then;
}
#endif
