/* What record says at its end, on the standard error: outcome.h and details.h with the figures of a
 * recording. */
#ifndef CLI_RECORD_ENDING_H
#define CLI_RECORD_ENDING_H

#include <stdint.h>

struct recording;
struct recording_options;

/* Prints what is said of symbols that had to be left out. */
void ending_warnings(const struct recording *r);

/* Prints the modules and the whole summary, for --verbose. */
void ending_details(const struct recording *r, const struct recording_options *o);

/* Prints what was found, and losses that change the result. */
void ending_outcome(const struct recording *r, const struct recording_options *o);

/* Prints what was written, how the sampling ended, and what to look at the file with. */
void ending_written(const struct recording *r, const struct recording_options *o, const char *path,
		    uint64_t bytes);

#endif
