/* Both looks are sorted by number, processes and the threads of each, as /proc lists them, so they
 * are compared side by side. A number that was used again has another start time, or a thread's
 * counters run backwards. */
#include "base/process/population.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/process/process.h"

struct population_thread {
	pid_t tid;
	uint64_t run_ns, queued_ns, slices;
};

struct population_pass {
	struct population *population;
	size_t before; /* the process of the last look that comes next */
	bool no_memory;
};

/* Makes room for one more element of an array. */
static bool population_grow(void **array, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 256;
	void *grown;

	if (count < *room)
		return true;
	grown = realloc(*array, more * size);
	if (!grown)
		return false;
	*array = grown;
	*room = more;
	return true;
}

/* Reads a file of a thread below `task`. */
static bool population_read(int task, pid_t tid, const char *name, char *text, size_t room)
{
	char path[40];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", tid, name);
	fd = openat(task, path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, room - 1);
	descriptor_close(&fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0;
}

/* proc_pid_schedstat(5): time on a CPU, time ready without one, both in ns; times on a CPU. A
 * kernel without CONFIG_SCHED_INFO has none. */
static void population_read_schedstat(int task, struct population_thread *t)
{
	char text[100];

	if (population_read(task, t->tid, "schedstat", text, sizeof(text)) &&
	    sscanf(text, "%lu %lu %lu", &t->run_ns, &t->queued_ns, &t->slices) != 3)
		t->run_ns = t->queued_ns = t->slices = 0;
}

static bool population_is_blocked(int task, pid_t tid)
{
	char text[1024], *end;

	return population_read(task, tid, "stat", text, sizeof(text)) &&
	       (end = strrchr(text, ')')) && end[1] == ' ' && end[2] == 'D';
}

/* The thread in the last look, if it is the same one. `at` is where the search goes on. */
static const struct population_thread *population_thread_before(
	const struct population_look *before, size_t *at, size_t end,
	const struct population_thread *t)
{
	const struct population_thread *of = before->threads;

	while (*at < end && of[*at].tid < t->tid)
		++*at;
	return *at < end && of[*at].tid == t->tid && of[*at].run_ns <= t->run_ns &&
			       of[*at].slices <= t->slices ?
		       &of[*at] :
		       NULL;
}

/* Adds a thread's figures to its process's. To become blocked, or to stop being so, a thread has
 * to run: one that has not, and is in state D, was so all the time. */
static void population_compare(struct population_process *p, int task,
			       const struct population_thread *t,
			       const struct population_thread *before)
{
	p->threads++;
	if (!before)
		return;
	if (before->queued_ns <= t->queued_ns)
		p->queued_ns += t->queued_ns - before->queued_ns;
	if (before->slices == t->slices && before->run_ns == t->run_ns)
		p->stuck += population_is_blocked(task, t->tid);
}

static void population_take_threads(struct population_pass *pass, struct population_process *p,
				    int dir, const struct population_process *before)
{
	struct population_look *now = &pass->population->now, *last = &pass->population->before;
	size_t at = before ? before->first : 0, end = before ? at + before->threads : 0;
	int task = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = task < 0 ? NULL : fdopendir(task);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		struct population_thread t = { .tid = (pid_t)atoi(entry->d_name) };

		if (t.tid <= 0)
			continue;
		if (!population_grow((void **)&now->threads, now->thread_count, &now->thread_room,
				     sizeof(t))) {
			pass->no_memory = true;
			break;
		}
		population_read_schedstat(task, &t);
		population_compare(p, task, &t, population_thread_before(last, &at, end, &t));
		now->threads[now->thread_count++] = t;
	}
	if (list)
		closedir(list);
	else
		descriptor_close(&task);
}

/* By the process's CPU clock, else in clock ticks. */
static uint64_t population_total_cpu_ns(const struct named *n)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(n->pid, &clock) || clock_gettime(clock, &ts))
		return n->cpu_ticks * (NS_PER_S / hz);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static const struct population_process *population_process_before(struct population_pass *pass,
								  const struct named *n)
{
	const struct population_look *last = &pass->population->before;
	const struct population_process *of = last->processes;

	while (pass->before < last->count && of[pass->before].of.pid < n->pid)
		pass->before++;
	return pass->before < last->count && of[pass->before].of.pid == n->pid &&
			       of[pass->before].of.start_ticks == n->start_ticks ?
		       &of[pass->before] :
		       NULL;
}

static void population_take_process(void *ctx, const struct named *n, int dir)
{
	struct population_pass *pass = ctx;
	struct population_look *now = &pass->population->now;
	const struct population_process *before = population_process_before(pass, n);
	struct population_process p = { .of = *n,
					.cpu_total_ns = population_total_cpu_ns(n),
					.first = now->thread_count };
	uint64_t used = before ? before->cpu_total_ns : 0;

	pass->no_memory |= !population_grow((void **)&now->processes, now->count, &now->room,
					    sizeof(p));
	if (pass->no_memory)
		return;
	p.cpu_ns = p.cpu_total_ns > used && pass->population->interval_ns ? p.cpu_total_ns - used :
									    0;
	population_take_threads(pass, &p, dir, before);
	now->processes[now->count++] = p;
}

static int population_by_number(const void *a, const void *b)
{
	const struct population_process *x = a, *y = b;

	return x->of.pid < y->of.pid ? -1 : x->of.pid > y->of.pid;
}

int population_take(struct population *c, struct error *err)
{
	struct population_pass pass = { .population = c };
	struct population_look oldest = c->before;
	uint64_t own_ns = thread_cpu_ns();
	int rc;

	c->before = c->now;
	if (c->before.count)
		qsort(c->before.processes, c->before.count, sizeof(*c->before.processes),
		      population_by_number);
	c->now = oldest;
	c->now.count = c->now.thread_count = 0;
	c->now.at_ns = monotonic_ns();
	c->interval_ns = c->before.at_ns ? c->now.at_ns - c->before.at_ns : 0;
	rc = named_each(population_take_process, &pass, err);
	c->cost_ns = thread_cpu_ns() - own_ns;
	return rc ? rc : pass.no_memory ? error_nomem(err) : 0;
}

static int population_more_first(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int population_by_cpu(const void *a, const void *b)
{
	const struct population_process *x = a, *y = b;
	int order = population_more_first(x->cpu_ns, y->cpu_ns);

	order = order ? order : population_more_first(x->stuck, y->stuck);
	order = order ? order : population_more_first(x->queued_ns, y->queued_ns);
	return order ? order : population_by_number(a, b);
}

void population_sort(struct population *c)
{
	if (c->now.count)
		qsort(c->now.processes, c->now.count, sizeof(*c->now.processes), population_by_cpu);
}

static void population_look_release(struct population_look *l)
{
	free(l->processes);
	free(l->threads);
	*l = (struct population_look){ 0 };
}

void population_release(struct population *c)
{
	population_look_release(&c->now);
	population_look_release(&c->before);
}
