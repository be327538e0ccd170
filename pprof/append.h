/*
 * Serves code in pprof/ that fills or changes a profile's arrays directly.
 *
 * The capacity of an array is not stored: it is at least its count, rounded up to a power of
 * two, and at least 16. The hash indexes of profile_add_function and profile_add_location are
 * made at the first call, from the existing entries: most profiles are read and never added to.
 */
#ifndef PPROF_APPEND_H
#define PPROF_APPEND_H

#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_location;

/* Grows an array of `count` elements of `size` bytes so that `more` elements fit behind them.
 * `array` is the address of the pointer to it. 0 or ERR_NOMEM. */
int profile_room(void *array, size_t count, size_t more, size_t size);

/* Appends without looking for an equal one. 0 or ERR_NOMEM. */
int profile_append_location(struct profile *p, const struct profile_location *location);

/* Clears the hash indexes. Call it after changing, moving or removing functions, locations or
 * lines. */
void profile_forget_indexes(struct profile *p);

#endif
