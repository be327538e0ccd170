/* A request runs here from the check of its headers to the end of its content: redirects, the
 * refusal with its reason, unpacking, the limit. Without <curl/curl.h>, http_open and http_check
 * fail and say so. */
#include "base/net/http.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"

#if __has_include(<curl/curl.h>)
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/net/address.h"
#include "base/net/response.h"
#include "base/net/secret.h"
#include "base/net/transfer.h"
#include "base/net/unpack.h"

enum { FIRST_LINE_BYTES = 512, PACKING_BYTES = 64 << 10, DRAINED_PIECES = 16 };

/* Time to read the body of a refusal, or of a POST's answer. */
static const uint64_t REFUSAL_NS = 2 * NS_PER_S;

struct http {
	struct address address;
	struct transfer *transfer;
	const struct http_body *body; /* NULL: nothing is posted */
	struct http_answer answer;    /* to the posted body */
	struct unpack unpack;
	uint64_t given, max; /* bytes of content: returned so far, and the limit */
	struct http_response response;
};

static int check_request(const struct http_request *q, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < q->header_count; i++)
		rc = http_check_header(q->headers[i], err);
	if (!rc && q->unix_socket &&
	    strlen(q->unix_socket) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		rc = error_set(err, ERR_USAGE, "the path of the socket has more than 107 bytes");
	if (!rc && q->ca_file && access(q->ca_file, R_OK))
		rc = error_errno(err, ERR_USAGE, "cannot read '%s'", q->ca_file);
	return rc;
}

/* The packed bytes have a bound, too: packing makes some content grow (empty pieces of gzip). */
static int net_http_take(struct http *h, void *buf, size_t len, size_t *got, struct error *err)
{
	for (;;) {
		size_t had, left;
		const unsigned char *in = transfer_data(h->transfer, &had);
		uint64_t taken = transfer_received(h->transfer) - had;
		bool end;
		int rc;

		if (taken > h->max && taken - h->max > h->max / 16 + PACKING_BYTES)
			return error_set(err, ERR_LIMIT, "more than %llu bytes, packed",
					 (unsigned long long)h->max);
		left = had;
		rc = unpack_bytes(&h->unpack, &in, &left, buf, len, got, err);
		transfer_took(h->transfer, had - left);
		if (rc || *got)
			return rc;
		rc = transfer_more(h->transfer, &end, err);
		if (rc || end)
			return rc ? rc : unpack_end(&h->unpack, err);
	}
}

static int start_unpacking(struct http *h, const struct response *head, struct error *err)
{
	if (head->encoding == ENCODING_OTHER)
		return error_set(err, ERR_FORMAT,
				 "its content is encoded as '%s', which was not "
				 "requested",
				 head->coded);
	return unpack_init(&h->unpack, head->encoding == ENCODING_GZIP, err);
}

/* Go's handlers give the reason in the body's first line. A page ('<') is not quoted. */
static int net_http_refused(struct http *h, const struct response *head, struct error *err)
{
	char line[FIRST_LINE_BYTES], shown[160] = "";
	size_t len = 0, got = 0;

	transfer_hurry(h->transfer, REFUSAL_NS);
	if (!start_unpacking(h, head, NULL))
		while (len < sizeof(line) && !memchr(line, '\n', len) &&
		       !net_http_take(h, line + len, sizeof(line) - len, &got, NULL) && got)
			len += got;
	memcpy(h->answer.content, line, len);
	h->answer.content_len = len;
	for (size_t i = 0; i < len; i++)
		if (line[i] == '\n' || line[i] == '\r')
			len = i;
	if (len && *line != '<')
		response_text(shown, sizeof(shown), line, len);
	return error_set(err, ERR_IO, "status %u%s%s%s%s", head->status, *head->reason ? " " : "",
			 head->reason, *shown ? ": " : "", shown);
}

static void take_answer(struct http_answer *a, const struct response *head)
{
	int64_t now = head->date ? head->date : time(NULL);
	int64_t seconds = head->retry_at > now ? head->retry_at - now : head->retry_in;

	a->status = head->status;
	a->retry_after_ns = (uint64_t)(seconds < INT32_MAX ? seconds : INT32_MAX) * NS_PER_S;
}

