/* A batch that waits to be sent: what is known of it, and the way to its files. Internal to
 * rounds/. */
#ifndef ROUNDS_PUSHBATCH_H
#define ROUNDS_PUSHBATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "rounds/batch.h"

struct buffer;
struct error;

enum { PUSHBATCH_BYTES = 64 << 20 }; /* to be sent at once */

struct pushbatch {
	uint64_t id;		  /* none has it twice */
	const char *path;	  /* the folder */
	struct batch_event event; /* what does not concern the sending is left out */
	size_t requests, done;	  /* how many it takes; how many were sent or refused */
	size_t taken;		  /* of these how many were sent */
	struct arena arena;	  /* all texts */
};

/* Copies both. ERR_NOMEM. */
int pushbatch_new(struct pushbatch **b, const char *path, const struct batch_event *event,
		  struct error *err);
void pushbatch_free(struct pushbatch *b);

bool pushbatch_has(const struct pushbatch *b, const char *file);

/* Has it a file that may be sent as what happened in its round? Not so a difference that was
 * written whole: those are values since the target's start. */
bool pushbatch_may_send(const struct pushbatch *b, const char *file);

/* Is there a profile of Go's runtime? */
bool pushbatch_is_go(const struct pushbatch *b);

/* What the target is called: the tag "service", or else its command. Never empty. */
const char *pushbatch_service(const struct pushbatch *b);

/* Tags in their order, without "service", of those with the same key the last one only.
 * NULL behind the last. *at is 0 at first. */
const struct batch_tag *pushbatch_next_tag(const struct pushbatch *b, size_t *at);

/* Appends a file's content. ERR_GONE: the batch was removed; ERR_IO, ERR_LIMIT (`out` would
 * grow beyond the bound), ERR_NOMEM. */
int pushbatch_read(const struct pushbatch *b, const char *file, struct buffer *out,
		   struct error *err);

#endif
