/*
 * The lock of a key in a folder of batches: its holder alone writes and removes batches of that
 * key there.
 *
 * A record lock (fcntl(2)) on a file ".lock-KEY": the kernel releases it however its process
 * ends, and tells others which process holds it. Rejected: flock(2) and open file description
 * locks, because a process forked from us would hold them as long as it lives, so that after a
 * kill -9 the next sampler might be refused; a file with a process number in it, which means
 * nothing in another container that shares the folder. The price: the lock excludes other
 * processes but not other code in ours, and is lost when we close any descriptor of that file.
 * So no other code here opens the file, and a key is taken once.
 */
#ifndef ROUNDS_BATCH_LOCK_H
#define ROUNDS_BATCH_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

struct batchlock {
	int fd;	      /* -1: not held */
	pid_t holder; /* after ERR_PERM: the process that holds it; 0: not known */
	uid_t owner;  /* of the lock file: our own user ID as this file system sees it */
};

#define BATCHLOCK_NONE { .fd = -1 }

/* Takes the lock of `key_text` in the folder `dir` without waiting. `make` creates a missing
 * lock file. On success the caller releases it with batchlock_drop. ERR_PERM: another process
 * holds it, l->holder if that is known; ERR_NOTFOUND: no lock file; ERR_IO with errno. */
int batchlock_take(struct batchlock *l, int dir, const char *key_text, bool make);

/* Do we hold it, and does its file still have its name in the folder? */
bool batchlock_held(const struct batchlock *l, int dir, const char *key_text);

/* Removes the file, then releases the lock. Harmless when not held. */
void batchlock_drop(struct batchlock *l, int dir, const char *key_text);

#endif
