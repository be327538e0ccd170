/*
 * A process's memory as a walk has seen it: what is read twice, of the first megabyte, is the same,
 * and the second time costs nothing.
 *
 * Walks of a process read much of the same: the heads of what is compiled, a runtime's code. Each
 * walk must see it anew. So the first read of a walk copies all that the last walk has read, by one
 * system call; only what is new takes a call of its own.
 *
 * Rejected: base/process/memcache.h, which has whole pages and a call for each: in a walk of 20
 * frames of Java 23 calls, and 90 KB.
 */
#ifndef RUNTIMES_COMMON_WALKVIEW_H
#define RUNTIMES_COMMON_WALKVIEW_H

struct memory;
struct walkview;

/* `under` is borrowed. ERR_NOMEM. */
int walkview_new(struct walkview **s, const struct memory *under);
void walkview_free(struct walkview *s);

/* A walk begins. */
void walkview_begin(struct walkview *s);

/* The memory to read from, valid as long as `s`. Its read() fails as that of `under` does. */
const struct memory *walkview_memory(struct walkview *s);

#endif
