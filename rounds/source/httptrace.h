/*
 * An execution trace from a net/http/pprof endpoint, ended in good order before it gets too long.
 */
#ifndef ROUNDS_SOURCE_HTTPTRACE_H
#define ROUNDS_SOURCE_HTTPTRACE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct httpask;
struct source_remark;

struct httptrace {
	volatile sig_atomic_t socket; /* -1: nothing is being received */
	volatile sig_atomic_t finish; /* httptrace_finish was called */
};

struct httptrace_what {
	uint64_t duration_ns, timeout_ns; /* the time-out is added to the duration */
	size_t limit;			  /* bytes */
};

void httptrace_init(struct httptrace *t);

/* As source_trace. */
int httptrace_take(struct httptrace *t, const struct httpask *a, const struct httptrace_what *what,
		   struct buffer *out, struct source_remark *remark, struct error *err);

/* As source_finish; has an effect once the first bytes have come. */
void httptrace_finish(struct httptrace *t);

#endif
