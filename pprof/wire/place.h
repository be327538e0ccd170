/* Finds the entry that holds an offset in a profile's bytes, for error messages. */
#ifndef PPROF_WIRE_PLACE_H
#define PPROF_WIRE_PLACE_H

#include <stddef.h>

struct error;

/* If the byte at offset `at` is part of an entry of a table, appends the entry to the message
 * in `err`: ", in sample 17" or ", in location 3 (id 9)", counted from 1 in the file's order.
 * `data` is the uncompressed profile, which may be broken. */
void place_add(struct error *err, const void *data, size_t len, size_t at);

#endif
