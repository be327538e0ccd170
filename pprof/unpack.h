/* Packed repeated numbers, which are most of most profiles. */
#ifndef PPROF_UNPACK_H
#define PPROF_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

struct cursor;
struct ids;

/* Both write at *to, where there is room for as many as the cursor has bytes, and leave
 * *to behind what was written. A broken number fails the cursor. */

void unpack_values(struct cursor *c, int64_t **to);

/* Ids as places. False at one that is not there, which goes to *missing. */
bool unpack_ids(struct cursor *c, const struct ids *ids, uint32_t **to, uint64_t *missing);

#endif
