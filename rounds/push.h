/*
 * Batches on their way to an engine: Pyroscope's /ingest, the Datadog agent's profiling
 * intake (multipart with event.json), Parca's WriteRaw (gRPC-Web).
 *
 * A bounded queue that drops the oldest; one process at a time sends, so that nothing waits
 * for it (rounds/pushsender.h). What fails is tried again: after a second, then later and
 * later, up to five minutes, and not before the time that the engine has told (Retry-After).
 * What an engine refuses for good (400, 401, 413, …) is dropped and told. A request of which
 * no answer came may have arrived, and is sent again: at least once, not at most once.
 *
 * Credentials come from the environment (PYROSCOPE_AUTH_TOKEN, PYROSCOPE_USER and
 * PYROSCOPE_PASSWORD, DD_API_KEY, PARCA_BEARER_TOKEN) or a file, which is read anew for each attempt, and are in
 * no message.
 */
#ifndef ROUNDS_PUSH_H
#define ROUNDS_PUSH_H

#include <stddef.h>
#include <stdint.h>

struct batch_event;
struct error;
struct push;

struct push_options {
	/* "pyroscope=URL", "datadog=URL", "parca=URL"; http, https or unix:///PATH; without password */
	const char *target;
	const char *credentials_file; /* "Name: value" headers, or NULL */
	const char *ca_file;	      /* PEM, trusted instead of the system's authorities; or NULL */
	unsigned rate;		      /* of the CPU profile's samples, 0: unknown */
	size_t queue;		      /* batches at most, beside the one that is being sent; 0: 16 */
};

struct push_stats {
	uint64_t sent, failed, dropped; /* batches; attempts; batches */
	uint64_t refused;	/* requests, for good, of batches that were sent or dropped */
	size_t waiting;
	const char *last_error; /* "" or the last one, printable */
};

/* Texts are copied. ERR_USAGE (engine, URL, a credential that cannot be a header), ERR_IO
 * (file), ERR_NOTFOUND (no libcurl), ERR_NOMEM. */
int push_new(struct push **p, const struct push_options *options, struct error *err);
void push_free(struct push *p);

/* Queues a committed batch, which is read when its turn comes; one that was pruned until
 * then is passed over, as is one that has nothing for this engine. `event` is not kept, but
 * what the protocols want of it. ERR_NOMEM. */
int push_add(struct push *p, const char *path, const struct batch_event *event, struct error *err);

/* Starts and ends the processes that send; never waits. Forks: no other thread may run
 * when `may_start`. Returns in how many ms to call again at the latest, -1 when idle. */
int push_turn(struct push *p, int may_start);

/* Waits until the queue is empty, for so long at most. No other thread may run. */
void push_flush(struct push *p, uint64_t timeout_ns);

const struct push_stats *push_stats(const struct push *p);

/* What is new since it was asked last, a line each: that an engine cannot be reached, refuses,
 * takes batches again, that some were dropped; what only goes on is not told again. NULL when
 * that is all. Good until the next call of anything here. */
const char *push_news(struct push *p);

#endif
