/* Stacks of samples as texts: `main;work;lock`, each kept once, for reports of waits. */
#ifndef PPROF_REPORT_STACKTEXT_H
#define PPROF_REPORT_STACKTEXT_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/strset.h"

struct printer;
struct profile;
struct profile_sample;

struct stacktext {
	struct strset stacks;
	struct buffer text; /* reused */
};

/* The caller calls stacktext_release in any case. ERR_NOMEM. */
int stacktext_init(struct stacktext *t);
void stacktext_release(struct stacktext *t);

/* The number of the sample's stack; 0: it has no frames. ERR_NOMEM. */
int stacktext_of(struct stacktext *t, const struct profile *p, const struct profile_sample *s,
		 uint32_t *number);

/* Prints the functions of a text, innermost first, a line each, cut to `width` columns. */
void stacktext_print(struct printer *out, const char *stack, unsigned width);

/* Prints a value and its share of `total`, in columns. */
void stacktext_print_value(struct printer *out, int64_t value, int64_t total, const char *from,
			   const char *to);

#endif
