/* What a source that reads a process's memory (rounds/source.h) can do beside what all can. */
#ifndef ROUNDS_SOURCE_MEMORY_H
#define ROUNDS_SOURCE_MEMORY_H

#include <stdbool.h>

struct buffer;
struct error;
struct source;
struct source_remark;

/* `s` is what source_memory has made. */

/* Opens the process, which the others do otherwise when they are first called: is it one of
 * Go's, and understood? Errors as of golive_open (goruntime/golive.h). */
int source_memory_open(struct source *s, struct error *err);

/* Both append. A profile in the text form of debug=1, by the runtime's name; all goroutines in
 * that of debug=2. Otherwise as source_profile. */
int source_memory_text(struct source *s, const char *name, bool gc_wait, struct buffer *out,
		       struct source_remark *remark, struct error *err);
int source_memory_dump(struct source *s, struct buffer *out, struct error *err);

/* What is to be said of the hold in which the last one was read (rounds/exact.h); "": of none. */
const char *source_memory_held(const struct source *s);

#endif