/* The server has accepted the body, so failures from here on are ignored. The rest of the answer is
 * read so that the server can send all of it. */
static void keep_content(struct http *h, const struct response *head)
{
	struct http_answer *a = &h->answer;
	bool end = false;
	size_t got = 1;

	transfer_hurry(h->transfer, REFUSAL_NS);
	if (start_unpacking(h, head, NULL))
		return;
	while (got && a->content_len < sizeof(a->content)) {
		if (net_http_take(h, a->content + a->content_len,
				  sizeof(a->content) - a->content_len, &got, NULL))
			return;
		a->content_len += got;
	}
	for (int i = 0; got && i < DRAINED_PIECES && !end; i++) {
		size_t len;

		transfer_data(h->transfer, &len);
		transfer_took(h->transfer, len);
		if (transfer_more(h->transfer, &end, NULL))
			return;
	}
}

/* A GET succeeds only with 200, a POST with any 2xx. */
static bool accepts(const struct http *h, unsigned status)
{
	return h->body ? status / 100 == 2 : status == 200;
}

static int net_http_follow(struct http *h, struct error *err)
{
	const struct response *head;
	bool trusted = true, same;
	int rc;

	for (int i = 0;; i++) {
		rc = transfer_start(h->transfer, &h->address, trusted, err);
		if (!rc)
			rc = transfer_head(h->transfer, &head, err);
		if (rc || h->body || !response_redirects(head) || !*head->location)
			break;
		if (i == HTTP_REDIRECTS)
			return error_set(err, ERR_LIMIT, "redirected more than %d times",
					 HTTP_REDIRECTS);
		rc = address_follow(&h->address, head->location, &same, err);
		if (rc)
			return rc;
		trusted = trusted && same;
	}
	if (!rc && h->body)
		take_answer(&h->answer, head);
	if (!rc && !accepts(h, head->status))
		rc = net_http_refused(h, head, err);
	if (!rc && h->body) {
		keep_content(h, head);
		memcpy(h->answer.headers, head->kept, sizeof(head->kept)); /* with trailers */
	} else if (!rc) {
		rc = start_unpacking(h, head, err);
	}
	if (!rc) {
		h->response.date = head->date;
		memcpy(h->response.type, head->type, sizeof(h->response.type));
	}
	return rc;
}

/* A server may quote what it was sent. */
static void hide_secrets(const struct http_request *q, struct error *err)
{
	for (size_t i = 0; err && i < q->header_count; i++)
		secret_hide_header(err->text, q->headers[i]);
	if (err)
		secret_hide_url(err->text, q->url);
}

static int net_http_begin(struct http *h, const struct http_request *q, struct error *err)
{
	const struct libcurl *curl;
	int rc = check_request(q, err);

	if (!rc)
		rc = libcurl_load(&curl, err);
	if (!rc)
		rc = address_parse(&h->address, curl, q->url, err);
	if (rc)
		return rc;
	h->max = q->max_bytes ? q->max_bytes : HTTP_BYTES;
	rc = transfer_new(&h->transfer, curl, q, err);
	if (!rc && h->body)
		rc = transfer_post(h->transfer, h->body, err);
	if (!rc)
		rc = net_http_follow(h, err);
	if (rc)
		hide_secrets(q, err);
	if (rc && !h->body)
		error_prefix(err, "'%s'", h->address.shown);
	h->response.url = h->address.text;
	return rc;
}

static int check_http2(const struct libcurl *curl, struct error *err)
{
	const curl_version_info_data *v = curl->version(CURLVERSION_NOW);

	if (v->features & CURL_VERSION_HTTP2)
		return 0;
	return error_set(err, ERR_NOTFOUND, "libcurl %s was built without HTTP/2, which gRPC needs",
			 v->version);
}

int http_check(const char *url, bool http2, struct error *err)
{
	const struct libcurl *curl;
	struct address a = { 0 };
	int rc = libcurl_load(&curl, err);

	if (!rc && http2)
		rc = check_http2(curl, err);
	if (!rc)
		rc = address_parse(&a, curl, url, err);
	address_release(&a);
	return rc;
}

