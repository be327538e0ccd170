/* Which of a profile's values to show. */
#ifndef CLI_TYPES_H
#define CLI_TYPES_H

#include <stddef.h>

struct error;
struct profile;

/* The index of the sample type that is asked for, by number or by name (the "inuse_" of
 * old options may stand before it); of NULL the profile's default, else the last
 * (google/pprof, profile/index.go). ERR_USAGE for one that is not there, ERR_FORMAT for a
 * profile without any. */
int sample_type_find(const struct profile *p, const char *asked, size_t *type,
		     struct error *err);

#endif
