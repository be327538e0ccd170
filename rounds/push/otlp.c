/*
 * OpenTelemetry: a request with ProfilesData for each profile (opentelemetry-proto 1.11,
 * docs/specification.md), packed by gzip: a POST, "OTLP/HTTP", or a call of
 * ProfilesService/Export, "OTLP/gRPC". The URL's scheme chooses: OTEL_EXPORTER_OTLP_PROTOCOL is not
 * read, because a variable meant for the programs on this machine would change what http:// means.
 *
 * An engine may add up what it gets, as Pyroscope does, so differences are sent of the profiles
 * that count from the program's start, and of the profiles of one heap only the first that is
 * there. OTLP has no names for profiles, and Go's block and mutex profiles have the same sample
 * types. So the scope has the attribute sampler.profile, of which Pyroscope and Parca make a label.
 *
 * Rejected: one request for a batch, of which an engine could not refuse one profile.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "pprof/file/read.h"
#include "pprof/otlp/fields.h"
#include "pprof/otlp/otlp.h"
#include "pprof/profile.h"
#include "pprof/wire/gzip.h"
#include "pprof/wire/wire.h"
#include "base/net/http.h"
#include "rounds/push/batch.h"
#include "rounds/push/grpc.h"
#include "rounds/push/headers.h"
#include "rounds/push/label.h"
#include "rounds/push/protocol.h"
#include "rounds/source/capture.h"

/* Which profiles. */

/* Is another profile of the heap sent, which has these values, too? */
static bool is_covered(const struct pushbatch *b, enum capture_type type)
{
	bool heap = pushbatch_may_send(b, captures[CAPTURE_HEAP].delta_file);
	bool allocs = pushbatch_may_send(b, captures[CAPTURE_ALLOCS].delta_file);

	switch (type) {
	case CAPTURE_ALLOCS:
		return heap;
	case CAPTURE_INUSE:
	case CAPTURE_ALLOC:
		return heap || allocs;
	default:
		return false;
	}
}

static bool push_otlp_is_sent(const struct pushbatch *b, const struct batch_entry *e)
{
	const char *ending = strrchr(e->file, '.');

	if (!ending || strcmp(ending, ".pprof") || !pushbatch_may_send(b, e->file))
		return false;
	for (int t = 0; t < CAPTURE_TYPES; t++)
		if (!strcmp(captures[t].name, e->type))
			return (e->delta || !captures[t].delta_file) &&
			       !is_covered(b, (enum capture_type)t);
	return false;
}

static const void *push_otlp_nth(const struct pushbatch *b, size_t n)
{
	for (size_t i = 0; i < b->event.entry_count; i++)
		if (push_otlp_is_sent(b, &b->event.entries[i]) && !n--)
			return &b->event.entries[i];
	return NULL;
}

/* Whose they are. */

enum { OWN_ATTRIBUTES = 4 };

struct push_otlp_resource {
	struct otlp_attribute *list;
	size_t count;
	struct arena arena; /* owns keys and the list */
};

/* Pyroscope and Parca make a label of a key, with '_' for '.'. */
static bool is_same_label(const char *a, const char *b)
{
	while (*a && (*a == *b || ((*a == '.' || *a == '_') && (*b == '.' || *b == '_'))))
		a++, b++;
	return *a == *b;
}

/* Adds an attribute, unless it is empty or there is one of the same label, which Pyroscope refuses
 * with all that comes with it. */
static void push_otlp_add(struct push_otlp_resource *r, struct otlp_attribute a)
{
	for (size_t i = 0; i < r->count; i++)
		if (is_same_label(r->list[i].key, a.key))
			return;
	if (*a.key && (!a.text || *a.text))
		r->list[r->count++] = a;
}

/* A key with '_' for each character that is in no name of OpenTelemetry's conventions: Pyroscope
 * refuses all others. One that begins with "__" is reserved there; it becomes "". NULL: out of
 * memory. */
static const char *clean_key(struct push_otlp_resource *r, const char *key)
{
	struct buffer clean = { 0 };
	int rc = strncmp(key, "__", 2) ? pushlabel_name(&clean, key, ".") : 0;
	const char *kept = clean.len ? (const char *)clean.data : "";

	kept = rc ? NULL : arena_copy(&r->arena, kept, clean.len);
	buffer_release(&clean);
	return kept;
}

/* Adds texts under clean keys. */
static int add_texts(struct push_otlp_resource *r, const struct batch_tag *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *key = clean_key(r, texts[i].key);

		if (!key)
			return ERR_NOMEM;
		push_otlp_add(r, (struct otlp_attribute){ key, texts[i].value, 0 });
	}
	return 0;
}

/* Lists the attributes of the process: the service, then the batch's tags under their own names,
 * then what else the batch has, by OpenTelemetry's names. Of equal names the first stays. Texts are
 * borrowed of the batch. The caller releases r->arena, after an error too. ERR_NOMEM. */
