/* Room in an array that grows. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stddef.h>

/* Makes *array, which has room for *room elements of `size` bytes, have room for `need`,
 * at least doubling it. 0; ERR_NOMEM, and all is as it was. */
int room_for(void **array, size_t *room, size_t need, size_t size);

#endif
