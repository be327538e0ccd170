/* The waits for locks of a wall profile, by its labels, for the two writers, locks.c and
 * locks_json.c. */
#ifndef PPROF_REPORT_LOCKWAITS_H
#define PPROF_REPORT_LOCKWAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "pprof/report/stacktext.h"

struct error;
struct profile;
struct report_view;

/* Time for which a thread waited for a lock, in a stack, while it was held so. */
struct wait {
	uint32_t lock;	/* string */
	uint32_t stack; /* in locks.stacks, as held_at; 0: it has none */
	uint64_t group; /* what is shown as one */
	int64_t waiter; /* thread id */
	int64_t owner;	/* thread id; 0: not known */
	uint32_t owner_name;
	uint32_t held_at; /* string; 0: not known */
	int64_t sum;
	int64_t lock_sum; /* of all waits for the lock */
	bool ownerless;	  /* nothing owns what is waited for */
};

/* Which of a profile's strings are the labels' keys; UINT32_MAX: it has none. */
struct locks_keys {
	uint32_t lock, waits_for, held_at, tid, thread;
};

struct locks {
	const struct profile *p;
	const struct report_view *v;
	struct locks_keys keys;
	struct wait *list; /* those of a group are neighbours, the longest group first */
	size_t count, room;
	struct hashindex index;
	struct stacktext stacks;
	int64_t sum, total;
};

/* Finds and sorts all waits. The caller calls locks_release, after an error, too. ERR_NOMEM;
 * ERR_NOTFOUND: no sample waits for a lock. */
int locks_find(struct locks *l, const struct profile *p, const struct report_view *v,
	       struct error *err);
void locks_release(struct locks *l);

/* How many waits from list[i] on are of its group. */
size_t locks_group(const struct locks *l, size_t i);

/* How many threads waited, and for how many locks. Both sort the list. */
size_t locks_count_waiters(struct wait *list, size_t count);
size_t locks_count_locks(struct wait *list, size_t count);

/* Add up waits in one stack, and waits for one holder in one stack of its, at the front of the
 * list, the longest first. Return how many. */
size_t locks_join_stacks(struct wait *list, size_t count);
size_t locks_join_holders(struct wait *list, size_t count);

/* Is it a condition variable, or else a semaphore? */
bool locks_is_condition(const char *lock);

#endif
