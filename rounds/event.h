/*
 * event.json: what a batch is, for those who read it, and whose it is, for whoever prunes.
 *
 * One object, its first two members always "series" and "key", so that a batch can be told
 * from another's by its first bytes, without a JSON parser. A file that something else has
 * rewritten belongs to nobody then, and is never pruned.
 */
#ifndef ROUNDS_EVENT_H
#define ROUNDS_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rounds/batchname.h"

struct batch_event;
struct buffer;

enum { EVENT_HEAD_BYTES = 8192 }; /* of a file, that event_is_of wants to see */

#define EVENT_FILE "event.json"

/* Appends the file's text. ERR_NOMEM. */
int event_write(struct buffer *b, const struct batch_event *e, const char *series,
		const char *key_text);

/* Do these first bytes of a file say that the batch is of that series? Then whose. */
bool event_is_of(const void *head, size_t len, const char *series,
		 char key_text[BATCH_KEY_ROOM]);

#endif
