/*
 * Parca: ProfileStoreService.WriteRaw, a request for each profile, over gRPC-Web.
 *
 * Parca's server hands requests with a Content-Type of "application/grpc-web" to a wrapper that
 * takes the call out of a plain HTTP/1.1 POST (parca/pkg/server/server.go; Parca's own pages use
 * it). gRPC itself would need a libcurl with HTTP/2. Rejected: Parca's JSON gateway. It has the
 * route "/profiles/writeraw", but is mounted below "/api" with the prefix left on, so that no
 * request reaches it.
 *
 * Names and kinds are those under which Parca scrapes a Go program. Parca shows values since the
 * start as they are, so heap, block and mutex are sent whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strset.h"
#include "base/utf8.h"
#include "pprof/wire/writer.h"
#include "base/net/http.h"
#include "rounds/push/batch.h"
#include "rounds/push/grpc.h"
#include "rounds/push/headers.h"
#include "rounds/push/label.h"
#include "rounds/push/protocol.h"

static const char *const kinds[][2] = {
	{ "cpu.pprof", "process_cpu" }, { "wall.pprof", "wall" },
	{ "heap.pprof", "memory" },	{ "block.pprof", "block" },
	{ "mutex.pprof", "mutex" },	{ "goroutines.pprof", "goroutine" },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const void *parca_nth(const struct pushbatch *b, size_t n)
{
	for (size_t i = 0; i < KINDS; i++)
		if (pushbatch_may_send(b, kinds[i][0]) && !n--)
			return kinds[i];
	return NULL;
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

struct parca_labels {
	struct buffer bytes;
	struct strset names; /* Parca refuses repeated names: the first label stays */
};

/* `name` is a valid label name. A name that is there already and an empty text are skipped. */
static int parca_add_label(struct parca_labels *l, const char *name, size_t len, const char *text)
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

static int add_own(struct parca_labels *l, const char *name, const char *value)
{
	return parca_add_label(l, name, strlen(name), value);
}

/* Adds all that `next` iterates over. */
static int parca_add_tags(struct parca_labels *l, const struct pushbatch *b,
			  const struct batch_tag *(*next)(const struct pushbatch *, size_t *))
{
	const struct batch_tag *tag;
	size_t at = 0;
	int rc = 0;

	while (!rc && (tag = next(b, &at))) {
		struct buffer name = { 0 };

		rc = pushlabel_name(&name, tag->key, "");
		if (!rc && name.len && strncmp(tag->key, "__", 2))
			rc = parca_add_label(l, (const char *)name.data, name.len, tag->value);
		buffer_release(&name);
	}
	return rc;
}

/* Tags come before our own labels, except the name, and so replace them. What the process may have
 * said of itself comes last, and replaces nothing. */
static int parca_make_labels(struct parca_labels *l, const struct pushbatch *b, const char *name)
{
	char pid[16] = "";

	if (b->event.pid)
		snprintf(pid, sizeof(pid), "%d", b->event.pid);
	return add_own(l, "__name__", name) || parca_add_tags(l, b, pushbatch_next_tag) ||
	       add_own(l, "job", pushbatch_service(b)) || add_own(l, "node", b->event.host) ||
	       add_own(l, "comm", b->event.command) || add_own(l, "pid", pid) ||
	       parca_add_tags(l, b, pushbatch_next_label);
}

/* Puts the profile and its labels into the message, and that into a frame. */
static int wrap(struct buffer *body, const struct buffer *profile, const struct buffer *labels)
{
	struct writer w = { .out = body, .rc = pushgrpc_begin(body, false) };
	size_t series = writer_begin(&w, 2), sample;

	writer_bytes(&w, 1, labels->data, labels->len);
	sample = writer_begin(&w, 2);
	writer_bytes(&w, 1, profile->data, profile->len);
	writer_end(&w, sample);
	writer_end(&w, series);
	if (!w.rc)
		pushgrpc_end(body);
	return w.rc;
}

static int parca_make(const struct pushbatch *b, const void *what, unsigned rate,
		      struct pushrequest *q, struct error *err)
{
	const char *const *kind = what;
	struct parca_labels labels = { 0 };
	struct buffer profile = { 0 };
	int rc = pushbatch_read(b, kind[0], &profile, err), no_memory;

	(void)rate;
	q->file = kind[0];
	strcpy(q->type, "application/grpc-web+proto");
	no_memory = strset_init(&labels.names) || parca_make_labels(&labels, b, kind[1]) ||
		    (!rc && wrap(&q->body, &profile, &labels.bytes));
	strset_release(&labels.names);
	buffer_release(&labels.bytes);
	buffer_release(&profile);
	return rc ? rc : no_memory ? error_nomem(err) : 0;
}

static enum pushnote_what parca_judge(struct http_answer *a, struct error *err)
{
	struct pushgrpc g;

	pushgrpc_read(&g, a);
	if (g.status == GRPC_OK)
		return PUSHNOTE_SENT;
	pushgrpc_explain(&g, err);
	switch (g.status) {
	case GRPC_INVALID_ARGUMENT:
	case GRPC_OUT_OF_RANGE:
		return PUSHNOTE_REFUSED;
	case GRPC_NOT_FOUND:
	case GRPC_PERMISSION_DENIED:
	case GRPC_UNIMPLEMENTED:
	case GRPC_UNAUTHENTICATED:
		return PUSHNOTE_DROPPED;
	default:
		return PUSHNOTE_FAILED;
	}
}

static int parca_authorize(struct pushheaders *h, struct error *err)
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
	.nth = parca_nth,
	.make = parca_make,
	.judge = parca_judge,
	.authorize = parca_authorize,
};
