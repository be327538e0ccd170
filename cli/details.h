/* What --verbose adds to a recording's last lines. */
#ifndef CLI_DETAILS_H
#define CLI_DETAILS_H

#include <stdio.h>

struct recording;

/* One block for each module that a walk touched: its unwind table, where its
 * names come from, and how the walks ended that ended in it. */
void details_print(const struct recording *r, FILE *out);

#endif
