/* Decodes packed repeated numbers, which most profiles mainly consist of. */
#ifndef PPROF_WIRE_UNPACK_H
#define PPROF_WIRE_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

struct cursor;
struct ids;

/* Both write the cursor's numbers to *to, which must have room for one number per byte, and move
 * *to behind them. A broken number fails the cursor. */

void unpack_values(struct cursor *c, int64_t **to);

/* Writes the places of ids. False if an id does not exist: it is in *missing, and *to has not
 * moved. */
bool unpack_ids(struct cursor *c, const struct ids *ids, uint32_t **to, uint64_t *missing);

#endif
