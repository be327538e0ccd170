/* Writes a sample's frames as comments of a legacy text, like runtime/pprof's printStackRecord,
 * in columns like text/tabwriter's. */
#ifndef PPROF_GOTEXT_STACK_H
#define PPROF_GOTEXT_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct profile;
struct profile_sample;

/* Memory that is reused for each sample; {0} is empty. */
struct stack_lines {
	struct stack_line {
		uint64_t address;
		const char *name, *file; /* name "": only the address is known */
		int64_t line;
	} *lines;
	size_t count, room;
};

void stack_lines_release(struct stack_lines *s);

/* Appends a line for each frame and an empty line. Unless `all`, leaves out the frames of Go's
 * runtime at the leaf end, if the stack has others. runtime.goexit is always left out.
 * ERR_NOMEM. */
int stack_lines_write(struct stack_lines *s, const struct profile *p,
		      const struct profile_sample *sample, bool all, struct buffer *out);

#endif
