/* The time awake is CPU time plus the wait for a CPU. Both are in schedstat, its first two numbers
 * (proc_pid_schedstat() in fs/proc/base.c), but the CPU time there is as old as the last scheduler
 * tick. So it is read from the thread's CPU clock, which is exact. */
#include "sampler/stop/awake.h"

#include <fcntl.h>

#include "base/clock.h"
#include "sampler/child/priority.h"
#include "sampler/thread/taskfiles.h"

int awake_open(void)
{
	return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

uint64_t awake_ns(int fd)
{
	struct schedstat s;

	return has_realtime_class(0) && schedstat_read(fd, &s) ? s.wait_ns + thread_cpu_ns() :
								 AWAKE_UNKNOWN;
}
