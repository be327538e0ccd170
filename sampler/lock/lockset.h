/*
 * The waits for locks of a round, each kept once: which futex, with which readings and owners. A
 * stack's context refers to one by its number.
 */
#ifndef SAMPLER_LOCK_LOCKSET_H
#define SAMPLER_LOCK_LOCKSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "sampler/lock/lock.h"

struct image;

struct lockset_entry {
	uint32_t member; /* the process, by its index in the round */
	struct lock_wait wait;
	uint32_t owners[LOCK_KINDS]; /* by reading: the thread's index + 1; 0: none is known */
	const struct image *image;   /* that has the futex in a variable; NULL: none has */
	uint64_t at;		     /* image address of the futex */
};

struct lockset {
	struct lockset_entry *entries;
	uint32_t count;
	size_t room;
	struct hashindex index;
};

/* {0} is an empty set. */
void lockset_release(struct lockset *s);

/* Finds this wait, or adds it; *number is its index + 1, so that 0 can mean none. ERR_NOMEM. */
int lockset_add(struct lockset *s, const struct lockset_entry *wait, uint32_t *number);

/* The wait of a number. */
const struct lockset_entry *lockset_get(const struct lockset *s, uint32_t number);

/* The index + 1 of the thread that holds the lock by all readings that have an owner; 0: none. */
uint32_t lockset_owner(const struct lockset_entry *wait);

#endif
