/*
 * Parca: ProfileStoreService.WriteRaw, a request for each profile, over gRPC-Web.
 *
 * Parca's server hands requests with a Content-Type of "application/grpc-web" to a wrapper that
 * takes the call out of a plain HTTP/1.1 POST (parca/pkg/server/server.go; Parca's own pages use
 * it). The body is five bytes of head and the message. The answer has frames of the same form;
 * one with bit 7 of its first byte set holds the status (grpc/doc/PROTOCOL-WEB.md). An answer
 * with nothing but the status has it among its headers. Rejected: Parca's JSON gateway. It has
 * the route "/profiles/writeraw", but is mounted below "/api" with the prefix left on, so that no
 * request reaches it.
 *
 * Names and kinds are those under which Parca scrapes a Go program. Parca shows values since the
 * start as they are, so heap, block and mutex are sent whole.
 */
#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/strset.h"
#include "base/utf8.h"
#include "pprof/wire/writer.h"
#include "sampler/net/http.h"
#include "sampler/rounds/push/batch.h"
#include "sampler/rounds/push/headers.h"
#include "sampler/rounds/push/label.h"
#include "sampler/rounds/push/protocol.h"

enum { FRAME_HEAD = 5, FRAME_TRAILERS = 0x80 };

static const char *const kinds[][2] = {
	{ "cpu.pprof", "process_cpu" }, { "wall.pprof", "wall" },
	{ "heap.pprof", "memory" },	{ "block.pprof", "block" },
	{ "mutex.pprof", "mutex" },	{ "goroutines.pprof", "goroutine" },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const char *const *nth(const struct pushbatch *b, size_t n)
{
	for (size_t i = 0; i < KINDS; i++)
		if (pushbatch_may_send(b, kinds[i][0]) && !n--)
			return kinds[i];
	return NULL;
}

static bool has(const struct pushbatch *b, size_t n)
{
	return nth(b, n) != NULL;
}

/* The message (profilestore.proto). */

/* Appends a text as UTF-8, which Protobuf requires of strings; invalid bytes become '?'. */
static int clean_value(struct buffer *b, const char *text)
{
	size_t left = strlen(text), size;
	int rc = 0;

	for (; !rc && left; text += size, left -= size)
		rc = utf8_next(text, left, &size) == UTF8_REPLACEMENT && size == 1 ?
			     buffer_add(b, "?", 1) :
			     buffer_add(b, text, size);
	return rc;
}

struct labels {
	struct buffer bytes;
	struct strset names; /* Parca refuses repeated names: the first label stays */
};

/* `name` is a valid label name. A name that is there already and an empty text are skipped. */
static int add_label(struct labels *l, const char *name, size_t len, const char *text)
{
	struct writer w = { .out = &l->bytes };
	struct buffer value = { 0 };
	uint32_t before = l->names.count, id;
	int rc = strset_add(&l->names, name, len, &id);
	size_t label;

	if (rc || l->names.count == before || !*text)
		return rc;
	rc = clean_value(&value, text);
	label = writer_begin(&w, 1);
	writer_bytes(&w, 1, name, len);
	writer_bytes(&w, 2, value.data, value.len);
	writer_end(&w, label);
	buffer_release(&value);
	return rc ? rc : w.rc;
}

static int add_own(struct labels *l, const char *name, const char *value)
{
	return add_label(l, name, strlen(name), value);
}

/* Adds all that `next` iterates over. */
static int add_tags(struct labels *l, const struct pushbatch *b,
		    const struct batch_tag *(*next)(const struct pushbatch *, size_t *))
{
	const struct batch_tag *tag;
	size_t at = 0;
	int rc = 0;

	while (!rc && (tag = next(b, &at))) {
		struct buffer name = { 0 };

		rc = pushlabel_name(&name, tag->key, "");
		if (!rc && name.len && strncmp(tag->key, "__", 2))
			rc = add_label(l, (const char *)name.data, name.len, tag->value);
		buffer_release(&name);
	}
	return rc;
}

/* Tags come before our own labels, except the name, and so replace them. What the process may have
 * said of itself comes last, and replaces nothing. */
static int make_labels(struct labels *l, const struct pushbatch *b, const char *name)
{
	char pid[16] = "";

	if (b->event.pid)
		snprintf(pid, sizeof(pid), "%d", b->event.pid);
	return add_own(l, "__name__", name) || add_tags(l, b, pushbatch_next_tag) ||
	       add_own(l, "job", pushbatch_service(b)) || add_own(l, "node", b->event.host) ||
	       add_own(l, "comm", b->event.command) || add_own(l, "pid", pid) ||
	       add_tags(l, b, pushbatch_next_label);
}

/* Puts the profile and its labels into the message, and that into a frame. */
static int wrap(struct buffer *body, const struct buffer *profile, const struct buffer *labels)
{
	static const uint8_t head[FRAME_HEAD] = { 0 };
	struct writer w = { .out = body, .rc = buffer_add(body, head, sizeof(head)) };
	size_t series = writer_begin(&w, 2), sample;
	uint32_t len;

	writer_bytes(&w, 1, labels->data, labels->len);
	sample = writer_begin(&w, 2);
	writer_bytes(&w, 1, profile->data, profile->len);
	writer_end(&w, sample);
	writer_end(&w, series);
	if (w.rc)
		return w.rc;
	len = htobe32((uint32_t)(body->len - sizeof(head)));
	memcpy(body->data + 1, &len, sizeof(len));
	return 0;
}

static int make(const struct pushbatch *b, size_t n, unsigned rate, struct pushrequest *q,
		struct error *err)
{
	const char *const *kind = nth(b, n);
	struct labels labels = { 0 };
	struct buffer profile = { 0 };
	int rc = pushbatch_read(b, kind[0], &profile, err), no_memory;

	(void)rate;
	q->file = kind[0];
	strcpy(q->type, "application/grpc-web+proto");
	no_memory = strset_init(&labels.names) || make_labels(&labels, b, kind[1]) ||
		    (!rc && wrap(&q->body, &profile, &labels.bytes));
	strset_release(&labels.names);
	buffer_release(&labels.bytes);
	buffer_release(&profile);
	return rc ? rc : no_memory ? error_nomem(err) : 0;
}

/* The answer. */

/* Reads "grpc-status: 3" and "grpc-message: no%20name", which is not decoded. */
static void read_trailers(struct cursor *c, int *status, struct cursor *message)
{
	struct cursor line;

	while (cursor_line(c, &line)) {
		size_t len = cursor_left(&line);
		const char *text = (const char *)line.pos;

		if (len > 12 && !strncasecmp(text, "grpc-status:", 12)) {
			cursor_bytes(&line, 12);
			cursor_blanks(&line);
			*status = (int)cursor_number(&line, 10);
			*status = line.failed ? -1 : *status;
		} else if (len > 13 && !strncasecmp(text, "grpc-message:", 13)) {
			cursor_bytes(&line, 13);
			cursor_blanks(&line);
			*message = line;
		}
	}
}

/* *status -1: the answer has none. */
static void read_frames(const struct http_answer *a, int *status, struct cursor *message)
{
	struct cursor c, trailers;

	*status = -1;
	cursor_init(message, "", 0, "message");
	cursor_init(&c, a->headers, strlen(a->headers), "headers");
	read_trailers(&c, status, message);
	cursor_init(&c, a->content, a->content_len, "answer");
	while (cursor_left(&c)) {
		unsigned kind = cursor_byte(&c);
		uint32_t len = be32toh((uint32_t)cursor_uint(&c, 4));
		size_t there = len < cursor_left(&c) ? len : cursor_left(&c); /* may be cut */
		const uint8_t *data = cursor_bytes(&c, there);

		if (!data || !(kind & FRAME_TRAILERS))
			continue;
		cursor_init(&trailers, data, there, "trailers");
		read_trailers(&trailers, status, message);
	}
}

/* By the protocol the message is ASCII, all else percent-encoded. */
static void explain(int status, struct cursor *message, struct error *err)
{
	char text[200];
	size_t len = 0;

	while (cursor_left(message) && len < sizeof(text) - 1) {
		char c = (char)cursor_byte(message);

		text[len++] = isascii(c) && isprint(c) ? c : '?';
	}
	text[len] = '\0';
	error_set(err, ERR_IO, "gRPC status %d%s%s", status, len ? ": " : "", text);
}

/* The codes are explained in grpc/doc/statuscodes.md. */
static enum pushnote_what judge(const struct http_answer *a, struct error *err)
{
	struct cursor message;
	int status;

	read_frames(a, &status, &message);
	if (!status)
		return PUSHNOTE_SENT;
	if (status < 0)
		error_set(err, ERR_FORMAT, "the answer is not one of gRPC-Web");
	else
		explain(status, &message, err);
	switch (status) {
	case 3:
	case 11: /* INVALID_ARGUMENT, OUT_OF_RANGE */
		return PUSHNOTE_REFUSED;
	case 5:
	case 7:
	case 12:
	case 16: /* NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED,
					   * UNAUTHENTICATED */
		return PUSHNOTE_DROPPED;
	default:
		return PUSHNOTE_FAILED;
	}
}

static int authorize(struct pushheaders *h, struct error *err)
{
	const char *token = getenv("PARCA_BEARER_TOKEN");
	int rc = pushheaders_add(h, "X-Grpc-Web", "", "1", "X-Grpc-Web", err);

	if (rc || !token || !*token || pushheaders_has(h, "Authorization"))
		return rc;
	return pushheaders_add(h, "Authorization", "Bearer ", token, "PARCA_BEARER_TOKEN", err);
}

const struct pushprotocol push_parca = {
	.name = "parca",
	.path = "/api/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
	.keep = "grpc-",
	.has = has,
	.make = make,
	.judge = judge,
	.authorize = authorize,
};
