/* runtime.allgs, the list of all goroutines that there are and were, read while it grows. */
#ifndef GORUNTIME_GOALLGS_H
#define GORUNTIME_GOALLGS_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct golive;

/* How many it has: those that have ended, too. ERR_FORMAT: it is no list; ERR_GONE. */
int goallgs_count(const struct golive *live, size_t *count, struct error *err);

/* The addresses of `count` gs from place `from` on, which goallgs_count said are there.
 * ERR_FORMAT, ERR_GONE. */
int goallgs_read(const struct golive *live, size_t from, uint64_t *gs, size_t count,
		 struct error *err);

#endif
