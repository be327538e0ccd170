/* Arrays double, so that n additions copy fewer than 2n elements. */
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Small, because there are arrays for each function of a file. */
enum { FIRST_ROOM = 16 };

int room_grow(void **array, size_t *room, size_t need, size_t size)
{
	size_t more = *room ? *room : FIRST_ROOM;
	void *p;

	while (more < need)
		more *= 2;
	p = realloc(*array, more * size);
	if (!p)
		return ERR_NOMEM;
	*array = p;
	*room = more;
	return 0;
}

int room_for_zeros(void **array, size_t *room, size_t need, size_t size)
{
	size_t before = *room;
	int rc = room_for(array, room, need, size);

	if (*room > before)
		memset((char *)*array + before * size, 0, (*room - before) * size);
	return rc;
}
