/*
 * Remembers, from look to look, which goroutines were seen waiting, and since when.
 *
 * A waiting goroutine does not change. seen_look compares the values that change when a goroutine
 * runs: trackingSeq, which counts how often it has stopped running, but only modulo 256; its pc,
 * its wait reason and the depth of its stack; its system call; the time at which a GC noticed that
 * it waits. In addition, a goroutine that a whole GC cycle has not noticed has run, because a cycle
 * visits all waiting goroutines (runtime/mgcmark.go, markroot; but the first cycle notes a time of
 * 0).
 *
 * So two times are known of each wait: that of the look that saw it first, and that of the look
 * before, when it had not begun.
 *
 * Remaining error: a goroutine that has stopped running a multiple of 256 times since the last
 * look, and is at the same place again, looks as if it had waited all the time, unless a GC cycle
 * has begun and ended meanwhile.
 */
#ifndef RUNTIMES_GO_SESSION_SEEN_H
#define RUNTIMES_GO_SESSION_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct seen;

struct sighting {
	uint64_t goid;
	uint64_t pc, stack_used;
	int64_t wait_since; /* g.waitsince, ns */
	uint32_t reason;    /* a hash of status and wait reason */
	uint32_t syscall;   /* m.syscalltick; 0: not in a system call */
	uint32_t sequence;  /* g.trackingSeq */
};

/* Makes an empty memory. The caller frees it with seen_free. ERR_NOMEM. */
int seen_new(struct seen **s);
void seen_free(struct seen *s);

/* Begins a look at the time `now` (CLOCK_MONOTONIC, ns). If `known`, `gc_cycles` GC cycles had
 * begun before. */
void seen_begin(struct seen *s, int64_t now, bool known, uint32_t gc_cycles);

struct seen_wait {
	int64_t since; /* it has waited at least since then; INT64_MAX: not seen waiting before */
	int64_t after; /* the wait began after that; INT64_MIN: not known */
};

/* Takes a goroutine that waits now; *wait: since when. ERR_NOMEM. */
int seen_look(struct seen *s, const struct sighting *now, struct seen_wait *wait);

/* Ends the look at the time `now`, by which `gc_cycles` GC cycles had begun. Goroutines that were
 * not seen are forgotten. A look that failed is not ended; the next seen_begin discards it. */
void seen_end(struct seen *s, int64_t now, bool known, uint32_t gc_cycles);

/* seen_save appends the memory as bytes (ERR_NOMEM); seen_load replaces the memory by one from such
 * bytes (ERR_FORMAT, ERR_NOMEM; after an error it is empty). */
int seen_save(const struct seen *s, struct buffer *out);
int seen_load(struct seen *s, const void *data, size_t len, struct error *err);

/* Adds a second memory of the same program's goroutines, in the bytes of seen_save. The memory with
 * the later last look decides which goroutines there are; a wait that both memories have begins
 * when the first of them saw it. ERR_FORMAT, ERR_NOMEM: *s is unchanged. */
int seen_merge(struct seen *s, const void *data, size_t len, struct error *err);

#endif
