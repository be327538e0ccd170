/* Answers are appended, sorted by address once (answers_settle), and then searched by halves; their
 * frames lie in one array. */
#include "symbolize/answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "symbolize/symbolizer.h"

struct answer {
	uint64_t addr, start; /* start: symbol.start */
	size_t first, count;  /* its frames: index of the first, and number */
};

void answers_release(struct answers *a)
{
	free(a->all);
	free(a->frames);
	memset(a, 0, sizeof(*a));
}

int answers_add(struct answers *a, uint64_t addr, const struct symbol *symbol)
{
	if (room_for((void **)&a->all, &a->room, a->count + 1, sizeof(*a->all)) ||
	    room_for((void **)&a->frames, &a->frame_room, a->frame_count + symbol->count,
		     sizeof(*a->frames)))
		return ERR_NOMEM;
	a->all[a->count++] = (struct answer){ addr, symbol->start, a->frame_count, symbol->count };
	if (symbol->count)
		memcpy(a->frames + a->frame_count, symbol->frames,
		       symbol->count * sizeof(*a->frames));
	a->frame_count += symbol->count;
	return 0;
}

static int answers_by_address(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void answers_settle(struct answers *a)
{
	if (a->count)
		qsort(a->all, a->count, sizeof(*a->all), answers_by_address);
}

bool answers_any(const struct answers *a)
{
	return a->count != 0;
}

bool answers_find(const struct answers *a, uint64_t addr, struct symbol *symbol)
{
	const struct answer key = { .addr = addr }, *found = NULL;

	if (a->count)
		found = bsearch(&key, a->all, a->count, sizeof(key), answers_by_address);
	if (!found)
		return false;
	symbol->frames = a->frames + found->first;
	symbol->count = found->count;
	symbol->start = found->start;
	return true;
}
