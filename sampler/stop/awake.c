/* The time awake is CPU time plus the wait for a CPU. Both are in schedstat, its first two numbers
 * (proc_pid_schedstat() in fs/proc/base.c), but the CPU time there is as old as the last scheduler
 * tick. So it is read from the thread's CPU clock, which is exact. */
#include "sampler/stop/awake.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "sampler/child/priority.h"
#include "sampler/thread/threads.h"

int awake_open(void)
{
	return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

uint64_t awake_ns(int fd)
{
	struct schedstat s;
	char text[96];
	ssize_t len = pread(fd, text, sizeof(text), 0);

	if (len <= 0 || !has_realtime_class(0))
		return AWAKE_UNKNOWN;
	if (!schedstat_parse(text, (size_t)len, &s))
		return AWAKE_UNKNOWN;
	return s.wait_ns + thread_cpu_ns();
}
