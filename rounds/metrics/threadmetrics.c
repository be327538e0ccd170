/*
 * A thread with an unchanged schedstat has not run since the last reading, and so has no new
 * switches: the longer file (status) is read only for the others.
 */
#include "rounds/metrics/threadmetrics.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/process.h"
#include "base/room.h"

enum { THREADS_MAX = 1 << 15, STATUS_BYTES = 4096 };

struct thread_counts {
	pid_t tid;
	/* Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat" */
	uint64_t cpu_ns, run_delay_ns, slices;
	uint64_t voluntary, involuntary;
};

/* A reading in the making. */
struct threadmetrics_reading {
	const struct process *process;
	struct thread_counts *threads;
	size_t count, room;
	bool any; /* the scheduler keeps counts (CONFIG_SCHED_INFO) */
};

void threadmetrics_release(struct threadmetrics *m)
{
	free(m->threads);
	memset(m, 0, sizeof(*m));
}

static size_t read_task(const struct process *p, pid_t tid, const char *name, char *text,
			size_t room)
{
	char path[48];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "task/%d/%s", tid, name);
	fd = process_openat(p, path, O_RDONLY);
	if (fd < 0)
		return 0;
	len = read(fd, text, room);
	close(fd);
	return len > 0 ? (size_t)len : 0;
}

/* Zeros if the kernel keeps no counts. */
static void read_schedstat(const struct process *p, struct thread_counts *t)
{
	char text[96];
	struct cursor c;

	cursor_init(&c, text, read_task(p, t->tid, "schedstat", text, sizeof(text)), "schedstat");
	t->cpu_ns = cursor_number(&c, 10);
	cursor_expect(&c, ' ');
	t->run_delay_ns = cursor_number(&c, 10);
	cursor_expect(&c, ' ');
	t->slices = cursor_number(&c, 10);
}

static bool number_behind(const char *text, size_t len, const char *key, uint64_t *number)
{
	const char *at = memmem(text, len, key, strlen(key));
	struct cursor c;

	if (!at)
		return false;
	at += strlen(key);
	cursor_init(&c, at, len - (size_t)(at - text), "status");
	cursor_blanks(&c);
	*number = cursor_number(&c, 10);
	return !c.failed;
}

static bool read_switches(const struct process *p, struct thread_counts *t)
{
	char text[STATUS_BYTES];
	size_t len = read_task(p, t->tid, "status", text, sizeof(text));

	return number_behind(text, len, "\nvoluntary_ctxt_switches:", &t->voluntary) &&
	       number_behind(text, len, "\nnonvoluntary_ctxt_switches:", &t->involuntary);
}

static int threadmetrics_by_tid(const void *a, const void *b)
{
	const struct thread_counts *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static const struct thread_counts *before(const struct threadmetrics *m, pid_t tid)
{
	struct thread_counts key = { .tid = tid };

	return m->count ? bsearch(&key, m->threads, m->count, sizeof(key), threadmetrics_by_tid) :
			  NULL;
}

static int threadmetrics_add_thread(const struct threadmetrics *m, struct threadmetrics_reading *r,
				    pid_t tid)
{
	struct thread_counts t = { .tid = tid };
	const struct thread_counts *old = before(m, tid);

	read_schedstat(r->process, &t);
	r->any |= t.slices > 0;
	if (old && t.slices && old->cpu_ns == t.cpu_ns && old->slices == t.slices) {
		t.voluntary = old->voluntary;
		t.involuntary = old->involuntary;
	} else if (!read_switches(r->process, &t)) {
		return 0; /* it has just ended */
	}
	if (room_for((void **)&r->threads, &r->room, r->count + 1, sizeof(t)))
		return ERR_NOMEM;
	r->threads[r->count++] = t;
	return 0;
}

static int threadmetrics_read_threads(const struct threadmetrics *m,
				      struct threadmetrics_reading *r)
{
	int fd = process_openat(r->process, "task", O_RDONLY | O_DIRECTORY), rc = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return fd >= 0 ? ERR_NOMEM : ERR_PERM;
	}
	for (struct dirent *d; !rc && (d = readdir(dir));) {
		pid_t tid = (pid_t)strtol(d->d_name, NULL, 10);

		if (tid > 0)
			rc = r->count < THREADS_MAX ? threadmetrics_add_thread(m, r, tid) :
						      ERR_LIMIT;
	}
	closedir(dir);
	if (r->count)
		qsort(r->threads, r->count, sizeof(*r->threads), threadmetrics_by_tid);
	return rc;
}

/* A counter's gain since the last reading. A smaller number is of another thread with that tid. */
static uint64_t gain(uint64_t now, const uint64_t *then)
{
	return then && *then <= now ? now - *then : now;
}

static void threadmetrics_add_up(struct threadmetrics *m, const struct threadmetrics_reading *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct thread_counts *t = &r->threads[i], *old = before(m, t->tid);

		if (old && (t->cpu_ns < old->cpu_ns || t->slices < old->slices))
			old = NULL;
		m->run_delay_ns += gain(t->run_delay_ns, old ? &old->run_delay_ns : NULL);
		m->voluntary += gain(t->voluntary, old ? &old->voluntary : NULL);
		m->involuntary += gain(t->involuntary, old ? &old->involuntary : NULL);
	}
}

int threadmetrics_read(struct threadmetrics *m, const struct process *p,
		       struct metric_value values[METRIC_PROCESS_COUNT], struct error *err)
{
	struct threadmetrics_reading r = { .process = p };
	int rc = threadmetrics_read_threads(m, &r);

	if (!rc && !r.count)
		rc = ERR_GONE;
	if (rc) {
		free(r.threads);
		if (rc == ERR_NOMEM)
			return error_nomem(err);
		if (!process_alive(p))
			return error_set(err, ERR_GONE, "process %d has ended", p->pid);
		values[METRIC_RUN_DELAY].why_not = values[METRIC_VOLUNTARY_SWITCHES].why_not =
			values[METRIC_INVOLUNTARY_SWITCHES].why_not =
				rc == ERR_LIMIT ? "too many threads" : "its threads are not shown";
		return 0;
	}
	threadmetrics_add_up(m, &r);
	metric_set(&values[METRIC_VOLUNTARY_SWITCHES], m->voluntary);
	metric_set(&values[METRIC_INVOLUNTARY_SWITCHES], m->involuntary);
	if (r.any)
		metric_set(&values[METRIC_RUN_DELAY], m->run_delay_ns);
	free(m->threads);
	m->threads = r.threads;
	m->count = r.count;
	return 0;
}
