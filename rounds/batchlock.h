/*
 * The lock of a key in a folder of batches: who holds it writes and removes what is that
 * key's there.
 *
 * A record lock (fcntl(2)) on a file ".lock-KEY": the kernel lets go of it when its process
 * ends, however, and tells others who holds it. Rejected: flock(2) and open file description
 * locks, which a process that was forked from us holds on to for as long as it lives, so
 * that after a kill -9 the next sampler might be refused; a file with a process number in
 * it, which means nothing in another container that shares the folder. The price: the lock
 * excludes other processes and not other parts of ours, and goes when we close any
 * descriptor of that file. So nobody else here opens it, and a key is taken once.
 */
#ifndef ROUNDS_BATCHLOCK_H
#define ROUNDS_BATCHLOCK_H

#include <stdbool.h>
#include <sys/types.h>

struct batchlock {
	int fd;		/* -1: not held */
	pid_t holder;	/* who has it, when it could not be taken; 0: not known */
	uid_t owner;	/* of the file: who we are to this file system */
};

#define BATCHLOCK_NONE { .fd = -1 }

/* Takes it without waiting, and makes its file where there is none if `make`. ERR_PERM:
 * somebody has it; ERR_NOTFOUND: no file; ERR_IO with errno. */
int batchlock_take(struct batchlock *l, int dir, const char *key_text, bool make);

/* Is it held, and does its file still stand in the folder? */
bool batchlock_held(const struct batchlock *l, int dir, const char *key_text);

/* Removes the file, and lets go. Harmless when not held. */
void batchlock_drop(struct batchlock *l, int dir, const char *key_text);

#endif
