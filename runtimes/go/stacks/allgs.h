/* Reads runtime.allgs, the list of all goroutines that exist or have existed, while it grows. */
#ifndef RUNTIMES_GO_STACKS_ALLGS_H
#define RUNTIMES_GO_STACKS_ALLGS_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct golive;

/* The number of goroutines in the list, including those that have ended. ERR_FORMAT: it is not a
 * valid list; ERR_GONE. */
int goallgs_count(const struct golive *live, size_t *count, struct error *err);

/* Reads the addresses of `count` gs from index `from` on; they must be within goallgs_count.
 * ERR_FORMAT, ERR_GONE. */
int goallgs_read(const struct golive *live, size_t from, uint64_t *gs, size_t count,
		 struct error *err);

#endif