static int list_resource(const struct pushbatch *b, struct push_otlp_resource *r)
{
	const struct batch_event *e = &b->event;
	size_t room = e->tag_count + OWN_ATTRIBUTES + e->resource_count, at = 0;
	const struct batch_tag *tag;

	r->list = arena_alloc(&r->arena, room * sizeof(*r->list));
	if (!r->list)
		return ERR_NOMEM;
	push_otlp_add(r, (struct otlp_attribute){ "service.name", pushbatch_service(b), 0 });
	while ((tag = pushbatch_next_tag(b, &at)))
		if (add_texts(r, tag, 1))
			return ERR_NOMEM;
	push_otlp_add(r, (struct otlp_attribute){ "host.name", e->host, 0 });
	push_otlp_add(r, (struct otlp_attribute){ "process.title", e->command, 0 });
	if (e->pid)
		push_otlp_add(r, (struct otlp_attribute){ "process.pid", NULL, e->pid });
	return add_texts(r, e->resource, e->resource_count);
}

static int encode(const struct pushbatch *b, const struct batch_entry *entry,
		  const struct profile *p, struct buffer *out, struct error *err)
{
	const struct otlp_attribute scope = { "sampler.profile", entry->type, 0 };
	struct otlp_origin origin = { .scope = { &scope, 1 } };
	struct push_otlp_resource r = { 0 };
	int rc = list_resource(b, &r) ? error_nomem(err) : 0;

	origin.resource = (struct otlp_attributes){ r.list, r.count };
	rc = rc ? rc : otlp_encode(p, &origin, out, err);
	arena_release(&r.arena);
	return rc;
}

/* The request. */

static int push_otlp_read_profile(const struct pushbatch *b, const char *file, struct profile *p,
				  struct error *err)
{
	struct buffer bytes = { 0 };
	int rc = pushbatch_read(b, file, &bytes, err);

	if (!rc) {
		rc = profile_parse(p, bytes.data, bytes.len, PUSHBATCH_BYTES, err);
		if (rc)
			error_prefix(err, "its '%s'", file);
	}
	buffer_release(&bytes);
	return rc;
}

/* Pyroscope 1.21 names a profile by its period type, and refuses one without. A profile that was
 * not sampled has none; each of its events counts. */
static void complete_period(struct profile *p)
{
	if (p->period || !p->type_count)
		return;
	p->period_type = p->types[0];
	p->period = 1;
}

static int push_otlp_append(void *to, const void *data, size_t len, struct error *err)
{
	return buffer_add(to, data, len) ? error_nomem(err) : 0;
}

/* Appends the request's message, packed by gzip, to q->body. */
static int add_message(const struct pushbatch *b, const struct batch_entry *entry,
		       struct pushrequest *q, struct error *err)
{
	struct buffer message = { 0 };
	struct profile p;
	int rc = profile_init(&p) ? error_nomem(err) : 0;

	q->file = entry->file;
	rc = rc ? rc : push_otlp_read_profile(b, entry->file, &p, err);
	if (!rc)
		complete_period(&p);
	rc = rc ? rc : encode(b, entry, &p, &message, err);
	rc = rc ? rc : gzip_compress(message.data, message.len, push_otlp_append, &q->body, err);
	profile_release(&p);
	buffer_release(&message);
	return rc;
}

static int push_otlp_make(const struct pushbatch *b, const void *what, unsigned rate,
			  struct pushrequest *q, struct error *err)
{
	(void)rate; /* the profile's own period is sent */
	q->gzip = true;
	strcpy(q->type, "application/x-protobuf");
	return add_message(b, what, q, err);
}

static int make_grpc(const struct pushbatch *b, const void *what, unsigned rate,
		     struct pushrequest *q, struct error *err)
{
	int rc = pushgrpc_begin(&q->body, true) ? error_nomem(err) : 0;

	(void)rate;
	strcpy(q->type, "application/grpc");
	strcpy(q->header, "grpc-encoding: gzip");
	rc = rc ? rc : add_message(b, what, q, err);
	if (!rc)
		pushgrpc_end(&q->body);
	return rc;
}

/* The answer: ExportProfilesServiceResponse, of which only the beginning may be there. */

enum { UNPACKED_BYTES = 1 << 20 };

struct refusal {
	uint64_t profiles;
	struct cursor why;
};

/* The next field. Its bytes end with the cursor at the latest. False at the end, and for what OTLP
 * does not use. */
static bool push_otlp_next_field(struct cursor *c, uint64_t *field, uint64_t *value,
				 struct cursor *inside)
{
	uint64_t tag = cursor_left(c) ? wire_number(c) : 0;

	*field = tag >> 3;
	*inside = *c;
	inside->end = inside->pos;
	if (!tag || c->failed || ((tag & 7) != WIRE_VARINT && (tag & 7) != WIRE_BYTES))
		return false;
	*value = wire_number(c);
	if (c->failed || (tag & 7) == WIRE_VARINT)
		return !c->failed;
	inside->pos = c->pos;
	c->pos += *value < cursor_left(c) ? *value : cursor_left(c);
	inside->end = c->pos;
	return true;
}

