/*
 * Datadog: the agent's profiling intake, one request for a whole batch.
 *
 * Follows dd-trace-go (profiler/upload.go): each file is a part with its own name, and the last
 * part, event.json, lists them; it is in Datadog's format, not the batch's. Without an agent, a URL
 * with a path of its own, "https://intake.profile.…/api/v2/profile", requires the key in
 * DD_API_KEY. By the header Datadog-Container-ID the agent adds the tags that it has of the
 * container: image, pod, deployment. metrics.json is not sent, since Datadog's file of that name
 * has other contents.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "rounds/push/batch.h"
#include "rounds/push/headers.h"
#include "rounds/push/multipart.h"
#include "rounds/push/protocol.h"

/* The second file is sent if the batch does not have the first, as with --no-delta. */
static const char *const files[][2] = {
	{ "cpu.pprof" },
	{ "wall.pprof" },
	{ "delta-heap.pprof", "heap.pprof" },
	{ "delta-block.pprof", "block.pprof" },
	{ "delta-mutex.pprof", "mutex.pprof" },
	{ "goroutines.pprof" },
	{ "goroutineswait.pprof" },
	{ "go.trace" },
};

enum { FILES = sizeof(files) / sizeof(*files) };

/* The file to be sent for a row, or NULL. */
static const char *datadog_pick(const struct pushbatch *b, size_t row)
{
	const char *first = files[row][0], *second = files[row][1];

	if (pushbatch_may_send(b, first))
		return first;
	return second && !pushbatch_has(b, first) && pushbatch_has(b, second) ? second : NULL;
}

/* One request has the whole batch. */
static const void *datadog_nth(const struct pushbatch *b, size_t n)
{
	for (size_t i = 0; !n && i < FILES; i++)
		if (datadog_pick(b, i))
			return b;
	return NULL;
}

/* Tags are "key:value", separated by commas; other commas become '_'. */
static int datadog_add_tag(struct buffer *b, const char *key, const char *value)
{
	size_t at = b->len + (b->len > 0);
	int rc = buffer_addf(b, "%s%s:%s", b->len ? "," : "", key, value);

	for (; !rc && at < b->len; at++)
		if (b->data[at] == ',' || b->data[at] < ' ')
			b->data[at] = '_';
	return rc;
}

/* Datadog's names of OpenTelemetry's attributes (docs.datadoghq.com, "OpenTelemetry Semantic
 * Conventions and Datadog Conventions"). Others keep theirs. */
static const char *const names[][2] = {
	{ "deployment.environment.name", "env" },
	{ "deployment.environment", "env" },
	{ "service.version", "version" },
	{ "container.id", "container_id" },
	{ "container.name", "container_name" },
	{ "container.image.name", "image_name" },
	{ "container.image.tag", "image_tag" },
	{ "k8s.cluster.name", "kube_cluster_name" },
	{ "k8s.container.name", "kube_container_name" },
	{ "k8s.deployment.name", "kube_deployment" },
	{ "k8s.namespace.name", "kube_namespace" },
	{ "k8s.pod.name", "pod_name" },
};

static const char *datadog_name_of(const char *key)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(key, names[i][0]))
			return names[i][1];
	return key;
}

/* Is there a tag with this key? */
static bool has_tag(const struct buffer *tags, const char *key)
{
	size_t len = strlen(key);
	const char *at = (const char *)tags->data, *end = at + tags->len;

	for (; at && at < end; at = at ? at + 1 : NULL) {
		if ((size_t)(end - at) > len && !memcmp(at, key, len) && at[len] == ':')
			return true;
		at = memchr(at, ',', (size_t)(end - at));
	}
	return false;
}

/* Adds what is known of the process, where no other tag has that key. A colon would end the key,
 * and the process may choose its keys. */
static int datadog_add_labels(const struct pushbatch *b, struct buffer *tags)
{
	const struct batch_tag *label;
	size_t at = 0;
	int rc = 0;

	while (!rc && (label = pushbatch_next_label(b, &at))) {
		char key[256];

		snprintf(key, sizeof(key), "%s", datadog_name_of(label->key));
		for (char *c = key; *c; c++)
			if (*c == ':' || *c == ',')
				*c = '_';
		if (!has_tag(tags, key))
			rc = datadog_add_tag(tags, key, label->value);
	}
	return rc;
}

