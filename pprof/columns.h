/* A column of a profile is the values of one sample type. */
#ifndef PPROF_COLUMNS_H
#define PPROF_COLUMNS_H

#include <stddef.h>

struct profile;

/* The index of the first sample type that is named `type`, or p->type_count. */
size_t profile_column(const struct profile *p, const char *type);

/* Keeps the `count` columns (at least one) with these indexes, in this order, in place. If the
 * default type is not among them, the first one becomes the default. ERR_NOMEM: the profile is
 * unchanged. */
int profile_keep_columns(struct profile *p, const size_t *columns, size_t count);

/* Makes all values of a column 0. All samples stay, unlike with a ratio of 0 (pprof/scale.h). */
void profile_zero_column(struct profile *p, size_t column);

/* Makes all values of a sample 0 if its value in this column is 0. */
void profile_zero_without(struct profile *p, size_t column);

#endif
