/* What only a source that reads a process's memory can do (rounds/source/source.h). */
#ifndef ROUNDS_SOURCE_MEMORY_H
#define ROUNDS_SOURCE_MEMORY_H

#include <stdbool.h>

struct buffer;
struct error;
struct goprofile_id;
struct source;
struct source_remark;

/* `s` was made by source_memory. */

/* Opens the process, which all other calls do at first use: is it a Go program of a known
 * release? Errors of golive_open (runtimes/go/live.h). */
int source_memory_open(struct source *s, struct error *err);

/* Both append text: a profile in the form of debug=1; all goroutines in that of debug=2. Otherwise
 * as source_profile. */
int source_memory_text(struct source *s, const struct goprofile_id *id, bool gc_wait,
		       struct buffer *out, struct source_remark *remark, struct error *err);
int source_memory_dump(struct source *s, struct buffer *out, struct error *err);

/* Words for people on the hold of the last read (rounds/source/heldread.h); "": no hold.
 * Borrowed. */
const char *source_memory_held(const struct source *s);

#endif
