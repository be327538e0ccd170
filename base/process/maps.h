/* The text of /proc/PID/maps (proc_pid_maps(5)), a line at a time. */
#ifndef BASE_PROCESS_MAPS_H
#define BASE_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor;
struct error;

struct maps_line {
	uint64_t start, end; /* addresses, end exclusive */
	uint64_t offset;     /* in the file, bytes */
	uint64_t inode;
	uint32_t major, minor; /* device */
	char prot[5];	       /* "r-xp" */
	const char *path;      /* not NUL-terminated, in the cursor's bytes */
	size_t path_len;       /* 0 for anonymous memory */
};

/* The next line. 1 when there was one, 0 at the end, ERR_FORMAT when the text
 * is not what the kernel writes. */
int maps_next(struct cursor *c, struct maps_line *line, struct error *err);

/*
 * The writable mappings of a process, for threads that must know at once where one ends.
 *
 * One thread sets them; any thread may look at any time, without a lock (a sequence counter tells a
 * reader that they have changed under it). Tables that became too small are kept until the release,
 * since a reader may still be in them; each is twice as large as the one before.
 */
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

/* Between the two, spans_add is called for each mapping, by ascending addresses. Without memory
 * there are none. `prot` is as in /proc/PID/maps. */
void spans_begin(struct spans *s);
void spans_add(struct spans *s, uint64_t start, uint64_t end, const char *prot);
void spans_end(struct spans *s);

/* The one that holds the address. False: none, or they change just now. */
bool spans_find(const struct spans *s, uint64_t addr, struct span *span);

#endif
