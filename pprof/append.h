/*
 * For those in pprof/ who fill or change a profile's arrays themselves.
 *
 * An array's room is not kept: it is at least the next power of two of its count. The
 * indexes behind profile_add_function and profile_add_location are made when they are
 * first asked, from what is there: most profiles are read and never added to.
 */
#ifndef PPROF_APPEND_H
#define PPROF_APPEND_H

#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_function;
struct profile_location;

/* Makes the array that `array` points to have room for `more` elements of `size` bytes
 * behind its `count`. 0 or ERR_NOMEM. */
int profile_room(void *array, size_t count, size_t more, size_t size);

/* Adds behind the others without the question whether it is there. 0 or ERR_NOMEM. */
int profile_append_function(struct profile *p, const struct profile_function *function);
int profile_append_location(struct profile *p, const struct profile_location *location);

/* To be called by whoever has changed, moved or removed functions, locations or lines
 * that were there: the indexes are forgotten. */
void profile_forget_indexes(struct profile *p);

#endif