int http_open(struct http **out, const struct http_request *q, struct error *err)
{
	struct http *h = calloc(1, sizeof(*h));
	int rc = h ? net_http_begin(h, q, err) : error_nomem(err);

	if (rc) {
		http_close(h);
		h = NULL;
	}
	*out = h;
	return rc;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	unpack_release(&h->unpack);
	transfer_free(h->transfer);
	address_release(&h->address);
	free(h);
}

int http_post(const struct http_request *q, const struct http_body *body,
	      struct http_answer *answer, struct error *err)
{
	struct http *h = calloc(1, sizeof(*h));
	int rc;

	*answer = (struct http_answer){ 0 };
	if (!h)
		return error_nomem(err);
	h->body = body;
	rc = net_http_begin(h, q, err);
	*answer = h->answer;
	http_close(h);
	return rc;
}

/* Called when the limit has been reached: no content may follow. */
static int check_end(struct http *h, size_t *got, struct error *err)
{
	char more;
	int rc = net_http_take(h, &more, 1, got, err);

	if (!rc && *got)
		rc = error_set(err, ERR_LIMIT, "more than %llu bytes", (unsigned long long)h->max);
	*got = 0;
	return rc;
}

int http_read(void *http, void *buf, size_t len, size_t *got, struct error *err)
{
	struct http *h = http;
	uint64_t left = h->max - h->given;
	int rc;

	*got = 0;
	if (!len)
		return 0;
	rc = left ? net_http_take(h, buf, len < left ? len : left, got, err) :
		    check_end(h, got, err);
	if (rc)
		error_prefix(err, "'%s'", h->address.shown);
	h->given += rc ? 0 : *got;
	return rc;
}

int http_socket(const struct http *h)
{
	return transfer_socket(h->transfer);
}

const struct http_response *http_response(const struct http *h)
{
	return &h->response;
}

#else

static int without_libcurl(struct error *err)
{
	return error_set(err, ERR_NOTFOUND,
			 "this sampler cannot fetch URLs: it was built without libcurl's header");
}

int http_open(struct http **h, const struct http_request *q, struct error *err)
{
	(void)q;
	*h = NULL;
	return without_libcurl(err);
}

int http_check(const char *url, bool http2, struct error *err)
{
	(void)url, (void)http2;
	return without_libcurl(err);
}

void http_close(struct http *h)
{
	(void)h;
}

int http_post(const struct http_request *q, const struct http_body *body,
	      struct http_answer *answer, struct error *err)
{
	(void)q, (void)body;
	*answer = (struct http_answer){ 0 };
	return without_libcurl(err);
}

int http_read(void *http, void *buf, size_t len, size_t *got, struct error *err)
{
	(void)http, (void)buf, (void)len;
	*got = 0;
	return without_libcurl(err);
}

int http_socket(const struct http *h)
{
	(void)h;
	return -1;
}

const struct http_response *http_response(const struct http *h)
{
	static const struct http_response none = { .url = "" };

	(void)h;
	return &none;
}
#endif

int http_check_header(const char *header, struct error *err)
{
	size_t len = 0;

	while (header[len] > ' ' && header[len] < 0x7f &&
	       !strchr("()<>@,;:\\\"/[]?={}", header[len]))
		len++;
	if (!len || header[len] != ':')
		return error_set(err, ERR_USAGE, "'%.*s…' is no header: 'Name: value' was expected",
				 (int)(len < 40 ? len : 40), header);
	for (const char *c = header; *c; c++)
		if (iscntrl((unsigned char)*c) && *c != '\t')
			return error_set(err, ERR_USAGE,
					 "the header '%.*s' has a control character",
					 (int)(len < 40 ? len : 40), header);
	return 0;
}

bool http_is_url(const char *text)
{
	return !strncasecmp(text, "http://", 7) || !strncasecmp(text, "https://", 8);
}

int http_escape(struct buffer *url, const char *text, const char *plain)
{
	int rc = 0;

	for (; !rc && *text; text++) {
		if (isascii(*text) && (isalnum(*text) || strchr(plain, *text)))
			rc = buffer_add(url, text, 1);
		else
			rc = buffer_addf(url, "%%%02X", (unsigned char)*text);
	}
	return rc;
}
