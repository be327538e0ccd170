/*
 * Overlapping address ranges -> the one that is valid at an address.
 *
 * Symbols, units, functions, inlined calls and the lines of a perf map all nest and overlap,
 * rightly or because the file is broken. They are added in the order of precedence: where two
 * overlap, the one added later wins. Settling cuts them into disjoint pieces, after which a lookup
 * is one binary search, however deep the nesting was. A sorted array searched backwards is simpler
 * and was rejected: one range that spans a file makes it linear.
 */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start, end; /* end exclusive */
	uint32_t of;	     /* an index into the owner's table */
};

struct ranges {
	struct range *all; /* disjoint and sorted once settled */
	size_t count, room;
};

/* {0} is an empty set; release makes it one again. */
void ranges_release(struct ranges *r);

/* Adds a range that wins over all ranges added before; an empty one is ignored. ERR_NOMEM. */
int ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint32_t of);

/* Changes the order of precedence: of two ranges that nest, the inner one wins; of two equal
 * ones, the one with the lower `of`. */
void ranges_inner_wins(struct ranges *r);

/* Makes the set ready for ranges_find; nothing can be added afterwards. ERR_NOMEM. */
int ranges_settle(struct ranges *r);

/* The piece that covers the address, or NULL. */
const struct range *ranges_find(const struct ranges *r, uint64_t addr);

#endif
