/* Which processes have a socket or a pipe open: the descriptors of all processes that we may read,
 * listed once. */
#ifndef SAMPLER_AWAITED_ENDS_H
#define SAMPLER_AWAITED_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ends {
	struct end {
		uint64_t inode; /* sorted by it */
		pid_t pid;
		bool socket; /* or a pipe, which it */
		bool reads, writes;
	} *ends;
	size_t count, room;
	bool cut; /* time or room ended first: a process may be missing */
};

/* ERR_NOMEM. */
int ends_list(struct ends *e);
void ends_release(struct ends *e);

/* The process that has the inode open, but for `but`: of a pipe, one that reads or writes. Another
 * one, too, is counted in *others. *has: so has `but`. 0: none is known. */
pid_t ends_of(const struct ends *e, uint64_t inode, bool socket, bool writes, pid_t but,
	      unsigned *others, bool *has);

/* What stands for the inode of a FIFO, whose file system has other numbers than pipes, from its
 * link in a folder of /proc; 0: it is none. Sends no request to a file system's daemon. */
uint64_t ends_fifo(int folder, const char *link);

/* N of a link "socket:[N]" or "pipe:[N]"; 0: it is another one. */
uint64_t ends_inode(const char *link, const char *kind);

#endif
