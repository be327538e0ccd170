/*
 * Who was seen waiting since when: what is remembered of goroutines from look to look.
 *
 * A goroutine that waits does not change. What it would change by running is compared: trackingSeq,
 * which counts how often it has ceased to run, modulo 256 only; where it stands, for what it waits,
 * how deep its stack is; which system call it is in; when a GC noticed that it waits. And where the
 * GC has gone through a whole cycle since, and has not noticed, it has run, since a cycle looks at
 * everybody who waits (runtime/mgcmark.go, markroot).
 *
 * What is left: a goroutine that has ceased to run a multiple of 256 times since the last look,
 * stands at the same place again, and no GC has begun and ended meanwhile. It looks as if it had
 * waited all the time.
 */
#ifndef GOPROFILE_SEEN_H
#define GOPROFILE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct seen;

struct sighting {
	uint64_t goid;
	uint64_t pc, stack_used;
	int64_t wait_since; /* g.waitsince */
	uint32_t reason;    /* a hash of status and wait reason */
	uint32_t syscall;   /* m.syscalltick; 0: it is in none */
	uint32_t sequence;  /* g.trackingSeq */
};

/* ERR_NOMEM. */
int seen_new(struct seen **s);
void seen_free(struct seen *s);

/* A look begins: when `known`, so many GC cycles had begun before it. */
void seen_begin(struct seen *s, bool known, uint32_t gc_cycles);

/* A goroutine that waits at present: through *since when it was first seen so, as at seen_end; -1
 * for one that was not. ERR_NOMEM. */
int seen_look(struct seen *s, const struct sighting *now, int64_t *since);

/* The look has ended at a time (runtime.nanotime), after which so many GC cycles had begun. Who was
 * not seen is forgotten. A look that failed is not ended: seen_begin gives it up. */
void seen_end(struct seen *s, int64_t now, bool known, uint32_t gc_cycles);

/* As bytes, appended; ERR_NOMEM. And back, in place of what was remembered; ERR_FORMAT, ERR_NOMEM. */
int seen_save(const struct seen *s, struct buffer *out);
int seen_load(struct seen *s, const void *data, size_t len, struct error *err);

#endif
