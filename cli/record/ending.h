/* What record says at its end, on the standard error: the outcome (outcome.h), and with --verbose
 * what is known of each module, and the summary (sampler/profile/summary.h). */
#ifndef CLI_RECORD_ENDING_H
#define CLI_RECORD_ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct image;
struct recording;
struct recording_options;
struct unwinder;

/* Prints what is said of symbols that had to be left out. */
void ending_warnings(const struct recording *r);

/* Prints an image's unwind table and `note`, which says where its names come from (NULL: no names
 * were looked up). Prints nothing and returns false if there is neither a note nor a table, made or
 * refused. */
bool ending_image(const struct image *image, const struct unwinder *u, const char *note);

/* Prints, for --verbose, the modules that walks met, why walks ended there, and the whole
 * summary. */
void ending_details(const struct recording *r, const struct recording_options *o);

/* Prints what was found, and losses that change the result. */
void ending_outcome(const struct recording *r, const struct recording_options *o);

/* Prints what was written, how the sampling ended, and what to look at the file with. */
void ending_written(const struct recording *r, const struct recording_options *o, const char *path,
		    uint64_t bytes);

#endif
