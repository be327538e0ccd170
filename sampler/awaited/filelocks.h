/* Which process has the lock of a file that another one waits for: /proc/locks
 * (proc_locks(5)). */
#ifndef SAMPLER_AWAITED_FILELOCKS_H
#define SAMPLER_AWAITED_FILELOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct filelocks_wait {
	pid_t pid;
	bool posix; /* of fcntl(2), not flock(2) */
	uint64_t inode;
};

/* In our PID namespace. 0: none is known, or threads of the waiter wait for several; an open file
 * description's lock has none. `text` is that of the file. */
pid_t filelocks_holder(const void *text, size_t len, const struct filelocks_wait *wait);

/* Does an open file, by the text of its fdinfo, have a lock of flock(2)? Its process may have
 * passed it on, and closed its own. */
bool filelocks_has(const char *info, uint64_t inode);

#endif
