/*
 * Threads of a dump that look alike are printed once: a server has many that wait in one place.
 *
 * Alike is what is printed alike, apart from number and name: state, system call, each frame with
 * its address. So whatever a dump says of a thread, nothing that differs is folded away.
 */
#ifndef SAMPLER_CLI_RECORD_DUMPFOLD_H
#define SAMPLER_CLI_RECORD_DUMPFOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hashindex.h"

struct buffer;
struct dump_thread;

/* The threads of one group are linked: `first`, then `next` of each. */
struct dumpfold_group {
	uint32_t first, last, count;
	const char *text; /* that all have */
	size_t len;
};

/* {0} is empty. */
struct dumpfold {
	struct dumpfold_group *groups; /* in the order of their first threads */
	size_t count, room;
	uint32_t *next; /* by thread; the thread itself: the last */
	size_t next_room;
	struct hashindex index;
	struct arena texts;
};

/* Adds a thread, by its number from 0 on, and its text. Numbers rise. 0 or ERR_NOMEM. */
int dumpfold_add(struct dumpfold *f, uint32_t thread, const void *text, size_t len);

/* Appends a group's threads: 'thread 4711 "main"' or '16 threads "idle-0…15" (4712-4727)'. Control
 * characters of names become '?'. 0 or ERR_NOMEM. */
int dumpfold_heading(const struct dumpfold *f, const struct dumpfold_group *g,
		     const struct dump_thread *threads, struct buffer *b);

void dumpfold_release(struct dumpfold *f);

#endif
