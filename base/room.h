/* Arrays that grow. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stddef.h>

/* The slow path of room_for, for room_for only. */
int room_grow(void **array, size_t *room, size_t need, size_t size);

/* Grows *array, which has room for *room elements of `size` bytes, to at least `need` elements; an
 * array that grows at least doubles. 0, or ERR_NOMEM with nothing changed. Inline, because parsers
 * call it for each element. */
static inline int room_for(void **array, size_t *room, size_t need, size_t size)
{
	return need <= *room ? 0 : room_grow(array, room, need, size);
}

/* The same; new elements are zero. */
int room_for_zeros(void **array, size_t *room, size_t need, size_t size);

#endif
