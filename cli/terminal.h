/* What the standard output is, for those who write for people. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/* Its columns; 0 when it is no terminal, or one that does not say. */
unsigned terminal_width(void);

/* Its lines, the same. */
unsigned terminal_height(void);

/* A terminal that shows colours, and nobody has asked for none: NO_COLOR
 * (no-color.org) is unset or empty, TERM is not "dumb". */
bool terminal_colour(void);

#endif
