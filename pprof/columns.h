/* A profile's columns: the values of one sample type. */
#ifndef PPROF_COLUMNS_H
#define PPROF_COLUMNS_H

#include <stddef.h>

struct profile;

/* The first of that name, or p->type_count. */
size_t profile_column(const struct profile *p, const char *type);

/* Keeps those columns, in that order, in place. Where the default type goes, the first
 * becomes it. At least one. ERR_NOMEM, and the profile is as it was. */
int profile_keep_columns(struct profile *p, const size_t *columns, size_t count);

/* Makes all values of a column 0. */
void profile_zero_column(struct profile *p, size_t column);

/* Makes all values of samples 0 that have 0 in a column. */
void profile_zero_without(struct profile *p, size_t column);

#endif