static void read_partial(struct cursor *c, struct refusal *r)
{
	uint64_t field, value;
	struct cursor inside;

	while (push_otlp_next_field(c, &field, &value, &inside)) {
		if (field == PARTIAL_REJECTED_PROFILES && !cursor_left(&inside))
			r->profiles = value;
		else if (field == PARTIAL_ERROR_MESSAGE)
			r->why = inside;
	}
}

/* `headers` is empty or begins with the name "content-type:" (push_otlp.keep). */
static bool is_protobuf(const char *headers)
{
	static const char type[] = "application/x-protobuf";
	const char *value = headers + strcspn(headers, ":");

	value += strspn(value, ": \t");
	return !strncasecmp(value, type, strlen(type));
}

/* Reads the response. A message without rejected profiles is a warning of the engine, and no
 * concern of a profile. */
static enum pushnote_what read_response(struct cursor *c, struct error *err)
{
	struct refusal r = { 0 };
	struct cursor inside;
	uint64_t field, value;

	cursor_init(&r.why, "", 0, "message");
	while (push_otlp_next_field(c, &field, &value, &inside))
		if (field == RESPONSE_PARTIAL_SUCCESS)
			read_partial(&inside, &r);
	if (!r.profiles)
		return PUSHNOTE_SENT;
	error_set(err, ERR_IO, "%llu of its sample types rejected: %.*s",
		  (unsigned long long)r.profiles, (int)cursor_left(&r.why),
		  (const char *)r.why.pos);
	return PUSHNOTE_REFUSED;
}

static enum pushnote_what push_otlp_judge(struct http_answer *a, struct error *err)
{
	struct cursor c;

	if (a->content_len && !is_protobuf(a->headers)) {
		error_set(err, ERR_FORMAT, "the answer is not one of OTLP");
		return PUSHNOTE_FAILED;
	}
	cursor_init(&c, a->content, a->content_len, "answer");
	return read_response(&c, err);
}

/* Which statuses are retried: specification.md, "OTLP/gRPC Response", "Failures". Of the others,
 * some concern every profile. */
static enum pushnote_what judge_status(const struct pushgrpc *g, struct http_answer *a)
{
	bool told = pushgrpc_retry(g, &a->retry_after_ns);

	switch (g->status) {
	case GRPC_CANCELLED:
	case GRPC_DEADLINE_EXCEEDED:
	case GRPC_ABORTED:
	case GRPC_OUT_OF_RANGE:
	case GRPC_UNAVAILABLE:
	case GRPC_DATA_LOSS:
		return PUSHNOTE_FAILED;
	case GRPC_RESOURCE_EXHAUSTED: /* for a time, or the profile is too large */
		return told ? PUSHNOTE_FAILED : PUSHNOTE_REFUSED;
	case GRPC_NOT_FOUND:
	case GRPC_PERMISSION_DENIED:
	case GRPC_UNIMPLEMENTED:
	case GRPC_UNAUTHENTICATED:
		return PUSHNOTE_DROPPED;
	default: /* none: the answer was cut off, or is of another kind */
		return g->status < 0 ? PUSHNOTE_FAILED : PUSHNOTE_REFUSED;
	}
}

/* grpc-go compresses its answer as the request was. */
static enum pushnote_what read_packed(const struct cursor *packed, struct error *err)
{
	enum pushnote_what what = PUSHNOTE_FAILED;
	struct buffer plain = { 0 };
	struct cursor c;

	if (!gzip_uncompress(packed->pos, cursor_left(packed), UNPACKED_BYTES, &plain, err)) {
		cursor_init(&c, plain.data, plain.len, "answer");
		what = read_response(&c, err);
	} else {
		error_prefix(err, "the answer");
	}
	buffer_release(&plain);
	return what;
}

static enum pushnote_what judge_grpc(struct http_answer *a, struct error *err)
{
	struct pushgrpc g;

	pushgrpc_read(&g, a);
	if (g.status == GRPC_OK)
		return g.packed ? read_packed(&g.message, err) : read_response(&g.message, err);
	pushgrpc_explain(&g, err);
	return judge_status(&g, a);
}

static int push_otlp_authorize(struct pushheaders *h, struct error *err)
{
	const char *list = getenv("OTEL_EXPORTER_OTLP_HEADERS");

	return list ? pushheaders_list(h, list, "OTEL_EXPORTER_OTLP_HEADERS", err) : 0;
}

const struct pushprotocol push_otlp = {
	.name = "otlp",
	.path = "/v1development/profiles",
	.hint = "a port of gRPC needs otlp=grpc://HOST:PORT",
	.keep = "content-type",
	.nth = push_otlp_nth,
	.make = push_otlp_make,
	.judge = push_otlp_judge,
	.authorize = push_otlp_authorize,
};

const struct pushprotocol push_otlp_grpc = {
	.name = "otlp",
	.grpc = true,
	.path = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
	.hint = "a port of HTTP needs otlp=http://HOST:PORT",
	.keep = "grpc-",
	.nth = push_otlp_nth,
	.make = make_grpc,
	.judge = judge_grpc,
	.authorize = push_otlp_authorize,
};
