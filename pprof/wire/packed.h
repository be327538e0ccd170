/* Decodes packed repeated numbers, which most profiles mainly consist of. */
#ifndef PPROF_WIRE_PACKED_H
#define PPROF_WIRE_PACKED_H

#include <stdbool.h>
#include <stdint.h>

struct cursor;
struct ids;

/* Both functions write the cursor's numbers to *to and move *to behind them. *to must have room
 * for one number per byte of the cursor. A broken number fails the cursor. */

void packed_read_values(struct cursor *c, int64_t **to);

/* Writes the places of ids. False if an id does not exist: it is in *missing, and *to has not
 * moved. */
bool packed_read_ids(struct cursor *c, const struct ids *ids, uint32_t **to, uint64_t *missing);

#endif
