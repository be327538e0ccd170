/* What --verbose adds to the summary: unwind tables, symbols, walks. */
#ifndef CLI_RECORD_DETAILS_H
#define CLI_RECORD_DETAILS_H

#include <stdbool.h>

struct image;
struct recording;
struct unwinder;

/* Prints an image's unwind table and `note`, which says where its names come from (NULL: no names
 * were looked up). Prints nothing and returns false if there is neither a note nor a table, made or
 * refused. */
bool details_image(const struct image *image, const struct unwinder *u, const char *note);

/* Prints a block for each module that a walk met: its unwind table, where its names come from, and
 * why the walks that ended in it ended there. */
void details_print(const struct recording *r);

#endif
