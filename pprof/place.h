/* Which entry of a profile an offset in its bytes belongs to: for messages. */
#ifndef PPROF_PLACE_H
#define PPROF_PLACE_H

#include <stddef.h>

struct error;

/* Adds to the message that is there, when the byte at offset `at` is part of a table's
 * entry, which one: ", in sample 17" or ", in location 3 (id 9)", counted from 1 in
 * the file's order. `data` is the uncompressed profile, broken as it may be. */
void place_add(struct error *err, const void *data, size_t len, size_t at);

#endif
