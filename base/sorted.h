/* A search in an array that is sorted by a number of 64 bits. */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* How many of the `count` elements have a key of at most `value`. `key`: the name of the uint64_t
 * by which the array is sorted. */
#define SORTED_UPTO(array, count, key, value) \
	sorted_upto(array, count, sizeof(*(array)), offsetof(__typeof__(*(array)), key), value)

/* The same for SORTED_UPTO: elements have `size` bytes, with the key `at` bytes from the
 * beginning. Inline, because walks and lookups search all the time. */
static inline size_t sorted_upto(const void *array, size_t count, size_t size, size_t at,
				 uint64_t value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *element = (const char *)array + middle * size;

		if (*(const uint64_t *)(const void *)(element + at) <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The index of the last element that does not lie above `value`; `count`: all do. Elements are
 * sorted by the word that each begins with. */
static inline size_t sorted_last(const void *array, size_t count, size_t size, uint64_t value)
{
	size_t upto = sorted_upto(array, count, size, 0, value);

	return upto ? upto - 1 : count;
}

/* The element that begins with the word `value`; NULL: none. */
static inline const void *sorted_find(const void *array, size_t count, size_t size, uint64_t value)
{
	size_t upto = sorted_upto(array, count, size, 0, value);
	const char *last = upto ? (const char *)array + (upto - 1) * size : NULL;

	return last && *(const uint64_t *)(const void *)last == value ? last : NULL;
}

/* For qsort(3), by the word that each element begins with. */
static inline int sorted_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

#endif
