/* The numbers are in an array that is searched from its beginning; one that is removed is replaced
 * by the last. */
#include "sampler/recorded/pidset.h"

#include <stdlib.h>

#include "base/room.h"

void pidset_release(struct pidset *s)
{
	free(s->pids);
	*s = (struct pidset){ 0 };
}

/* s->count: it is not there. */
static size_t pidset_find(const struct pidset *s, pid_t pid)
{
	size_t i = 0;

	while (i < s->count && s->pids[i] != pid)
		i++;
	return i;
}

bool pidset_has(const struct pidset *s, pid_t pid)
{
	return pidset_find(s, pid) < s->count;
}

int pidset_add(struct pidset *s, pid_t pid)
{
	int rc = 0;

	if (pidset_has(s, pid))
		return 0;
	rc = room_for((void **)&s->pids, &s->room, s->count + 1, sizeof(*s->pids));
	if (!rc)
		s->pids[s->count++] = pid;
	return rc;
}

void pidset_remove(struct pidset *s, pid_t pid)
{
	size_t at = pidset_find(s, pid);

	if (at < s->count)
		s->pids[at] = s->pids[--s->count];
}
