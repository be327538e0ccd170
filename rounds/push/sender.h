/*
 * The process that sends batches, and its notes on them.
 *
 * It sends request by request, batch by batch, until all are sent or one request fails that may
 * succeed later. It reports each accepted request at once, so that none is sent again. A failed
 * request may have reached the engine all the same. Internal to rounds/.
 */
#ifndef ROUNDS_PUSH_SENDER_H
#define ROUNDS_PUSH_SENDER_H

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
	PUSHNOTE_SENT,	  /* a request was accepted; the next one follows */
	PUSHNOTE_REFUSED, /* a request was refused for good; the next one follows */
	PUSHNOTE_GONE,	  /* the batch was removed; the next batch follows */
	PUSHNOTE_DROPPED, /* the batch was refused for good; the next batch follows */
	PUSHNOTE_FAILED,  /* a request failed and may be retried; the last note */
	PUSHNOTE_DONE,	  /* there are no more batches; the last note */
};

struct pushnote {
	uint64_t batch;		 /* pushbatch.id */
	uint64_t retry_after_ns; /* the engine's Retry-After, counted from the answer on; or 0 */
	uint32_t what;		 /* enum pushnote_what */
	char text[300];		 /* why; printable, no secrets */
};

/* Forks: no other thread may run. `job` is copied with the process. The caller ends it with
 * errand_end. ERR_IO. */
int pushsender_start(struct errand *e, const struct pushjob *job, struct error *err);

/* The next note, if there is one; does not wait. False and *end: no more notes follow. Bytes that
 * are no note also set *end. */
bool pushsender_note(struct errand *e, struct pushnote *n, bool *end);

#endif
