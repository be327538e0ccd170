/*
 * The writable mappings of a process, for threads that must know at once where one ends.
 *
 * One thread sets them; any thread may look at any time, without a lock (a sequence counter tells a
 * reader that they have changed under it). Tables that became too small are kept until the release,
 * since a reader may still be in them; each is twice as large as the one before.
 */
#ifndef BASE_PROCESS_SPANS_H
#define BASE_PROCESS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t start, end;
	bool followed; /* readable memory begins at its end */
};

struct spans_table;

struct spans {
	struct spans_table *_Atomic table; /* NULL: nothing was set */
	_Atomic uint64_t version;	   /* odd while they change */
	size_t count;			   /* set so far, while they change */
	bool lacks_memory;
};

void spans_release(struct spans *s);

/* Between the two, spans_add is called for each mapping, by ascending addresses. Without memory there
 * are none. `prot` is as in /proc/PID/maps. */
void spans_begin(struct spans *s);
void spans_add(struct spans *s, uint64_t start, uint64_t end, const char *prot);
void spans_end(struct spans *s);

/* The one that holds the address. False: none, or they change just now. */
bool spans_find(const struct spans *s, uint64_t addr, struct span *span);

#endif
