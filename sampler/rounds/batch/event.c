#include "sampler/rounds/batch/event.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "sampler/rounds/batch/batch.h"

static const int64_t NS_PER_S = 1000000000;

static int add(struct buffer *b, const char *text)
{
	return buffer_add(b, text, strlen(text));
}

/* `before` is the text in front of the value: comma, name, colon. */
static int add_text(struct buffer *b, const char *before, const char *value)
{
	int rc = add(b, before);

	return rc ? rc : json_add_text(b, value);
}

/* RFC 3339, in UTC, with milliseconds. */
static int add_time(struct buffer *b, const char *before, int64_t ns)
{
	int64_t rest = ns % NS_PER_S;
	time_t seconds = ns / NS_PER_S;
	char text[32];
	struct tm tm;

	if (rest < 0) {
		rest += NS_PER_S;
		seconds--;
	}
	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	return buffer_addf(b, "%s\"%s.%03ldZ\"", before, text, rest / 1000000);
}

static int add_head(struct buffer *b, const char *series)
{
	int rc = add_text(b, "{\n  \"series\": ", series);

	return rc ? rc : add(b, ",\n  \"key\": \"");
}

static int add_members(struct buffer *b, const struct batch_event *e)
{
	int rc = buffer_addf(b, "\",\n  \"sequence\": %lu", e->sequence);

	if (!rc)
		rc = add_time(b, ",\n  \"start\": ", e->start_ns);
	if (!rc)
		rc = add_time(b, ",\n  \"end\": ", e->end_ns);
	if (!rc)
		rc = buffer_addf(b, ",\n  \"duration_ns\": %lu", e->duration_ns);
	if (!rc)
		rc = add_text(b, ",\n  \"ended\": ", e->ended);
	if (!rc)
		rc = add_text(b, ",\n  \"host\": ", e->host);
	if (!rc)
		rc = buffer_addf(b, ",\n  \"pid\": %d", e->pid);
	if (!rc)
		rc = add_text(b, ",\n  \"command\": ", e->command);
	if (!rc)
		rc = add_text(b, ",\n  \"build_id\": ", e->build_id);
	return rc ? rc : add_text(b, ",\n  \"version\": ", e->version);
}

/* Is there a later tag with the same key? The last one counts, as for JSON parsers. */
static bool comes_again(const struct batch_event *e, size_t tag)
{
	for (size_t i = tag + 1; i < e->tag_count; i++)
		if (!strcmp(e->tags[i].key, e->tags[tag].key))
			return true;
	return false;
}

static int add_tags(struct buffer *b, const struct batch_event *e)
{
	const char *comma = "";
	int rc = add(b, ",\n  \"tags\": {");

	for (size_t i = 0; i < e->tag_count && !rc; i++) {
		if (comes_again(e, i))
			continue;
		rc = add(b, comma);
		if (!rc)
			rc = add_text(b, "", e->tags[i].key);
		if (!rc)
			rc = add_text(b, ": ", e->tags[i].value);
		comma = ", ";
	}
	return rc ? rc : add(b, "}");
}

static int add_profile(struct buffer *b, const struct batch_entry *e)
{
	int rc = add_text(b, "{\"type\": ", e->type);

	if (!rc)
		rc = add_text(b, ", \"file\": ", e->file);
	if (!rc)
		rc = buffer_addf(b, ", \"bytes\": %lu, \"delta\": %s", e->bytes,
				 e->delta ? "true" : "false");
	if (!rc && e->note)
		rc = add_text(b, ", \"note\": ", e->note);
	return rc ? rc : add(b, "}");
}

static int add_skipped(struct buffer *b, const struct batch_entry *e)
{
	int rc = add_text(b, "{\"type\": ", e->type);

	if (!rc)
		rc = add_text(b, ", \"why\": ", e->why_not);
	return rc ? rc : add(b, "}");
}

/* The entries without a file if `skipped`, else those with one. */
static int add_entries(struct buffer *b, const struct batch_event *e, bool skipped)
{
	const char *before = "\n    ";
	int rc = buffer_addf(b, ",\n  \"%s\": [", skipped ? "skipped" : "profiles");

	for (size_t i = 0; i < e->entry_count && !rc; i++) {
		const struct batch_entry *entry = &e->entries[i];

		if (skipped != !entry->file)
			continue;
		rc = add(b, before);
		if (!rc)
			rc = skipped ? add_skipped(b, entry) : add_profile(b, entry);
		before = ",\n    ";
	}
	return rc ? rc : add(b, "]");
}

int event_write(struct buffer *b, const struct batch_event *e, const char *series,
		const char *key_text)
{
	int rc = add_head(b, series);

	if (!rc)
		rc = add(b, key_text);
	if (!rc)
		rc = add_members(b, e);
	if (!rc)
		rc = add_tags(b, e);
	if (!rc)
		rc = add_entries(b, e, false);
	if (!rc)
		rc = add_entries(b, e, true);
	if (!rc && e->sampling)
		rc = buffer_addf(b, ",\n  \"sampler\": %s", e->sampling);
	return rc ? rc : add(b, "\n}\n");
}

bool event_is_of(const void *head, size_t len, const char *series, char key_text[BATCH_KEY_ROOM])
{
	struct buffer want = { 0 };
	const char *key, *end = NULL;
	bool of = false;

	if (!add_head(&want, series) && len > want.len && !memcmp(head, want.data, want.len)) {
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
