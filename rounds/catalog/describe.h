/* From the files of a batch to its row in the catalog. They are untrusted: other users may have
 * written them, or sampler may have been killed amid a copy. */
#ifndef ROUNDS_CATALOG_DESCRIBE_H
#define ROUNDS_CATALOG_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

struct batch_name;
struct catalog;
struct error;

/* Adds the row of the batch `name` in the folder `dir`. What cannot be read is the row's trouble.
 * ERR_NOMEM. */
int describe_batch(struct catalog *c, int dir, const struct batch_name *name, uint64_t inode);

/* Adds what an event.json says to the last row. ERR_FORMAT: the row has no items; ERR_NOMEM. */
int describe_event(struct catalog *c, const void *data, size_t len, struct error *err);

/* The same of a metrics.json. ERR_FORMAT. */
int describe_metrics(struct catalog *c, const void *data, size_t len, struct error *err);

#endif
