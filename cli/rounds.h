/* record, round after round. */
#ifndef CLI_ROUNDS_H
#define CLI_ROUNDS_H

#include <stdbool.h>

struct roundsoptions;

/* Runs them, with o->rounds filled in but for what is opened here: source, pushes, names. An
 * exit status. `output` is the folder, NULL for one named after the target. */
int cli_rounds(struct roundsoptions *o, const char *output, bool quiet);

#endif
