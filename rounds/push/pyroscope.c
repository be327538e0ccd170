/*
 * Pyroscope: POST /ingest, a request for each profile.
 *
 * Follows Pyroscope's own Go client (grafana/pyroscope-go, upstream/remote/remote.go, session.go
 * and sample_types.go), which describes each profile by a map from sample types. What that client
 * does not use is not used here: with "format=pprof" the server would take the body for a bare
 * profile (pkg/ingester/pyroscope/ingest_handler.go), and it refuses a "prev_profile"
 * (pkg/og/convert/pprof/profile.go). The server cannot handle values that accumulate from the
 * target's start. So the deltas of Go's cumulative profiles are sent. Without deltas (--no-delta, a
 * first round) the profiles that come nearest are sent, inuse and alloc.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strset.h"
#include "base/utf8.h"
#include "base/net/http.h"
#include "rounds/push/batch.h"
#include "rounds/push/headers.h"
#include "rounds/push/label.h"
#include "rounds/push/multipart.h"
#include "rounds/push/protocol.h"

static const char HEAP[] =
	"{\"alloc_objects\":{\"units\":\"objects\"},\"alloc_space\":{\"units\":\"bytes\"},"
	"\"inuse_objects\":{\"units\":\"objects\",\"aggregation\":\"average\"},"
	"\"inuse_space\":{\"units\":\"bytes\",\"aggregation\":\"average\"}}";
static const char BLOCK[] =
	"{\"contentions\":{\"units\":\"lock_samples\",\"display-name\":\"block_count\"},"
	"\"delay\":{\"units\":\"lock_nanoseconds\",\"display-name\":\"block_duration\"}}";
static const char MUTEX[] =
	"{\"contentions\":{\"units\":\"lock_samples\",\"display-name\":\"mutex_count\"},"
	"\"delay\":{\"units\":\"lock_nanoseconds\",\"display-name\":\"mutex_duration\"}}";
static const char GOROUTINE[] =
	"{\"goroutine\":{\"units\":\"goroutines\",\"aggregation\":\"average\","
	"\"display-name\":\"goroutines\"}}";

static const struct pyroscope_kind {
	const char *file;
	const char *unless[2];		 /* not sent if one of these is */
	const char *config;		 /* sample_type_config; NULL: the server's default */
	const char *units, *aggregation; /* or NULL */
	bool rated;			 /* with sampleRate */
} kinds[] = {
	{ "cpu.pprof", { NULL }, NULL, "samples", "sum", true },
	{ "wall.pprof", { NULL }, NULL, "samples", "sum", true },
	{ "delta-heap.pprof", { NULL }, HEAP, NULL, NULL, false },
	{ "delta-allocs.pprof", { "delta-heap.pprof" }, HEAP, NULL, NULL, false },
	{ "inuse.pprof", { "delta-heap.pprof", "delta-allocs.pprof" }, HEAP, NULL, NULL, false },
	{ "alloc.pprof", { "delta-heap.pprof", "delta-allocs.pprof" }, HEAP, NULL, NULL, false },
	{ "delta-block.pprof", { NULL }, BLOCK, NULL, NULL, false },
	{ "delta-mutex.pprof", { NULL }, MUTEX, NULL, NULL, false },
	{ "goroutines.pprof", { NULL }, GOROUTINE, "goroutines", "average", false },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static bool pyroscope_is_sent(const struct pushbatch *b, const struct pyroscope_kind *k)
{
	for (size_t i = 0; i < 2; i++)
		if (k->unless[i] && pushbatch_may_send(b, k->unless[i]))
			return false;
	return pushbatch_may_send(b, k->file);
}

static const void *pyroscope_nth(const struct pushbatch *b, size_t n)
{
	for (size_t i = 0; i < KINDS; i++)
		if (pyroscope_is_sent(b, &kinds[i]) && !n--)
			return &kinds[i];
	return NULL;
}

/*
 * The name, "service{key=value,…}" (api/model/labelset/labelset.go). The format has no escapes: a
 * character that would end a part becomes '_'.
 */

static int pyroscope_add_value(struct buffer *b, const char *text)
{
	size_t left = strlen(text), size;
	int rc = 0;

	for (; !rc && left; text += size, left -= size) {
		uint32_t c = utf8_next(text, left, &size);
		bool fine = c >= ' ' && c != 0x7f && c != ',' && c != '}' &&
			    (c != UTF8_REPLACEMENT || size == 3);

		rc = buffer_add(b, fine ? text : "_", fine ? size : 1);
	}
	return rc;
}

struct pyroscope_name {
	struct buffer *text;
	struct strset labels; /* names that are there, as the server stores them */
	bool any;
};

/* Adds a label's name to those that are there. The server replaces dots
 * (pkg/validation/validate.go). */
static int pyroscope_add_name(struct pyroscope_name *n, const char *key, bool *is_new)
{
	struct buffer clean = { 0 };
	uint32_t before = n->labels.count, id;
	int rc = pushlabel_name(&clean, key, "");

	rc = rc ? rc : strset_add(&n->labels, (const char *)clean.data, clean.len, &id);
	*is_new = n->labels.count > before;
	buffer_release(&clean);
	return rc;
}

/* A Prometheus label does not begin with a digit, and names with "__" are reserved. `others`: as of
 * pushlabel_name. */
static int pyroscope_add_label(struct pyroscope_name *n, const char *key, const char *value,
			       const char *others)
{
	bool is_new;
	int rc;

	if (!*key || !*value || !strncmp(key, "__", 2))
		return 0;
	rc = pyroscope_add_name(n, key, &is_new);
	if (!rc && n->any)
		rc = buffer_add(n->text, ",", 1);
	rc = rc ? rc : pushlabel_name(n->text, key, others);
	rc = rc ? rc : buffer_add(n->text, "=", 1);
	n->any = true;
	return rc ? rc : pyroscope_add_value(n->text, value);
}

/* Adds what is known of the process, where no other label has that name: the server takes the last
 * label of a name, and a process may say anything of itself. */
static int pyroscope_add_labels(struct pyroscope_name *n, const struct pushbatch *b)
{
	const struct batch_tag *label;
	size_t at = 0;
	bool is_new;
	int rc = pyroscope_add_name(n, "service_name", &is_new);

	while (!rc && (label = pushbatch_next_label(b, &at))) {
		rc = pyroscope_add_name(n, label->key, &is_new);
		if (!rc && is_new)
			rc = pyroscope_add_label(n, label->key, label->value, "_");
	}
	return rc;
}

static int make_name(const struct pushbatch *b, struct buffer *text)
{
	struct pyroscope_name n = { .text = text };
	const struct batch_tag *tag;
	size_t at = 0;
	char pid[16] = "";
	int rc = strset_init(&n.labels);

	if (b->event.pid)
		snprintf(pid, sizeof(pid), "%d", b->event.pid);
	rc = rc ? rc : pushlabel_clean(text, pushbatch_service(b), "-./_");
	rc = rc ? rc : buffer_add(text, "{", 1);
	rc = rc ? rc : pyroscope_add_label(&n, "hostname", b->event.host, "_");
	rc = rc ? rc : pyroscope_add_label(&n, "pid", pid, "_");
	while (!rc && (tag = pushbatch_next_tag(b, &at)))
		rc = pyroscope_add_label(&n, tag->key, tag->value, "_.");
	rc = rc ? rc : pyroscope_add_labels(&n, b);
	rc = rc ? rc : buffer_add(text, "}", 1);
	strset_release(&n.labels);
	return rc ? rc : buffer_add(text, "", 1);
}

/* The query. */

/* 19 digits are nanoseconds. A clock before September 2001 has fewer; then the time is given in
 * seconds (pkg/og/util/attime/attime.go). */
static int64_t pyroscope_time_of(int64_t ns)
{
	return ns >= 1000000000000000000 ? ns : ns / 1000000000;
}

static int make_query(const struct pushbatch *b, const struct pyroscope_kind *k, unsigned rate,
		      struct buffer *q)
{
	struct buffer name = { 0 };
	int rc = make_name(b, &name);

	if (!rc && k->aggregation)
		rc = buffer_addf(q, "aggregationType=%s&", k->aggregation);
	rc = rc ? rc :
		  buffer_addf(q, "from=%" PRId64 "&name=", pyroscope_time_of(b->event.start_ns));
	rc = rc ? rc : http_escape(q, (const char *)name.data, "-._~");
	if (!rc && k->rated && rate)
		rc = buffer_addf(q, "&sampleRate=%u", rate);
	rc = rc ? rc : buffer_addf(q, "&spyName=%s", pushbatch_is_go(b) ? "gospy" : "sampler");
	if (!rc && k->units)
		rc = buffer_addf(q, "&units=%s", k->units);
	rc = rc ? rc : buffer_addf(q, "&until=%" PRId64, pyroscope_time_of(b->event.end_ns));
	buffer_release(&name);
	return rc;
}

static int pyroscope_make(const struct pushbatch *b, const void *what, unsigned rate,
			  struct pushrequest *q, struct error *err)
{
	const struct pyroscope_kind *k = what;
	struct multipart m;
	int rc = multipart_init(&m, err), no_memory;

	if (rc)
		return rc;
	q->file = k->file;
	no_memory = make_query(b, k, rate, &q->query) ||
		    multipart_part(&m, "profile", "profile.pprof", NULL);
	if (!no_memory)
		rc = pushbatch_read(b, k->file, &m.body, err);
	if (!rc && k->config)
		no_memory |= multipart_part(&m, "sample_type_config", "sample_type_config.json",
					    NULL) ||
			     buffer_add(&m.body, k->config, strlen(k->config));
	no_memory |= multipart_end(&m);
	multipart_type(&m, q->type);
	q->body = m.body;
	return rc ? rc : no_memory ? error_nomem(err) : 0;
}

/* Pyroscope 1.21 refuses with 422 all that its distributor does not take (pkg/ingester/pyroscope/
 * ingest_handler.go): "push series with index 0 and id ID failed: CODE: REASON", CODE as of gRPC.
 * What fails in its hash ring has no code (grafana/dskit/ring). Nothing of the profile stands
 * before CODE. */
static bool pyroscope_passes(const struct http_answer *a)
{
	static const char *const reasons[] = {
		"unavailable: ",
		"resource_exhausted: ",
		"deadline_exceeded: ",
		"aborted: ",
		"canceled: ",
		"unknown: empty ring",
		"unknown: too many unhealthy instances in the ring",
		"unknown: at least ", /* N live replicas required */
	};
	static const char before[] = " failed: ";
	const char *end = (const char *)a->content + a->content_len;
	const char *at = memmem(a->content, a->content_len, before, strlen(before));

	if (a->status != 422 || !at)
		return false;
	at += strlen(before);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (strlen(reasons[i]) <= (size_t)(end - at) &&
		    !memcmp(at, reasons[i], strlen(reasons[i])))
			return true;
	return false;
}

static int pyroscope_authorize(struct pushheaders *h, struct error *err)
{
	const char *user = getenv("PYROSCOPE_USER"), *password = getenv("PYROSCOPE_PASSWORD");
	const char *token = getenv("PYROSCOPE_AUTH_TOKEN");

	if (pushheaders_has(h, "Authorization"))
		return 0;
	if (user && *user && password && *password)
		return pushheaders_basic(h, user, password, "PYROSCOPE_USER and PYROSCOPE_PASSWORD",
					 err);
	if (token && *token)
		return pushheaders_add(h, "Authorization", "Bearer ", token, "PYROSCOPE_AUTH_TOKEN",
				       err);
	return 0;
}

const struct pushprotocol push_pyroscope = {
	.name = "pyroscope",
	.path = "/ingest",
	.nth = pyroscope_nth,
	.make = pyroscope_make,
	.passes = pyroscope_passes,
	.authorize = pyroscope_authorize,
};
