/*
 * event.json: describes a batch to its readers, and tells the pruning which sampler made it.
 *
 * The file is one object. Its first two members are always "series" and "key", so that its first
 * bytes tell the batch's owner without a JSON parser. If another program rewrites the file in
 * another form, the batch belongs to no sampler, and is never pruned.
 */
#ifndef ROUNDS_BATCH_EVENT_H
#define ROUNDS_BATCH_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rounds/batch/name.h"

struct batch_event;
struct buffer;

enum { EVENT_HEAD_BYTES = 8192 }; /* from a file's start, for event_is_of */

#define EVENT_FILE "event.json"

/* Appends the file's text to `b`. `key_text` is written unescaped. ERR_NOMEM. */
int event_write(struct buffer *b, const struct batch_event *e, const char *series,
		const char *key_text);

/* Is there a later tag with the same key? The last one counts, as for JSON parsers. */
bool event_tag_replaced(const struct batch_event *e, size_t tag);

/* True: `head`, the first bytes of a file, says that the batch is of `series`. Sets `key_text`. */
bool event_is_of(const void *head, size_t len, const char *series, char key_text[BATCH_KEY_ROOM]);

#endif
