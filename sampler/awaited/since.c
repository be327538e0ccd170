/* The clock of a run queue, for since.h. */
#include "sampler/awaited/since.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/room.h"
#include "base/smallfile.h"
#include "sampler/thread/taskfiles.h"

#define SINCE_UNKNOWN INT64_MIN

void since_release(struct since *s)
{
	free(s->ahead);
	*s = (struct since){ 0 };
}

static uint64_t since_left_cpu(const char *path)
{
	char text[THREAD_SCHED_ROOM];

	return smallfile_read(AT_FDCWD, path, text, sizeof(text)) > 0 ? exec_start_parse(text) : 0;
}

bool since_is_listed(const char *list, int cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		long first = strtol(list, &end, 10);
		long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : "";
	}
	return false;
}

/* Kept free for the program that it was given to. */
static bool since_is_isolated(int cpu)
{
	static const char *const files[] = { "/sys/devices/system/cpu/isolated",
					     "/sys/devices/system/cpu/nohz_full" };
	char text[4096];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (smallfile_read(AT_FDCWD, files[i], text, sizeof(text)) > 0 &&
		    since_is_listed(text, cpu))
			return true;
	return false;
}

/* On the CPU itself. It has just been given to us, so our own time there is the present one. */
static int64_t since_ask(int cpu)
{
	cpu_set_t all, one;
	uint64_t there;

	CPU_ZERO(&one);
	if (cpu < 0 || cpu >= CPU_SETSIZE || since_is_isolated(cpu) ||
	    sched_getaffinity(0, sizeof(all), &all))
		return SINCE_UNKNOWN;
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return SINCE_UNKNOWN;
	sched_yield();
	there = since_left_cpu("/proc/thread-self/sched");
	sched_setaffinity(0, sizeof(all), &all);
	return there ? (int64_t)(there - monotonic_ns()) : SINCE_UNKNOWN;
}

static int64_t since_ahead(struct since *s, int cpu)
{
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return SINCE_UNKNOWN;
	if (room_for_zeros((void **)&s->ahead, &s->room, (size_t)cpu + 1, sizeof(*s->ahead)))
		return SINCE_UNKNOWN;
	if (!s->ahead[cpu])
		s->ahead[cpu] = since_ask(cpu);
	return s->ahead[cpu];
}

uint64_t since_ns(struct since *s, pid_t tid, int cpu)
{
	int64_t ahead = since_ahead(s, cpu), now, left;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/sched", tid);
	left = (int64_t)since_left_cpu(path);
	if (ahead == SINCE_UNKNOWN || !left)
		return 0;
	now = (int64_t)monotonic_ns() + ahead;
	return now > left ? (uint64_t)(now - left) : 0;
}
