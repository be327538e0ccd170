/* Searches in arrays whose elements ascend by the word that each begins with. */
#ifndef RUNTIMES_COMMON_ASCENDING_H
#define RUNTIMES_COMMON_ASCENDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/process/memory.h"

/* The index of the last of `count` elements of `size` bytes that is not above `key`; `count`: all
 * are above it. */
static inline size_t ascending_last(const void *array, size_t count, size_t size, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memory_word(array, middle * size) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : count;
}

/* For qsort(3). */
static inline int ascending_order(const void *a, const void *b)
{
	uint64_t x = memory_word(a, 0), y = memory_word(b, 0);

	return (x > y) - (x < y);
}

#endif
