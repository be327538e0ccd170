/*
 * What passes from one process that reads a program's memory to that of the next round, as bytes:
 * the speed of the runtime's clock, if it had to be measured, and since when each goroutine has
 * been seen waiting. A handover is of one program, and is useless for another.
 *
 * Internal to rounds/source/.
 */
#ifndef ROUNDS_SOURCE_HANDOVER_H
#define ROUNDS_SOURCE_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "rounds/metrics/subject.h"

struct error;
struct waits;

/* {0} is empty. */
struct handover {
	struct subject_program of;
	double frequency;    /* goprofile_frequency; 0: not measured */
	struct buffer waits; /* of waits_save; or empty */
	bool anew;	     /* `waits` were kept by this process */
};

void handover_release(struct handover *h);

/* The frequency, if it is that of `program`; else 0. */
double handover_frequency(const struct handover *h, const struct subject_program *program);

/* Makes the waits that the handover has of `program`; without any, empty ones. The caller frees *w
 * with waits_free, after an error too. ERR_NOMEM. */
int handover_waits(const struct handover *h, const struct subject_program *program,
		   struct waits **w, struct error *err);

/* Keeps the waits of `program`. Best effort: a failure only resets wait times. */
void handover_keep(struct handover *h, const struct subject_program *program,
		   const struct waits *w);

/* Appends the handover of `program` as bytes, with `frequency`, if any of it is new. ERR_NOMEM. */
int handover_save(const struct handover *h, const struct subject_program *program, double frequency,
		  struct buffer *out);

/* Takes over bytes of handover_save, which are not trusted. A frequency that is known stays. What
 * cannot be kept leaves it without waits. */
void handover_load(struct handover *h, const void *data, size_t len);

#endif
