/*
 * Where a Go execution trace can be cut.
 *
 * Since Go 1.22 a trace is a header and batches of events, in generations of a second or so
 * (internal/trace/tracev2/doc.go; batch.go and generation.go read it). Strings, stacks and the
 * clock's frequency come with a generation's last batches, so that one without its end cannot
 * be read at all: a trace is whole behind a generation, not behind a batch. An older trace has
 * all that at its very end and cannot be cut.
 */
#ifndef ROUNDS_TRACECUT_H
#define ROUNDS_TRACECUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

enum {
	TRACECUT_FIRST = 22, /* the version of Go whose traces are first of this kind */
	TRACECUT_HEADER = 16,	   /* bytes */
	TRACECUT_BATCH = 64 << 10, /* at most (tracev2, MaxBatchSize) */
	TRACECUT_THREADS = 1024,
};

struct tracecut {
	unsigned version;  /* of the format, Go 1.N; 0 until the header is there */
	size_t at;	   /* of the first batch that is not there as a whole */
	size_t whole;	   /* length up to the end of a generation; 0: not one is whole */
	uint64_t generation; /* the present one, 0 between two */
	uint64_t threads[TRACECUT_THREADS]; /* that have written in it, in order */
	size_t thread_count;
};

/* Looks on, after {0}: `data` is the trace from its beginning, of which `len` bytes have come,
 * no fewer than before. ERR_FORMAT: it is no trace, or broken. */
int tracecut_look(struct tracecut *t, const void *data, size_t len, struct error *err);

/* How much may come when it is ended now: the runtime has a batch for each thread under way
 * (runtime/trace.go, traceBuf), and tables. An estimate; 0 when the format is old or too new
 * to know. */
size_t tracecut_tail(const struct tracecut *t);

/* Is all that was looked at one whole trace, if nothing more comes? */
bool tracecut_complete(const struct tracecut *t, size_t len);

#endif
