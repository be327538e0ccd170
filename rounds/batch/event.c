/* The members are written in a fixed order, and the head is compared as bytes when a batch's owner
 * is asked for. */
#include "rounds/batch/event.h"

#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "rounds/batch/batch.h"

/* `before` is the text in front of the value: comma, name, colon. */
static void batch_event_add_text(struct json *j, const char *before, const char *value)
{
	json_add(j, before);
	json_add_text(j, value);
}

static void batch_event_add_time(struct json *j, const char *before, int64_t ns)
{
	json_add(j, before);
	json_add_time(j, ns, 3);
}

static void batch_event_add_head(struct json *j, const char *series)
{
	batch_event_add_text(j, "{\n  \"series\": ", series);
	json_add(j, ",\n  \"key\": \"");
}

static void add_members(struct json *j, const struct batch_event *e)
{
	json_addf(j, "\",\n  \"sequence\": %lu", e->sequence);
	batch_event_add_time(j, ",\n  \"start\": ", e->start_ns);
	batch_event_add_time(j, ",\n  \"end\": ", e->end_ns);
	json_addf(j, ",\n  \"duration_ns\": %lu", e->duration_ns);
	batch_event_add_text(j, ",\n  \"ended\": ", e->ended);
	batch_event_add_text(j, ",\n  \"host\": ", e->host);
	json_addf(j, ",\n  \"pid\": %d", e->pid);
	json_addf(j, ",\n  \"process_start_ns\": %lu", e->process_start_ns);
	batch_event_add_text(j, ",\n  \"command\": ", e->command);
	batch_event_add_text(j, ",\n  \"build_id\": ", e->build_id);
	batch_event_add_text(j, ",\n  \"version\": ", e->version);
}

bool event_tag_replaced(const struct batch_event *e, size_t tag)
{
	for (size_t i = tag + 1; i < e->tag_count; i++)
		if (!strcmp(e->tags[i].key, e->tags[tag].key))
			return true;
	return false;
}

static void batch_event_add_tags(struct json *j, const struct batch_event *e)
{
	const char *before = "";

	json_add(j, ",\n  \"tags\": {");
	for (size_t i = 0; i < e->tag_count; i++) {
		if (event_tag_replaced(e, i))
			continue;
		batch_event_add_text(j, before, e->tags[i].key);
		batch_event_add_text(j, ": ", e->tags[i].value);
		before = ", ";
	}
	json_add(j, "}");
}

static void batch_event_add_file(struct json *j, const struct batch_entry *e)
{
	batch_event_add_text(j, ", \"file\": ", e->file);
	json_addf(j, ", \"bytes\": %lu, \"delta\": %s", e->bytes, e->delta ? "true" : "false");
	if (e->note)
		batch_event_add_text(j, ", \"note\": ", e->note);
}

static void add_resource(struct json *j, const struct batch_event *e)
{
	json_add(j, ",\n  \"resource\": {");
	for (size_t i = 0; i < e->resource_count; i++) {
		batch_event_add_text(j, i ? ",\n    " : "\n    ", e->resource[i].key);
		batch_event_add_text(j, ": ", e->resource[i].value);
	}
	json_add(j, "}");
}

/* The entries without a file if `skipped`, else those with one. */
static void add_entries(struct json *j, const struct batch_event *e, bool skipped)
{
	const char *before = "\n    ";

	json_addf(j, ",\n  \"%s\": [", skipped ? "skipped" : "profiles");
	for (size_t i = 0; i < e->entry_count; i++) {
		const struct batch_entry *entry = &e->entries[i];

		if (skipped != !entry->file)
			continue;
		json_add(j, before);
		batch_event_add_text(j, "{\"type\": ", entry->type);
		if (skipped)
			batch_event_add_text(j, ", \"why\": ", entry->why_not);
		else
			batch_event_add_file(j, entry);
		json_add(j, "}");
		before = ",\n    ";
	}
	json_add(j, "]");
}

int event_write(struct buffer *b, const struct batch_event *e, const char *series,
		const char *key_text)
{
	struct json j = { b, 0 };

	batch_event_add_head(&j, series);
	json_add(&j, key_text);
	add_members(&j, e);
	batch_event_add_tags(&j, e);
	add_resource(&j, e);
	add_entries(&j, e, false);
	add_entries(&j, e, true);
	if (e->sampling)
		json_addf(&j, ",\n  \"sampler\": %s", e->sampling);
	json_add(&j, "\n}\n");
	return j.rc;
}

bool event_is_of(const void *head, size_t len, const char *series, char key_text[BATCH_KEY_ROOM])
{
	struct buffer want = { 0 };
	struct json j = { &want, 0 };
	const char *key, *end = NULL;
	bool of = false;

	batch_event_add_head(&j, series);
	if (!j.rc && len > want.len && !memcmp(head, want.data, want.len)) {
		key = (const char *)head + want.len;
		end = memchr(key, '"', len - want.len);
		of = end && end - key < BATCH_KEY_ROOM;
	}
	if (of) {
		memcpy(key_text, key, (size_t)(end - key));
		key_text[end - key] = '\0';
	}
	buffer_release(&want);
	return of;
}