static int datadog_add_tags(const struct pushbatch *b, struct buffer *tags)
{
	const char *language = pushbatch_is_go(b) ? "go" : "native";
	const struct batch_tag *tag;
	char number[24];
	size_t at = 0;
	int rc = 0;

	while (!rc && (tag = pushbatch_next_tag(b, &at)))
		rc = datadog_add_tag(tags, tag->key, tag->value);
	rc = rc ? rc : datadog_add_tag(tags, "service", pushbatch_service(b));
	snprintf(number, sizeof(number), "%" PRIu64, b->event.sequence);
	rc = rc ? rc : datadog_add_tag(tags, "profile_seq", number);
	rc = rc ? rc : datadog_add_tag(tags, "runtime", language);
	rc = rc ? rc : datadog_add_tag(tags, "language", language);
	rc = rc ? rc : datadog_add_tag(tags, "profiler_version", b->event.version);
	snprintf(number, sizeof(number), "%d", b->event.pid);
	if (!rc && b->event.pid)
		rc = datadog_add_tag(tags, "process_id", number);
	if (!rc && *b->event.host)
		rc = datadog_add_tag(tags, "host", b->event.host);
	return rc ? rc : datadog_add_labels(b, tags);
}

static void add_attachments(const struct pushbatch *b, struct json *j)
{
	const char *comma = "";

	json_add(j, "\"attachments\":[");
	for (size_t i = 0; i < FILES; i++) {
		if (!datadog_pick(b, i))
			continue;
		json_addf(j, "%s\"%s\"", comma, datadog_pick(b, i));
		comma = ",";
	}
	json_add(j, "],");
}

static int add_event(const struct pushbatch *b, struct buffer *out)
{
	struct json j = { out, 0 };
	struct buffer tags = { 0 };

	json_add(&j, "{\"start\":");
	json_add_time(&j, b->event.start_ns, 9);
	json_add(&j, ",\"end\":");
	json_add_time(&j, b->event.end_ns, 9);
	json_add(&j, ",");
	add_attachments(b, &j);
	json_add(&j, "\"tags_profiler\":");
	if (datadog_add_tags(b, &tags))
		j.rc = ERR_NOMEM;
	json_add_string(&j, (const char *)tags.data, tags.len);
	buffer_release(&tags);
	json_addf(&j,
		  ",\"family\":\"%s\",\"version\":\"4\",\"info\":{\"profiler\":{\"ssi\":"
		  "{\"mechanism\":\"none\"},\"activation\":\"manual\"}}}\n",
		  pushbatch_is_go(b) ? "go" : "native");
	return j.rc;
}

static int datadog_make(const struct pushbatch *b, const void *what, unsigned rate,
			struct pushrequest *q, struct error *err)
{
	struct multipart m;
	int rc = multipart_init(&m, err), no_memory = 0;

	(void)what, (void)rate;
	for (size_t i = 0; !rc && !no_memory && i < FILES; i++) {
		const char *file = datadog_pick(b, i);

		if (!file)
			continue;
		no_memory = multipart_part(&m, file, file, NULL);
		rc = pushbatch_read(b, file, &m.body, err);
	}
	no_memory = no_memory || multipart_part(&m, "event", "event.json", "application/json") ||
		    add_event(b, &m.body) || multipart_end(&m);
	multipart_type(&m, q->type);
	if (pushbatch_container(b))
		snprintf(q->header, sizeof(q->header), "Datadog-Container-ID: %s",
			 pushbatch_container(b));
	q->body = m.body;
	return rc ? rc : no_memory ? error_nomem(err) : 0;
}

static int datadog_authorize(struct pushheaders *h, struct error *err)
{
	const char *key = getenv("DD_API_KEY");

	if (!key || !*key || pushheaders_has(h, "DD-API-KEY"))
		return 0;
	return pushheaders_add(h, "DD-API-KEY", "", key, "DD_API_KEY", err);
}

const struct pushprotocol push_datadog = {
	.name = "datadog",
	.path = "/profiling/v1/input",
	.own_path = true,
	.nth = datadog_nth,
	.make = datadog_make,
	.authorize = datadog_authorize,
};
