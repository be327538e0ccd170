/* Arrays that grow. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stddef.h>

/* Grows *array, which has room for *room elements of `size` bytes, to at least `need` elements; an
 * array that grows at least doubles. 0, or ERR_NOMEM with nothing changed. */
int room_for(void **array, size_t *room, size_t need, size_t size);

#endif
