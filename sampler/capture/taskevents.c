/* All events of all threads are opened stopped, and started when each thread has its own. */
#include "sampler/capture/taskevents.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/room.h"
#include "sampler/thread/openfiles.h"

enum {
	TRIES = 5,    /* until threads that come meanwhile are left out */
	OFF_PART = 8, /* of the period: how far it is off at most */
};

static int open_event_of(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int taskevents_open_ring(struct taskevents *t, int cpu, bool user_only)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = user_only,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC };
	struct taskring *ring;

	if (room_for((void **)&t->rings, &t->ring_room, t->ring_count + 1, sizeof(*t->rings))) {
		errno = ENOMEM;
		return -1;
	}
	ring = &t->rings[t->ring_count];
	*ring = (struct taskring){ cpu, open_event_of(&attr, getpid(), cpu) };
	t->ring_count += ring->fd >= 0;
	return ring->fd;
}

/* A thread that has ended is passed over, and so is one that may not be looked at: of a program
 * with the set-user-ID bit. */
static int open_thread(struct taskevents *t, const struct perf_event_attr *attr, pid_t tid)
{
	if (room_for((void **)&t->fds, &t->room, t->count + t->ring_count, sizeof(*t->fds)))
		return ERR_NOMEM;
	for (size_t i = 0; i < t->ring_count; i++) {
		int fd = open_event_of(attr, tid, t->rings[i].cpu);

		if (fd < 0)
			return errno == ESRCH || errno == EACCES || errno == EPERM ? 0 : ERR_IO;
		t->fds[t->count++] = fd;
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, t->rings[i].fd))
			return ERR_IO;
	}
	return 0;
}

static int list_process(struct taskevents *t, pid_t pid)
{
	struct dirent *e;
	char path[32];
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (!rc && dir && (e = readdir(dir))) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		rc = room_for((void **)&t->threads, &t->thread_room, t->thread_count + 1,
			      sizeof(*t->threads));
		if (!rc)
			t->threads[t->thread_count++] = tid;
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int taskevents_compare(const void *a, const void *b)
{
	pid_t one = *(const pid_t *)a, other = *(const pid_t *)b;

	return one < other ? -1 : one > other;
}

/* Numbers are in the order of beginning, but for those that are used again: a thread that makes
 * others is opened before these. */
static int list_threads(struct taskevents *t)
{
	pid_t pid;
	int rc = 0;

	t->thread_count = 0;
	for (uint32_t i = 0; !rc && (pid = t->process(t->owner, i)); i++)
		rc = pid > 0 ? list_process(t, pid) : 0;
	if (t->thread_count)
		qsort(t->threads, t->thread_count, sizeof(*t->threads), taskevents_compare);
	return rc;
}

static bool has_thread(const pid_t *threads, size_t count, pid_t tid)
{
	return count && bsearch(&tid, threads, count, sizeof(tid), taskevents_compare);
}

static int open_listed(struct taskevents *t, const struct perf_event_attr *attr, struct error *err)
{
	size_t wanted = t->thread_count * t->ring_count;
	int rc = 0;

	if (wanted > openfiles_for_threads())
		return error_set(
			err, ERR_IO,
			"perf events of %zu threads on %zu CPUs are more files than may be "
			"open (RLIMIT_NOFILE)",
			t->thread_count, t->ring_count);
	errno = 0;
	for (size_t i = 0; !rc && i < t->thread_count; i++)
		rc = open_thread(t, attr, t->threads[i]);
	if (rc == ERR_NOMEM)
		return error_nomem(err);
	if (!rc && !t->count && (errno == EACCES || errno == EPERM))
		rc = ERR_PERM;
	return rc ? error_errno(err, rc, "perf_event_open(2) for each thread") : 0;
}

/* Lists them again. Has each had its events since it was made, or are they its own? */
static int none_has_come(struct taskevents *t, bool *none)
{
	size_t count = t->thread_count;
	pid_t *before = t->threads;
	int rc;

	t->threads = NULL;
	t->thread_room = 0;
	rc = list_threads(t);
	*none = true;
	for (size_t i = 0; i < t->thread_count; i++)
		*none &= has_thread(before, count, t->threads[i]);
	free(before);
	return rc;
}

int taskevents_open(struct taskevents *t, const struct perf_event_attr *attr, struct error *err)
{
	int rc = list_threads(t);

	t->all = false;
	for (int tries = 0; !rc && !t->all && tries < TRIES; tries++) {
		taskevents_close(t);
		rc = open_listed(t, attr, err);
		if (rc)
			return rc;
		rc = none_has_come(t, &t->all);
	}
	return rc ? error_nomem(err) : 0;
}

void taskevents_start(const struct taskevents *t)
{
	for (size_t i = 0; i < t->count; i++)
		ioctl(t->fds[i], PERF_EVENT_IOC_ENABLE, 0);
}

bool taskevents_have(const struct taskevents *t, pid_t pid)
{
	return has_thread(t->threads, t->thread_count, pid);
}

void taskevents_close(struct taskevents *t)
{
	for (size_t i = 0; i < t->count; i++)
		close(t->fds[i]);
	t->count = 0;
}

void taskevents_release(struct taskevents *t)
{
	taskevents_close(t);
	free(t->fds);
	free(t->threads);
	free(t->rings);
	*t = (struct taskevents){ .process = t->process, .owner = t->owner };
}

uint64_t taskevents_period(uint64_t period_ns)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), 0) < 0)
		random = UINT32_MAX / 2;
	return period_ns - period_ns / OFF_PART + period_ns / (OFF_PART / 2) * random / UINT32_MAX;
}
