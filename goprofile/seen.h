/*
 * Who was seen waiting since when: what is remembered of goroutines from look to look.
 *
 * A goroutine that waits does not change. What it would change by running is compared: trackingSeq,
 * which counts how often it has ceased to run, modulo 256 only; where it stands, for what it waits,
 * how deep its stack is; which system call it is in; when a GC noticed that it waits. And where the
 * GC has gone through a whole cycle since, and has not noticed, it has run, since a cycle looks at
 * everybody who waits (runtime/mgcmark.go, markroot; but the first one notes a time of 0).
 *
 * So of each wait two times are known: the look that saw it first, and the look before, when it had
 * not begun.
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

/* A look begins, at a time (CLOCK_MONOTONIC); when `known`, so many GC cycles had begun before. */
void seen_begin(struct seen *s, int64_t now, bool known, uint32_t gc_cycles);

struct seen_wait {
	int64_t since; /* it waits at least since; INT64_MAX: it was not seen waiting before */
	int64_t after; /* it does not wait since longer; INT64_MIN: not known */
};

/* A goroutine that waits at present. ERR_NOMEM. */
int seen_look(struct seen *s, const struct sighting *now, struct seen_wait *wait);

/* The look has ended at a time, by which so many GC cycles had begun. Who was not seen is
 * forgotten. A look that failed is not ended: seen_begin gives it up. */
void seen_end(struct seen *s, int64_t now, bool known, uint32_t gc_cycles);

/* As bytes, appended; ERR_NOMEM. And back, in place of what was remembered; ERR_FORMAT, ERR_NOMEM. */
int seen_save(const struct seen *s, struct buffer *out);
int seen_load(struct seen *s, const void *data, size_t len, struct error *err);

#endif
