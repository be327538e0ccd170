/*
 * Sends batches to an engine: Pyroscope's /ingest, the Datadog agent's profiling intake
 * (multipart with event.json), Parca's WriteRaw (gRPC-Web), any that takes OpenTelemetry's
 * profiles (OTLP over HTTP or gRPC).
 *
 * The queue is bounded, and drops the oldest batch. One process at a time sends, so that the rounds
 * never wait (rounds/push/sender.h). A failed request is retried: after a second, then
 * later and later, up to five minutes, and not before the time that the engine gave (Retry-After,
 * an hour at most). What an engine refuses for good (400, 401, 413, …) is dropped and reported. A
 * request without an answer may have arrived, and is sent again: an engine may get it twice.
 *
 * Credentials come from the environment (PYROSCOPE_AUTH_TOKEN, PYROSCOPE_USER and
 * PYROSCOPE_PASSWORD, DD_API_KEY, PARCA_BEARER_TOKEN, OTEL_EXPORTER_OTLP_HEADERS) or from a file,
 * which is read again for each attempt. No message contains them.
 */
#ifndef ROUNDS_PUSH_PUSH_H
#define ROUNDS_PUSH_PUSH_H

#include <stddef.h>
#include <stdint.h>

struct batch_event;
struct error;
struct push;

struct push_options {
	/* "pyroscope=URL", "datadog=URL", "parca=URL", "otlp=URL"; http, https or unix:///PATH, for
	 * otlp grpc and grpcs, too; without password */
	const char *target;
	const char *credentials_file; /* "Name: value" headers, or NULL */
	const char *ca_file; /* PEM, trusted instead of the system's authorities; or NULL */
	unsigned rate;	     /* samples per second of the CPU profile; 0: unknown */
	size_t queue;	     /* batches at most, beside the one being sent; 0: 16 */
};

struct push_stats {
	uint64_t sent, failed, dropped; /* batches; attempts; batches */
	uint64_t refused;		/* requests or whole batches, for good */
	size_t waiting;			/* batches */
	const char *last_error;		/* printable; "" for none */
};

/* `target` is copied, other texts are borrowed; the caller frees *p with push_free. ERR_USAGE
 * (engine, URL, a credential that cannot be a header), ERR_LIMIT (too many headers, file too
 * large), ERR_IO (file), ERR_NOTFOUND (no libcurl, or for gRPC none with HTTP/2), ERR_NOMEM. */
int push_new(struct push **p, const struct push_options *options, struct error *err);
void push_free(struct push *p);

/* Queues a committed batch. Its files are read when they are sent; if it was pruned by then, or
 * has nothing for this engine, it is skipped. What the protocols need of `event` is copied.
 * ERR_NOMEM. */
int push_add(struct push *p, const char *path, const struct batch_event *event, struct error *err);

/* Starts and ends the processes that send; never waits. With `may_start` it may fork, so no
 * other thread may run. Returns the time in ms until the next call at the latest, -1 when idle. */
int push_turn(struct push *p, int may_start);

/* Sends until the queue is empty, for `timeout_ns` at most. Forks: no other thread may run. */
void push_flush(struct push *p, uint64_t timeout_ns);

/* Borrowed until push_free. */
const struct push_stats *push_stats(const struct push *p);

/* The next line of news: an engine cannot be reached, refuses, takes batches again, or batches
 * were dropped. A state that continues is not repeated. NULL: no more. Borrowed until the next
 * call of any function here. */
const char *push_news(struct push *p);

#endif
