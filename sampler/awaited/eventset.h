/* The descriptors that epoll_wait(2), poll(2) or select(2) waits on. */
#ifndef SAMPLER_AWAITED_EVENTSET_H
#define SAMPLER_AWAITED_EVENTSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process;
struct waitcall;

/* {0} is empty. */
struct eventset {
	struct event {
		int fd;
		uint64_t inode;	    /* of its file; 0: not known */
		bool reads, writes; /* waits for input or a hangup; for room */
	} *events;
	size_t count, room; /* at most EVENTSET_MOST */
	bool cut;	    /* some could not be read, or there are too many */
};

enum { EVENTSET_MOST = 16384 };

/* ERR_NOMEM. What cannot be read has no descriptors, and is cut. `tid`: whose memory the call's
 * arguments lie in. */
int eventset_read(struct eventset *e, const struct process *process, pid_t tid,
		  const struct waitcall *call);
void eventset_release(struct eventset *e);

/* The same of the text of an epoll descriptor's fdinfo. For the fuzz target. */
int eventset_parse(struct eventset *e, const void *text, size_t len);

#endif
