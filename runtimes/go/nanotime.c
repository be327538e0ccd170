/* CLOCK_MONOTONIC is ours plus the difference of two offsets (time_namespaces(7)), read only where
 * the process is in another time namespace. */
#include "runtimes/go/nanotime.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/process.h"

enum { SECOND = 1000000000 };

/* Reads the line "monotonic  SECONDS  NANOSECONDS", in which NANOSECONDS is never negative. The
 * offsets are those of the process itself unless it has made a new namespace for its children. */
static bool read_offset(int fd, int64_t *offset)
{
	char text[256];
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *line;
	long long s, ns;

	if (fd >= 0)
		close(fd);
	if (got < 0)
		return false;
	text[got] = '\0';
	line = strstr(text, "monotonic");
	if (!line || sscanf(line, "monotonic %lld %lld", &s, &ns) != 2 ||
	    s > INT64_MAX / SECOND / 2 || s < -(INT64_MAX / SECOND / 2) || ns < 0 || ns >= SECOND)
		return false;
	*offset = s * SECOND + ns;
	return true;
}

/* True if the process and we are in the same time namespace. That is always so where the kernel has
 * no time namespaces (before Linux 5.6, or left out). */
static bool same_namespace(const struct process *process)
{
	struct stat ours, theirs;

	if (stat("/proc/self/ns/time", &ours))
		return true;
	return !fstatat(process->proc_fd, "ns/time", &theirs, 0) && ours.st_ino == theirs.st_ino &&
	       ours.st_dev == theirs.st_dev;
}

int64_t gonanotime(const struct process *process)
{
	int64_t ours = 0, theirs = 0;

	if (process && !same_namespace(process) &&
	    (!read_offset(open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC), &ours) ||
	     !read_offset(process_openat(process, "timens_offsets", O_RDONLY), &theirs)))
		return 0;
	return (int64_t)monotonic_ns() - ours + theirs;
}
