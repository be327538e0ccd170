/* sampler record in rounds. */
#ifndef CLI_ROUNDS_ROUNDS_H
#define CLI_ROUNDS_ROUNDS_H

#include <stdbool.h>

struct roundsoptions;

/* Runs the rounds and returns an exit status. The caller has filled in o->rounds, except the
 * source, pushes, folder and its key, tags, version and `say`, which cli_rounds sets. `output` is
 * the folder, NULL for one named after the target. */
int cli_rounds(struct roundsoptions *o, const char *output, bool quiet);

#endif
