/* Which of a profile's values to show. */
#ifndef CLI_COMMON_TYPES_H
#define CLI_COMMON_TYPES_H

#include <stddef.h>

struct error;
struct profile;

/* Finds the index of a sample type by its number or its name (the "inuse_" of old options may
 * precede it). `asked` NULL: the profile's default, else the last (google/pprof,
 * profile/index.go). ERR_USAGE: there is no such type; ERR_FORMAT: the profile has no types. */
int sample_type_find(const struct profile *p, const char *asked, size_t *type, struct error *err);

#endif
