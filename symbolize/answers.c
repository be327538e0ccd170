#include "symbolize/answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbolize/symbolizer.h"

struct answer {
	uint64_t addr, start; /* symbol.start */
	size_t first, count;  /* of frames */
};

void answers_release(struct answers *a)
{
	free(a->all);
	free(a->frames);
	memset(a, 0, sizeof(*a));
}

static int make_room(void **array, size_t *room, size_t need, size_t size)
{
	size_t more = *room ? *room : 64;
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

int answers_add(struct answers *a, uint64_t addr, const struct symbol *symbol)
{
	if (make_room((void **)&a->all, &a->room, a->count + 1, sizeof(*a->all)) ||
	    make_room((void **)&a->frames, &a->frame_room, a->frame_count + symbol->count,
		      sizeof(*a->frames)))
		return ERR_NOMEM;
	a->all[a->count++] = (struct answer){ addr, symbol->start, a->frame_count,
						symbol->count };
	if (symbol->count)
		memcpy(a->frames + a->frame_count, symbol->frames,
		       symbol->count * sizeof(*a->frames));
	a->frame_count += symbol->count;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void answers_settle(struct answers *a)
{
	if (a->count)
		qsort(a->all, a->count, sizeof(*a->all), by_address);
}

bool answers_any(const struct answers *a)
{
	return a->count != 0;
}

bool answers_find(const struct answers *a, uint64_t addr, struct symbol *symbol)
{
	const struct answer key = { .addr = addr }, *found = NULL;

	if (a->count)
		found = bsearch(&key, a->all, a->count, sizeof(key), by_address);
	if (!found)
		return false;
	symbol->frames = a->frames + found->first;
	symbol->count = found->count;
	symbol->start = found->start;
	return true;
}
