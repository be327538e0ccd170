/* A batch in the queue: its event, and access to its files. Internal to rounds/. */
#ifndef ROUNDS_PUSH_BATCH_H
#define ROUNDS_PUSH_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "rounds/batch/batch.h"

struct buffer;
struct error;

enum {
	PUSHBATCH_BYTES = 64 << 20, /* of one request, at most */
	PUSHBATCH_LABELS = 16,	    /* from the process, at most: Pyroscope accepts 30 in all */
};

struct pushbatch {
	uint64_t id;		  /* unique */
	const char *path;	  /* the folder */
	struct batch_event event; /* without what the protocols do not need */
	size_t requests, done;	  /* how many it takes; accepted or refused so far */
	size_t taken;		  /* how many of `done` were accepted */
	struct arena arena;	  /* owns all texts */
};

/* Copies `path` and `event`. The caller frees *b with pushbatch_free. ERR_NOMEM. */
int pushbatch_new(struct pushbatch **b, const char *path, const struct batch_event *event,
		  struct error *err);
void pushbatch_free(struct pushbatch *b);

bool pushbatch_has(const struct pushbatch *b, const char *file);

/* Is the file in the batch, and not a delta that was written whole? (The values of that count since
 * the target's start.) */
bool pushbatch_may_send(const struct pushbatch *b, const char *file);

/* Is there a profile of Go's runtime? */
bool pushbatch_is_go(const struct pushbatch *b);

/* The target's name: the tag "service" or "service.name", else the attribute service.name, else its
 * command, else "unknown". Borrowed. */
const char *pushbatch_service(const struct pushbatch *b);

/* Iterates over the tags in their order, without the service's name; of tags with the same key only
 * the last is returned. NULL at the end. *at is 0 at first. */
const struct batch_tag *pushbatch_next_tag(const struct pushbatch *b, size_t *at);

/* Iterates over the attributes that become labels: the first PUSHBATCH_LABELS of those that say
 * whose process it is, without the service's name, and without process.*, which details what host,
 * pid and command say already. NULL at the end. *at is 0 at first. */
const struct batch_tag *pushbatch_next_label(const struct pushbatch *b, size_t *at);

/* The container's ID, if it is a word; else NULL. Borrowed. */
const char *pushbatch_container(const struct pushbatch *b);

/* Appends a file's content. ERR_GONE: the batch was removed; ERR_IO; ERR_LIMIT: `out` would grow
 * beyond PUSHBATCH_BYTES; ERR_NOMEM. */
int pushbatch_read(const struct pushbatch *b, const char *file, struct buffer *out,
		   struct error *err);

#endif
