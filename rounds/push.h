/*
 * Batches on their way to an engine: Pyroscope's /ingest, the Datadog agent's profiling
 * intake (multipart with event.json).
 *
 * A bounded queue that drops the oldest; one process at a time sends, so that nothing waits
 * for it; what fails is tried again, later and later. Credentials come from the environment
 * (PYROSCOPE_AUTH_TOKEN, PYROSCOPE_USER and PYROSCOPE_PASSWORD, DD_API_KEY) or a file, and are
 * in no message.
 */
#ifndef ROUNDS_PUSH_H
#define ROUNDS_PUSH_H

#include <stddef.h>
#include <stdint.h>

struct batch_event;
struct error;
struct push;

struct push_options {
	const char *target;	      /* "pyroscope=http://…", "datadog=http://…" */
	const char *credentials_file; /* "Name: value" headers, or NULL */
	size_t queue;		      /* batches at most, 0: 16 */
};

struct push_stats {
	uint64_t sent, failed, dropped; /* batches; attempts; batches */
	size_t waiting;
	const char *last_error; /* "" or the last one, printable */
};

/* ERR_USAGE (engine, URL), ERR_IO (file), ERR_NOMEM. */
int push_new(struct push **p, const struct push_options *options, struct error *err);
void push_free(struct push *p);

/* Queues a committed batch, which is read when its turn comes; one that was pruned until
 * then is passed over. `event` is not kept, but what the protocols want of it. ERR_NOMEM. */
int push_add(struct push *p, const char *path, const struct batch_event *event, struct error *err);

/* Starts and ends the processes that send; never waits. Forks: no other thread may run
 * when `may_start`. Returns in how many ms to call again at the latest, -1 when idle. */
int push_turn(struct push *p, int may_start);

/* Waits until the queue is empty, for so long at most. */
void push_flush(struct push *p, uint64_t timeout_ns);

const struct push_stats *push_stats(const struct push *p);

#endif
