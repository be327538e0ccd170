/*
 * Which files of which batches, added up, are the profile of a range.
 *
 * cpu, wall, alloc: what came in a round. The files are added.
 *
 * block, mutex, and what is allocated in heap and allocs: they count from the process's start. What
 * came in a round is its delta-… file. A delta that is whole, after sampler began or the counters
 * ran backwards, is not used: between two snapshots of one process in the range their difference
 * counts, and a process's first snapshot counts only if the process began in the range. Counters
 * run backwards also when rounds overlap and one's snapshot is older than that of the round before
 * it; that difference is negative, and the next one makes up for it. Only a delta that is the first
 * of its sampler or after an exec may be that of another program. Else what that snapshot has is
 * older than the range, or its age is not known: it is left out, and counted in `cut`.
 *
 * inuse, goroutine, goroutinewait, threadcreate, custom profiles, and what is in use in heap and
 * allocs: a state. The last one of each process counts, unless another process of the program began
 * after that one's last batch: it was restarted, and what it held is freed.
 */
#ifndef CLI_ROUNDS_PARTS_H
#define CLI_ROUNDS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalog;
struct catalog_row;
struct error;
struct batch_range;

enum part_of {
	PART_ALL,   /* all columns */
	PART_GROWN, /* without those of what is in use */
	PART_STATE, /* these alone */
};

struct part {
	size_t row; /* of the catalog */
	enum part_of of;
	const char *file; /* borrowed from the catalog */
	const char *old;  /* or NULL: a file of `old_row`, to be subtracted */
	size_t old_row;
	/* It may be another program by now: with fewer events than `old`, all is new. */
	bool may_reset;
};

struct parts {
	struct part *list;
	size_t count, room;
	size_t batches;	 /* in the range, with the type or without */
	size_t without;	 /* of these, without the type */
	size_t cut;	 /* snapshots left out */
	bool is_state;	 /* the parts are the last batches of processes, no sums */
	size_t programs; /* series among them */
	const char *series[2];
};

/* Chooses the parts of the type ("heap", "custom-NAME"). ERR_USAGE: there is no such type, or it is
 * no profile; ERR_NOTFOUND: no batch is in the range, or none has the type; ERR_NOMEM. The caller
 * calls parts_release, after an error too. */
int parts_choose(struct parts *p, const struct catalog *c, const struct batch_range *r,
		 const char *type, const char *path, struct error *err);
void parts_release(struct parts *p);

#endif
