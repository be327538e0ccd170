/*
 * How long goroutines have waited, to the nanosecond: the wait profile of
 * goparse/profile/waitprofile.h, made from the process's memory.
 *
 * When a GC marks the roots, it notes which goroutines wait: g.waitsince is 0 until then. The time
 * noted is work.tstart, which is not the time of that marking, but the end of the previous GC's
 * marking (runtime/mgcmark.go, markroot; mgc.go, gcMark sets it when all is marked). The wait began
 * between the two. So the wait may be shorter than Go says, by up to the time between two
 * collections. A program's first collection notes a time of 0.
 *
 * So goroutines are also remembered from look to look (runtimes/go/session/seen.h says how they are
 * recognized). The label "wait_from" is the source of a wait. "gc": Go's time, if no look of ours
 * contradicts it; the goroutine has waited at most so long, give or take the duration of a GC's
 * marking. "seen": the time since we saw the wait first; the goroutine has waited at least so long.
 */
#ifndef RUNTIMES_GO_PROFILE_WAITS_H
#define RUNTIMES_GO_PROFILE_WAITS_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct goprofile;
struct profile;
struct waits;

/* Makes an empty memory of waiting goroutines. The caller frees it with waits_free. ERR_NOMEM. */
int waits_new(struct waits **w);
void waits_free(struct waits *w);

/* waits_save appends the memory as bytes for another process (ERR_NOMEM); waits_load replaces the
 * memory by one from such bytes (ERR_FORMAT, ERR_NOMEM). */
struct buffer;
int waits_save(const struct waits *w, struct buffer *out);
int waits_load(struct waits *w, const void *data, size_t len, struct error *err);

/* Adds a memory that another process has saved of the same program (seen_merge). ERR_FORMAT,
 * ERR_NOMEM. */
int waits_merge(struct waits *w, const void *data, size_t len, struct error *err);

/* Makes a profile with a sample for each goroutine. *p belongs to the waits and is valid until the
 * next call or waits_free. Goroutines that have ended are forgotten. ERR_LIMIT: more than the
 * goprofile's max_goroutines; otherwise as gogoroutines_read. */
int waits_make(struct waits *w, struct goprofile *g, struct profile **p, struct error *err);

#endif
