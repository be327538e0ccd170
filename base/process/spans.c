/* The table of spans (maps.h) is written by one thread and searched by others without a lock. One
 * that is full is replaced by another twice as large, and kept, since a search may be in it. */
#include "base/process/maps.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 256 };

struct spans_entry {
	_Atomic uint64_t start, end;
	_Atomic bool followed, is_writable;
};

struct spans_table {
	struct spans_table *smaller; /* the one before it */
	_Atomic size_t count;
	size_t room;
	struct spans_entry at[];
};

void spans_release(struct spans *s)
{
	struct spans_table *next;

	for (struct spans_table *t = s->table; t; t = next) {
		next = t->smaller;
		free(t);
	}
	memset(s, 0, sizeof(*s));
}

void spans_begin(struct spans *s)
{
	s->version++;
	s->count = 0;
	s->lacks_memory = false;
}

static struct spans_table *table_with_room(struct spans *s, size_t count)
{
	struct spans_table *old = s->table, *t;
	size_t room = old ? old->room * 2 : FIRST;

	if (old && count <= old->room)
		return old;
	t = calloc(1, sizeof(*t) + room * sizeof(*t->at));
	if (!t)
		return NULL;
	t->smaller = old;
	t->room = room;
	for (size_t i = 0; old && i < s->count; i++) {
		t->at[i].start = old->at[i].start;
		t->at[i].end = old->at[i].end;
		t->at[i].followed = old->at[i].followed;
		t->at[i].is_writable = old->at[i].is_writable;
	}
	s->table = t;
	return t;
}

/* One that is not writable is kept only until the next, to tell whether it is followed. */
void spans_add(struct spans *s, uint64_t start, uint64_t end, const char *prot)
{
	struct spans_table *t = table_with_room(s, s->count + 1);

	if (!t) {
		s->lacks_memory = true;
		return;
	}
	if (s->count && t->at[s->count - 1].end == start)
		t->at[s->count - 1].followed = prot[0] == 'r';
	if (s->count && !t->at[s->count - 1].is_writable)
		s->count--;
	t->at[s->count].start = start;
	t->at[s->count].end = end;
	t->at[s->count].followed = false;
	t->at[s->count].is_writable = prot[1] == 'w';
	s->count++;
}

void spans_end(struct spans *s)
{
	if (s->table)
		s->table->count = s->lacks_memory ? 0 : s->count;
	s->version++;
}

static bool spans_search(const struct spans_table *t, uint64_t addr, struct span *span)
{
	size_t low = 0, high = t->count < t->room ? t->count : t->room;

	while (low < high) {
		size_t at = low + (high - low) / 2;
		const struct spans_entry *e = &t->at[at];

		if (addr >= e->end) {
			low = at + 1;
		} else if (addr < e->start) {
			high = at;
		} else {
			*span = (struct span){ e->start, e->end, e->followed };
			return true;
		}
	}
	return false;
}

bool spans_find(const struct spans *s, uint64_t addr, struct span *span)
{
	uint64_t version = s->version;
	const struct spans_table *t = s->table;

	return t && !(version & 1) && spans_search(t, addr, span) && s->version == version;
}
