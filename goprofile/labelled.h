/*
 * Goroutines with pprof labels, counted with them: some hundred at a time.
 *
 * Where a goroutine's labels are its g said when it was read. They are read after that, and then
 * its g once more: if it says the same, it had them all the time and nobody has freed them. So
 * those that others had before cannot be taken for its own.
 */
#ifndef GOPROFILE_LABELLED_H
#define GOPROFILE_LABELLED_H

#include <stddef.h>
#include <stdint.h>

struct counts;
struct go_goroutine;
struct golabels;
struct golive;
struct memcache;

struct labelled {
	const struct golive *live;
	struct counts *counts;	   /* where they are counted; not owned */
	struct memcache *gs, *memory; /* g structs; where labels are */
	struct golabels *labels;
	struct labelled_goroutine *waiting; /* their labels have not been read yet */
	uint64_t *pcs;
	size_t count, room, pc_count, pc_room;
	uint64_t unreadable; /* told without their labels */
};

/* {0} is empty, too. ERR_NOMEM; release in any case. */
int labelled_init(struct labelled *l, const struct golive *live, struct counts *counts);
void labelled_release(struct labelled *l);

/* A goroutine that has labels (r->labels), with these pcs. ERR_NOMEM. */
int labelled_add(struct labelled *l, const struct go_goroutine *r, const uint64_t *pcs,
		 size_t count);

/* Reads labels and counts; the last thing that is done. ERR_NOMEM. */
int labelled_flush(struct labelled *l);

/* Adds what was read. */
void labelled_stats(const struct labelled *l, uint64_t *reads, uint64_t *bytes);

#endif
