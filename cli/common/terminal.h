/* The terminal on the standard output. */
#ifndef CLI_COMMON_TERMINAL_H
#define CLI_COMMON_TERMINAL_H

#include <stdbool.h>

/* Its columns; 0 if it is not a terminal, or its size is unknown. */
unsigned terminal_width(void);

/* Its lines; 0 in the same cases. */
unsigned terminal_height(void);

/* Is it a terminal that shows colours (TERM is set, and not "dumb"), and is NO_COLOR
 * (no-color.org) unset or empty? */
bool terminal_colour(void);

/* The same for the terminal on a descriptor. */
bool terminal_colour_on(int fd);

#endif
