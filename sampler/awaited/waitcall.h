/* What a call waits on, by its number and arguments. */
#ifndef SAMPLER_AWAITED_WAITCALL_H
#define SAMPLER_AWAITED_WAITCALL_H

#include <stdbool.h>
#include <stdint.h>

struct call;

enum wait_on {
	WAIT_ON_NOTHING,    /* or it is not known */
	WAIT_ON_DESCRIPTOR, /* to read from it, or in another way, */
	WAIT_ON_ROOM,	    /* to write to it */
	WAIT_ON_QUEUE,	    /* for a message, or room for one, of mq_overview(7) */
	WAIT_ON_EPOLL,
	WAIT_ON_POLL,	/* an array of struct pollfd */
	WAIT_ON_SELECT, /* three sets of bits */
	WAIT_ON_CHILD,
	WAIT_ON_FILE_LOCK,
	WAIT_ON_SIGNAL,
	WAIT_ON_MESSAGE,   /* msgrcv(2), msgsnd(2) */
	WAIT_ON_SEMAPHORE, /* semop(2) */
	WAIT_ON_TIME,
	WAIT_ON_RING, /* io_uring_enter(2) */
};

struct waitcall {
	enum wait_on on;
	int fd;		  /* of descriptors, rings and a file lock; else -1 */
	uint64_t id;	  /* of a child, 0: any; of a queue or semaphores */
	bool listens;	  /* accept(2): it waits for work */
	bool posix, ofd;  /* of a file lock: a process has it; an open file has it, as flock(2)'s */
	uint64_t memory;  /* address of an array, or how long to sleep; 0: none */
	uint64_t sets[3]; /* addresses of those of select(2); 0: none */
	uint64_t count;	  /* of the array, or bits of the sets */
};

struct waitcall waitcall_of(const struct call *call);

#endif
