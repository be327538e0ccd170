#include "base/room.h"

#include <stdlib.h>

#include "base/error.h"

enum { FIRST_ROOM = 64 };

int room_for(void **array, size_t *room, size_t need, size_t size)
{
	size_t more = *room ? *room : FIRST_ROOM;
	void *p;

	if (need <= *room)
		return 0;
	while (more < need)
		more *= 2;
	p = realloc(*array, more * size);
	if (!p)
		return ERR_NOMEM;
	*array = p;
	*room = more;
	return 0;
}
