/*
 * The process that sends batches, and what it says of it.
 *
 * It sends one after the other, request by request, until all are sent or one fails that may
 * do better later. What was sent is told at once, and is not sent again; whoever is told of a
 * failure cannot know whether the engine has it all the same. Internal to rounds/.
 */
#ifndef ROUNDS_PUSHSENDER_H
#define ROUNDS_PUSHSENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct errand;
struct pushbatch;
struct pushheaders;
struct pushtarget;

struct pushjob {
	const struct pushtarget *target;
	const struct pushheaders *headers;
	const char *ca_file; /* or NULL */
	unsigned rate;	     /* of samples; 0: unknown */
	struct pushbatch *const *batches;
	size_t count;
};

enum pushnote_what {
	PUSHNOTE_SENT,	  /* a request, and of its batch the next one comes */
	PUSHNOTE_REFUSED, /* a request, for good; the next one comes */
	PUSHNOTE_GONE,	  /* the batch was removed; the next batch comes */
	PUSHNOTE_DROPPED, /* the batch is refused for good; the next batch comes */
	PUSHNOTE_FAILED,  /* a request, which may be tried again; nothing comes any more */
	PUSHNOTE_DONE,	  /* there were no more; nothing comes any more */
};

struct pushnote {
	uint64_t batch; /* pushbatch.id */
	uint64_t retry_after_ns; /* of a failure: the engine wishes not to be asked before; or 0 */
	uint32_t what;	/* enum pushnote_what */
	char text[300]; /* why; printable, no secrets */
};

/* No other thread may run. ERR_IO. */
int pushsender_start(struct errand *e, const struct pushjob *job, struct error *err);

/* The next note that has come; does not wait. *end: there will be none any more. What does
 * not look like a note ends it. */
bool pushsender_note(struct errand *e, struct pushnote *n, bool *end);

#endif
