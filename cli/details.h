/* What --verbose adds to the last lines. */
#ifndef CLI_DETAILS_H
#define CLI_DETAILS_H

#include <stdbool.h>
#include <stdio.h>

struct image;
struct recording;
struct unwinder;

/* An image's unwind table, and `note`, where its names come from (NULL: nobody asked for
 * any). False when it was never met. */
bool details_image(const struct image *image, const struct unwinder *u, const char *note, FILE *out);

/* A line where unwind tables are not kept for the next run: why. */
void details_cache(const struct unwinder *u, FILE *out);

/* One block for each module that a walk touched: its unwind table, where its
 * names come from, and how the walks ended that ended in it. */
void details_print(const struct recording *r, FILE *out);

#endif
