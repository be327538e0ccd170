/* Texts are copied into one arena, so a batch in the queue outlives its round. Files are opened
 * below the batch's folder when they are sent, and may be gone by then. */
#include "rounds/push/batch.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "rounds/batch/event.h"
#include "rounds/source/capture.h"

/* Copies a text into the arena; NULL becomes "". */
static const char *push_batch_keep(struct pushbatch *b, const char *text, bool *failed)
{
	const char *copy = arena_copy(&b->arena, text ? text : "", text ? strlen(text) : 0);

	*failed |= !copy;
	return copy;
}

static const struct batch_tag *keep_tags(struct pushbatch *b, const struct batch_tag *from,
					 size_t count, bool *failed)
{
	struct batch_tag *tags = arena_alloc(&b->arena, (count + 1) * sizeof(*tags));

	*failed |= !tags;
	for (size_t i = 0; tags && i < count; i++) {
		tags[i].key = push_batch_keep(b, from[i].key, failed);
		tags[i].value = push_batch_keep(b, from[i].value, failed);
	}
	return tags;
}

/* Keeps the entries that have a file. */
static void keep_entries(struct pushbatch *b, const struct batch_event *from, bool *failed)
{
	struct batch_entry *entries = arena_alloc(&b->arena,
						  (from->entry_count + 1) * sizeof(*entries));
	size_t count = 0;

	*failed |= !entries;
	for (size_t i = 0; entries && i < from->entry_count; i++) {
		if (!from->entries[i].file)
			continue;
		entries[count] = from->entries[i];
		entries[count].type = push_batch_keep(b, entries[count].type, failed);
		entries[count].file = push_batch_keep(b, entries[count].file, failed);
		entries[count].note = entries[count].note ?
					      push_batch_keep(b, entries[count].note, failed) :
					      NULL;
		entries[count++].why_not = NULL;
	}
	b->event.entries = entries;
	b->event.entry_count = count;
}

int pushbatch_new(struct pushbatch **out, const char *path, const struct batch_event *event,
		  struct error *err)
{
	struct pushbatch *b = calloc(1, sizeof(*b));
	bool failed = !b;

	*out = NULL;
	if (b) {
		b->event = *event;
		b->path = push_batch_keep(b, path, &failed);
		b->event.host = push_batch_keep(b, event->host, &failed);
		b->event.command = push_batch_keep(b, event->command, &failed);
		b->event.version = push_batch_keep(b, event->version, &failed);
		b->event.build_id = b->event.ended = b->event.sampling = NULL;
		b->event.tags = keep_tags(b, event->tags, event->tag_count, &failed);
		b->event.resource = keep_tags(b, event->resource, event->resource_count, &failed);
		keep_entries(b, event, &failed);
	}
	if (failed) {
		pushbatch_free(b);
		return error_nomem(err);
	}
	*out = b;
	return 0;
}

void pushbatch_free(struct pushbatch *b)
{
	if (b)
		arena_release(&b->arena);
	free(b);
}

static const struct batch_entry *push_batch_find(const struct pushbatch *b, const char *file)
{
	for (size_t i = 0; i < b->event.entry_count; i++)
		if (!strcmp(b->event.entries[i].file, file))
			return &b->event.entries[i];
	return NULL;
}

bool pushbatch_has(const struct pushbatch *b, const char *file)
{
	return push_batch_find(b, file);
}

bool pushbatch_may_send(const struct pushbatch *b, const char *file)
{
	const struct batch_entry *e = push_batch_find(b, file);

	return e && !(e->delta && e->note);
}

bool pushbatch_is_go(const struct pushbatch *b)
{
	for (size_t i = 0; i < b->event.entry_count; i++)
		for (int t = 0; t < CAPTURE_TYPES; t++)
			if (captures[t].by == CAPTURE_BY_GO &&
			    !strcmp(captures[t].name, b->event.entries[i].type))
				return true;
	return false;
}

static bool is_service(const char *key)
{
	return !strcmp(key, "service") || !strcmp(key, "service.name");
}

const char *pushbatch_service(const struct pushbatch *b)
{
	const char *service = b->event.command;

	for (size_t i = 0; i < b->event.resource_count; i++)
		if (!strcmp(b->event.resource[i].key, "service.name"))
			service = b->event.resource[i].value;
	for (size_t i = 0; i < b->event.tag_count; i++)
		if (is_service(b->event.tags[i].key) && *b->event.tags[i].value)
			service = b->event.tags[i].value;
	return *service ? service : "unknown";
}

const struct batch_tag *pushbatch_next_tag(const struct pushbatch *b, size_t *at)
{
	while (*at < b->event.tag_count) {
		size_t i = (*at)++;

		if (!is_service(b->event.tags[i].key) && !event_tag_replaced(&b->event, i))
			return &b->event.tags[i];
	}
	return NULL;
}

static bool is_label(const struct batch_tag *attribute)
{
	return !is_service(attribute->key) && strncmp(attribute->key, "process.", 8) != 0;
}

const struct batch_tag *pushbatch_next_label(const struct pushbatch *b, size_t *at)
{
	size_t before = 0;

	for (size_t i = 0; i < *at; i++)
		before += is_label(&b->event.resource[i]);
	while (before < PUSHBATCH_LABELS && *at < b->event.resource_count) {
		const struct batch_tag *attribute = &b->event.resource[(*at)++];

		if (is_label(attribute))
			return attribute;
	}
	return NULL;
}

static const char *push_batch_value_of(const struct batch_tag *tags, size_t count, const char *key)
{
	for (size_t i = count; i--;)
		if (!strcmp(tags[i].key, key))
			return tags[i].value;
	return NULL;
}

const char *pushbatch_container(const struct pushbatch *b)
{
	const char *id = push_batch_value_of(b->event.tags, b->event.tag_count, "container.id");

	if (!id)
		id = push_batch_value_of(b->event.resource, b->event.resource_count,
					 "container.id");
	for (const char *c = id; c && *c; c++)
		if (!isascii(*c) || (!isalnum(*c) && !strchr("-._", *c)))
			return NULL;
	return id && *id && strlen(id) < 128 ? id : NULL;
}

static int cannot_read(const char *file, struct error *err)
{
	int code = errno == ENOENT ? ERR_GONE : errno == ENOMEM ? ERR_NOMEM : ERR_IO;

	return error_errno(err, code, "cannot read its '%s'", file);
}

static int push_batch_read_fd(int fd, const char *file, struct buffer *out, struct error *err)
{
	size_t left = out->len < PUSHBATCH_BYTES ? PUSHBATCH_BYTES - out->len : 0,
	       before = out->len;
	struct stat st;
	int rc;

	if (fstat(fd, &st))
		return cannot_read(file, err);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERR_IO, "its '%s' is not a file", file);
	if (st.st_size > (off_t)left)
		return error_set(err, ERR_LIMIT, "with its '%s' it has more than %d MiB", file,
				 PUSHBATCH_BYTES >> 20);
	rc = buffer_read(out, fd, (size_t)st.st_size);
	if (rc)
		return rc == ERR_NOMEM ? error_nomem(err) : cannot_read(file, err);
	if (out->len - before < (size_t)st.st_size)
		return error_set(err, ERR_IO, "its '%s' became shorter", file);
	return 0;
}

int pushbatch_read(const struct pushbatch *b, const char *file, struct buffer *out,
		   struct error *err)
{
	int folder = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1, rc;

	if (folder >= 0)
		fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	rc = fd < 0 ? cannot_read(file, err) : push_batch_read_fd(fd, file, out, err);
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return rc;
}
