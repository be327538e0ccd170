/* The mapping is found once by its name and then read by its address. A reading is tried three
 * times if the process writes meanwhile; the Protobuf is read with a cursor, field by field. */
#include "rounds/resource/context.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/maps.h"
#include "base/process/memory.h"
#include "pprof/wire/wire.h"

enum {
	VERSION = 2,
	PAYLOAD_MAX = 64 << 10, /* as OTel's eBPF profiler */
	TRIES = 3,		/* a process writes for some microseconds */
};

struct context_header {
	char signature[8];
	uint32_t version, payload_len;
	uint64_t published_ns, payload;
};

void context_release(struct context *c)
{
	attributes_release(&c->attributes);
	c->at = c->published_ns = 0;
}

/* The names are of a memfd or of anonymous memory, named by prctl(PR_SET_VMA_ANON_NAME) or, on
 * kernels without that, not; proc_pid_maps(5) adds " (deleted)" to a memfd's. */
static bool context_has_name(const struct maps_line *line)
{
	static const char *const names[] = { "[anon_shmem:OTEL_CTX]", "[anon:OTEL_CTX]",
					     "/memfd:OTEL_CTX", "/memfd:OTEL_CTX (deleted)" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (line->path_len == strlen(names[i]) &&
		    !memcmp(line->path, names[i], line->path_len))
			return true;
	return false;
}

uint64_t context_find(const void *maps, size_t len)
{
	struct maps_line line;
	struct cursor c;

	cursor_init(&c, maps, len, "maps");
	while (maps_next(&c, &line, NULL) > 0)
		if (context_has_name(&line) && line.prot[2] != 'x')
			return line.start;
	return 0;
}

/* The messages. */

/* As wire_next; field 0 is no field, and makes the cursor fail. */
static bool context_next_field(struct cursor *c, struct wire_field *f)
{
	bool found = wire_next(c, f);

	if (found && !f->number)
		cursor_fail(c, "field 0");
	return found && f->number;
}

struct value {
	const char *text; /* NULL: of a kind that is no attribute */
	size_t len;
	char number[24];
};

static void set_text(struct value *v, const char *text, size_t len)
{
	v->text = text;
	v->len = len;
}

/* AnyValue: string_value 1, bool_value 2, int_value 3. Of several the last counts (oneof). Arrays,
 * maps, bytes and doubles are no attributes. */
static void read_value(struct cursor *c, struct value *v)
{
	struct wire_field f;

	while (context_next_field(c, &f)) {
		v->text = NULL;
		if (f.number == 1 && f.type == WIRE_BYTES) {
			set_text(v, (const char *)f.data, f.value);
		} else if (f.number == 2 && f.type == WIRE_VARINT) {
			snprintf(v->number, sizeof(v->number), "%s", f.value ? "true" : "false");
			set_text(v, v->number, strlen(v->number));
		} else if (f.number == 3 && f.type == WIRE_VARINT) {
			snprintf(v->number, sizeof(v->number), "%ld", (int64_t)f.value);
			set_text(v, v->number, strlen(v->number));
		}
	}
}

/* These describe the SDK that sends what it measures, not the process. */
static bool is_of_sdk(const char *key, size_t len)
{
	return len > 10 && !memcmp(key, "telemetry.", 10);
}

/* KeyValue: key 1, value 2. */
static int context_read_pair(struct cursor *c, struct attributes *attributes)
{
	const char *key = "";
	size_t key_len = 0;
	struct value value = { 0 };
	struct wire_field f;

	while (context_next_field(c, &f)) {
		if (f.number == 1 && f.type == WIRE_BYTES) {
			key = (const char *)f.data;
			key_len = f.value;
		} else if (f.number == 2 && f.type == WIRE_BYTES) {
			struct cursor inside = wire_inside(c, &f);

			read_value(&inside, &value);
			if (inside.failed)
				cursor_fail(c, inside.failed);
		}
	}
	if (c->failed || !value.text || is_of_sdk(key, key_len))
		return 0;
	return attributes_add(attributes, key, key_len, value.text, value.len);
}

/* Reads the fields 1 of a message by `read`, which may fail with its cursor. */
static int read_first_fields(struct cursor *c, struct attributes *attributes,
			     int (*read)(struct cursor *, struct attributes *))
{
	struct wire_field f;
	int rc = 0;

	while (!rc && context_next_field(c, &f)) {
		struct cursor inside = wire_inside(c, &f);

		if (f.number != 1 || f.type != WIRE_BYTES)
			continue;
		rc = read(&inside, attributes);
		if (inside.failed)
			cursor_fail(c, inside.failed);
	}
	return rc;
}

/* Resource: attributes 1. */
static int read_resource(struct cursor *c, struct attributes *attributes)
{
	return read_first_fields(c, attributes, context_read_pair);
}

/* ProcessContext: resource 1. Its other attributes are no resource attributes. */
int context_decode(const void *payload, size_t len, struct attributes *attributes)
{
	struct cursor c;
	int rc;

	cursor_init(&c, payload, len, "process context");
	rc = read_first_fields(&c, attributes, read_resource);
	return rc ? rc : c.failed ? ERR_FORMAT : 0;
}

/* The mapping. */

static int context_read_header(const struct context *c, const struct memory *m,
			       struct context_header *h)
{
	return m->read(m, c->at, h, sizeof(*h)) || memcmp(h->signature, "OTEL_CTX", 8) ?
		       ERR_NOTFOUND :
		       0;
}

/* ERR_BUSY: the process has written meanwhile. `fresh` is then to be released. */
static int read_payload(const struct context *c, const struct memory *m,
			const struct context_header *h, struct attributes *fresh)
{
	struct context_header again;
	uint8_t *payload;
	int rc, bad;

	if (h->version != VERSION || !h->payload_len || h->payload_len > PAYLOAD_MAX)
		return ERR_FORMAT;
	payload = malloc(h->payload_len);
	if (!payload)
		return ERR_NOMEM;
	bad = m->read(m, h->payload, payload, h->payload_len);
	rc = context_read_header(c, m, &again);
	if (!rc && again.published_ns != h->published_ns)
		rc = ERR_BUSY;
	if (!rc)
		rc = bad ? ERR_FORMAT : context_decode(payload, h->payload_len, fresh);
	free(payload);
	return rc;
}

/* One try. ERR_BUSY: the process is writing. */
static int context_read_once(struct context *c, const struct memory *m)
{
	struct attributes fresh = { 0 };
	struct context_header h;
	int rc = context_read_header(c, m, &h);

	if (rc)
		return rc;
	if (!h.published_ns)
		return ERR_BUSY;
	if (h.published_ns == c->published_ns)
		return 0;
	rc = read_payload(c, m, &h, &fresh);
	if (rc) {
		attributes_release(&fresh);
		return rc;
	}
	attributes_release(&c->attributes);
	c->attributes = fresh;
	c->published_ns = h.published_ns;
	return 0;
}

int context_read(struct context *c, const struct memory *m)
{
	int rc = ERR_BUSY;

	for (int i = 0; i < TRIES && rc == ERR_BUSY; i++)
		rc = context_read_once(c, m);
	if (rc == ERR_BUSY)
		return 0;
	if (rc && rc != ERR_NOMEM) {
		uint64_t at = c->at;

		context_release(c);
		c->at = rc == ERR_FORMAT ? at : 0;
	}
	return rc;
}
