/*
 * Threads of a dump that look alike are printed once: a server has many that wait in one place. So
 * are processes all of whose threads do, and have the same names.
 *
 * Alike is what is printed alike, apart from number and name: state, system call, each frame with
 * its address; of processes, its address in the file. So whatever a dump says of a thread, nothing
 * that differs is folded away.
 */
#ifndef CLI_DUMP_DUMPFOLD_H
#define CLI_DUMP_DUMPFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/hashindex.h"

struct dump_thread;
struct printer;

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

/* Prints a group's threads: 'thread 4711 "main"' or '16 threads "idle-0…15" (4712-4727)'; with
 * `of_each`, of processes that look alike, 'thread "nginx" of each', '16 threads "idle-0…15" of
 * each'. */
void dumpfold_heading(const struct dumpfold *f, const struct dumpfold_group *g,
		      const struct dump_thread *threads, bool of_each, struct printer *p);

/* Prints the names alone, '"idle-0…15"'; the numbers alone, '4712-4727, 4730': numbers[i] of i,
 * which are `size` bytes apart. */
void dumpfold_names(const struct dumpfold *f, const struct dumpfold_group *g,
		    const struct dump_thread *threads, struct printer *p);
void dumpfold_numbers(const struct dumpfold *f, const struct dumpfold_group *g,
		      const pid_t *numbers, size_t size, struct printer *p);

void dumpfold_release(struct dumpfold *f);

#endif
