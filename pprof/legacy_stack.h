/* A sample's frames as comments of a legacy text: runtime/pprof's printStackRecord and
 * the columns that text/tabwriter makes of it. */
#ifndef PPROF_LEGACY_STACK_H
#define PPROF_LEGACY_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct profile;
struct profile_sample;

struct stack_lines { /* memory kept from sample to sample; {0} is empty */
	struct stack_line {
		uint64_t address;
		const char *name, *file; /* name "": the address is all that is known */
		int64_t line;
	} *lines;
	size_t count, room;
};

void stack_lines_release(struct stack_lines *s);

/* Appends a line for each frame and an empty one. Without `all` those of Go's runtime at
 * the leaf's end are left out, unless there are no others; its goexit always is.
 * ERR_NOMEM. */
int stack_lines_write(struct stack_lines *s, const struct profile *p,
		      const struct profile_sample *sample, bool all, struct buffer *out);

#endif
