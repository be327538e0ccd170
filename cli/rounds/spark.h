/* A line of bars, one for each batch or for some in a row: how a value went. */
#ifndef CLI_ROUNDS_SPARK_H
#define CLI_ROUNDS_SPARK_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/* Appends at most `columns` bars for `count` values, of which NAN are unknown: a blank. A bar that
 * stands for several values has the largest. The lowest bar is the smallest value there is, the
 * highest one the largest. `ascii`: in characters of ASCII. ERR_NOMEM. */
int spark_add(struct buffer *b, const double *values, size_t count, size_t columns, bool ascii);

/* The smallest and the largest known value. False: none is known. */
bool spark_range(const double *values, size_t count, double *least, double *most);

#endif
