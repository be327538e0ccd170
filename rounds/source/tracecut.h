/*
 * Finds where a Go execution trace can be cut.
 *
 * Since Go 1.22 a trace is a header and batches of events, in generations of a second or so
 * (internal/trace/tracev2/doc.go; batch.go and generation.go read it). Strings, stacks and the
 * clock's frequency come with the last batches of a generation, and no event can be read without
 * them: a trace can be cut after a generation, not after a batch. An older trace has all of them
 * at its very end and cannot be cut.
 */
#ifndef ROUNDS_SOURCE_TRACECUT_H
#define ROUNDS_SOURCE_TRACECUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

enum {
	TRACECUT_FIRST = 22,	   /* Go 1.22, the first with this format */
	TRACECUT_HEADER = 16,	   /* bytes */
	TRACECUT_BATCH = 64 << 10, /* bytes at most (tracev2, MaxBatchSize) */
	TRACECUT_THREADS = 1024,   /* counted at most */
};

struct tracecut {
	unsigned version;    /* of the format, N of Go 1.N; 0 until the header is there */
	size_t at;	     /* offset of the first batch that is not complete */
	size_t whole;	     /* length up to the end of the last whole generation; 0: none */
	uint64_t generation; /* the current one, 0 between two */
	uint64_t threads[TRACECUT_THREADS]; /* with a batch in it, sorted by number */
	size_t thread_count;
};

/* Continues to parse; `t` is {0} at first. `data` is the trace from its beginning, of which `len`
 * bytes have come, no fewer than at the last call. ERR_FORMAT: it is no trace, or broken. */
int tracecut_look(struct tracecut *t, const void *data, size_t len, struct error *err);

/* How many bytes may follow if the trace is ended now: the runtime has a batch in memory for each
 * thread (runtime/trace.go, traceBuf), and tables. An estimate; 0 when the format is too old or
 * too new to be parsed. */
size_t tracecut_tail(const struct tracecut *t);

/* Are these `len` bytes one whole trace, if no more follow? */
bool tracecut_complete(const struct tracecut *t, size_t len);

#endif
