/* Which process has the lock of a file that another one waits for: /proc/locks
 * (proc_locks(5)). */
#ifndef SAMPLER_AWAITED_FILELOCKS_H
#define SAMPLER_AWAITED_FILELOCKS_H

#include <stddef.h>
#include <sys/types.h>

/* In our PID namespace. 0: none is known; an open file description's lock has none. `text` is that
 * of the file. */
pid_t filelocks_holder(const void *text, size_t len, pid_t waiter);

#endif
