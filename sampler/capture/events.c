/* In each turn the earliest record of all rings is read first, so that news and samples come in the
 * order of their times. */
#include "sampler/capture/events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/smallfile.h"
#include "sampler/account/counted.h"
#include "sampler/capture/cpus.h"
#include "sampler/capture/event.h"
#include "sampler/capture/eventpace.h"
#include "sampler/capture/eventring.h"
#include "sampler/capture/taskevents.h"

enum {
	RING_PAGES = 128,      /* with the page of its head, what one user may lock for a CPU */
	RINGS_MOST = 16 << 20, /* bytes of all rings, where more may be locked and CPUs are few */
	RING_PAGES_LEAST = 32, /* for two records of any length */
	LINEAGE_PAGES = 8,     /* for 450 tasks that begin or end */
	HELD_NS = 600000000,   /* what a ring is to hold: a large program's tables take as long */
	RECORD_REST = 256,     /* a record without its stack and the kernel's frames */
	RECORD_KERNEL = 8 * (EVENT_KERNEL_MOST + 2), /* these */
};

struct events {
	struct eventring *rings;
	unsigned count;
	pid_t root;		/* only news of what it makes; -1: all of all processes */
	struct eventring *lent; /* its first record is the sample that was returned last; or NULL */
	long online;		/* CPUs, when they were opened */
	bool resting, in_turn, kernel, prompt;
	bool of_tasks;	/* events of threads: those of CPUs are not permitted, */
	bool user_only; /* nor is a look at what the kernel does */
	struct taskevents tasks;
	const struct counted *counted;
	struct eventpace pace;
	int any_fd;	  /* an epoll of all rings; -1: not prompt */
	uint64_t told_ns; /* since when no news is missing */
	uint64_t lost;
	size_t stack;
	uint8_t record[EVENTRING_RECORD_MOST];
};

static void count_instead(struct perf_event_attr *attr, const struct events *e)
{
	attr->type = e->counted->type;
	attr->config = e->counted->config;
	attr->sample_period = e->pace.every;
	attr->exclude_idle = 0;
}

static struct perf_event_attr attributes(const struct events *e)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = e->pace.period_ns,
		.sample_stack_user = (uint32_t)(e->stack & ~(size_t)7),
		.exclude_idle = 1,
		.exclude_callchain_kernel = 1,
		.exclude_callchain_user = 1,
		.wakeup_events = e->prompt,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	event_request(&attr, e->kernel);
	if (e->counted)
		count_instead(&attr, e);
	if (e->root >= 0)
		event_request_lineage(&attr);
	attr.inherit |= e->of_tasks;
	attr.exclude_kernel |= e->user_only;
	return attr;
}

static int open_event(const struct events *e, int cpu)
{
	struct perf_event_attr attr = attributes(e);

	return (int)syscall(SYS_perf_event_open, &attr, e->root, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Whether the kernel may be looked at is found out with the first ring. */
static int open_ring_of_tasks(struct events *e, int cpu)
{
	int fd = taskevents_open_ring(&e->tasks, cpu, e->user_only);

	if (fd >= 0 || e->user_only || (errno != EACCES && errno != EPERM))
		return fd;
	e->user_only = true;
	return taskevents_open_ring(&e->tasks, cpu, true);
}

static size_t record_bytes(const struct events *e)
{
	return e->stack + RECORD_REST + (e->kernel ? RECORD_KERNEL : 0);
}

/* With records of 64 KiB, RING_PAGES hold 70 ms. */
static size_t ring_pages_most(const struct events *e)
{
	size_t share = RINGS_MOST / (size_t)e->online / (size_t)sysconf(_SC_PAGESIZE);

	return e->of_tasks || share < RING_PAGES ? RING_PAGES : share;
}

static bool map_ring(const struct events *e, struct eventring *r)
{
	if (e->root >= 0)
		return eventring_map(r, 0, LINEAGE_PAGES, LINEAGE_PAGES);
	return eventring_map(r, record_bytes(e) * (HELD_NS / e->pace.period_ns + 1),
			     RING_PAGES_LEAST, ring_pages_most(e));
}

static int refuse_access(const struct events *e, struct error *err)
{
	char said[40] = "", text[16];

	/* It may be 4, which the kernel of Debian and Ubuntu has beside the values of Linux. */
	if (smallfile_read(AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) >
	    0)
		snprintf(said, sizeof(said), "; it is %ld", strtol(text, NULL, 10));
	return error_set(err, ERR_PERM,
			 "perf_event_open(2) for each %s: not permitted by the kernel or by "
			 "seccomp (CAP_PERFMON would permit it, or kernel.perf_event_paranoid "
			 "below %d%s)",
			 e->of_tasks ? "CPU or thread" : "CPU", e->of_tasks ? 3 : 1, said);
}

static int events_refuse(const struct events *e, struct error *err)
{
	if (e->counted && (errno == ENOENT || errno == EOPNOTSUPP))
		return error_set(err, ERR_NOTFOUND,
				 "no counter of %s here: the processor has none, or the virtual "
				 "machine does not show it",
				 e->counted->name);
	if (errno == EACCES || errno == EPERM)
		return refuse_access(e, err);
	return error_errno(err, ERR_IO, "perf_event_open(2)");
}

static void close_rings(struct events *e)
{
	taskevents_release(&e->tasks);
	for (unsigned i = 0; i < e->count; i++)
		eventring_close(&e->rings[i]);
	free(e->rings);
	descriptor_close(&e->any_fd);
	e->rings = NULL;
	e->lent = NULL;
	e->count = 0;
}

static void begin_telling(struct events *e)
{
	bool misses = e->resting || (e->of_tasks && !e->tasks.all);

	e->told_ns = misses ? UINT64_MAX : monotonic_ns();
}

static void set_running(struct events *e)
{
	unsigned long request = e->resting ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;

	if (e->of_tasks)
		taskevents_start(&e->tasks);
	else
		for (unsigned i = 0; i < e->count; i++)
			ioctl(e->rings[i].fd, request, 0);
	begin_telling(e);
}

static bool wait_for_any(struct events *e)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (!e->prompt)
		return true;
	e->any_fd = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned i = 0; e->any_fd >= 0 && i < e->count; i++)
		if (epoll_ctl(e->any_fd, EPOLL_CTL_ADD, e->rings[i].fd, &event))
			return false;
	return e->any_fd >= 0;
}

static int open_tasks(struct events *e, struct error *err)
{
	struct perf_event_attr attr = attributes(e);
	int rc = taskevents_open(&e->tasks, &attr, err);

	return rc == ERR_PERM ? refuse_access(e, err) : rc;
}

/* Even stopped, events of threads cost time at each switch to them: at rest they are closed. */
int events_rest(struct events *e, bool rest, struct error *err)
{
	int rc = 0;

	if (rest == e->resting)
		return 0;
	e->resting = rest;
	if (e->of_tasks && rest)
		taskevents_close(&e->tasks);
	else if (e->of_tasks)
		rc = open_tasks(e, err);
	set_running(e);
	return rc;
}

bool events_are_resting(const struct events *e)
{
	return e->resting;
}

/* A CPU that is offline has none. */
static int open_rings(struct events *e, struct error *err)
{
	unsigned cpus = cpus_bound();
	int rc;

	e->online = sysconf(_SC_NPROCESSORS_ONLN);
	e->rings = calloc(cpus, sizeof(*e->rings));
	if (!e->rings)
		return error_nomem(err);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		struct eventring *r = &e->rings[e->count];

		r->next_ns = UINT64_MAX;
		r->fd = e->of_tasks ? open_ring_of_tasks(e, (int)cpu) : open_event(e, (int)cpu);
		if (r->fd < 0 && errno == ENODEV)
			continue;
		if (r->fd < 0)
			return events_refuse(e, err);
		e->count++;
		if (!map_ring(e, r))
			return error_set(err, ERR_PERM,
					 "perf events: no memory may be locked for them "
					 "(RLIMIT_MEMLOCK, kernel.perf_event_mlock_kb)");
	}
	if (!wait_for_any(e))
		return error_errno(err, ERR_IO, "epoll(7) of perf events");
	if (e->of_tasks && !e->resting && (rc = open_tasks(e, err)))
		return rc;
	set_running(e);
	return e->count ? 0 : error_set(err, ERR_IO, "no CPU has a timer for samples");
}

/* What is counted is not: how many make a sample could not be set in time. */
static int open_permitted_rings(struct events *e, struct error *err)
{
	int rc = open_rings(e, err);

	if (rc != ERR_PERM || !e->tasks.process || e->counted)
		return rc;
	close_rings(e);
	e->of_tasks = true;
	e->pace.period_ns = taskevents_period(e->pace.period_ns);
	return open_rings(e, err);
}

static int open_new(struct events **out, pid_t root, const struct events_wish *wish,
		    struct error *err)
{
	struct events *e = calloc(1, sizeof(*e));
	int rc;

	if (!e)
		return error_nomem(err);
	e->root = root;
	e->any_fd = -1;
	e->counted = wish->counted;
	eventpace_init(&e->pace, wish->period_ns);
	e->kernel = wish->kernel;
	e->tasks.process = wish->process;
	e->tasks.owner = wish->owner;
	e->stack = wish->stack < EVENTS_STACK_MAX ? wish->stack : EVENTS_STACK_MAX;
	rc = open_permitted_rings(e, err);
	if (rc) {
		events_close(e);
		return rc;
	}
	*out = e;
	return 0;
}

int events_open(struct events **out, const struct events_wish *wish, struct error *err)
{
	return open_new(out, -1, wish, err);
}

int events_open_lineage(struct events **out, pid_t root, struct error *err)
{
	return open_new(out, root, &(struct events_wish){ .stack = 0 }, err);
}

void events_close(struct events *e)
{
	if (!e)
		return;
	close_rings(e);
	free(e);
}

/* Both at once may be more than may be locked, so the old ones are closed first. */
int events_deepen(struct events *e, size_t stack, struct error *err)
{
	close_rings(e);
	e->stack = stack < EVENTS_STACK_MAX ? stack : EVENTS_STACK_MAX;
	return open_rings(e, err);
}

int events_be_prompt(struct events *e, bool prompt, struct error *err)
{
	if (prompt == e->prompt)
		return 0;
	e->prompt = prompt;
	return events_deepen(e, e->stack, err);
}

int events_fd(const struct events *e)
{
	return e->any_fd;
}

int events_keep(struct events *e, struct error *err)
{
	return sysconf(_SC_NPROCESSORS_ONLN) == e->online ? 0 : events_deepen(e, e->stack, err);
}

size_t events_depth(const struct events *e)
{
	return e->stack;
}

static uint64_t counted_so_far(const struct events *e)
{
	uint64_t all = 0, of_one;

	for (unsigned i = 0; i < e->count; i++)
		if (read(e->rings[i].fd, &of_one, sizeof(of_one)) == sizeof(of_one))
			all += of_one;
	return all;
}

/* Inherited events keep the period that theirs were opened with: PERF_EVENT_IOC_PERIOD does not
 * reach them (_perf_ioctl() in kernel/events/core.c). So all are opened anew; the rings stay. */
static int pace_tasks(struct events *e, uint64_t period_ns, struct error *err)
{
	int rc;

	taskevents_close(&e->tasks);
	eventpace_set(&e->pace, taskevents_period(period_ns));
	rc = e->resting ? 0 : open_tasks(e, err);
	set_running(e);
	return rc;
}

static void pace_cpus(struct events *e, uint64_t period_ns)
{
	bool software = e->counted && e->counted->type == PERF_TYPE_SOFTWARE;

	if (period_ns == e->pace.period_ns)
		return;
	if (!e->counted)
		eventpace_set(&e->pace, period_ns);
	else if (!eventpace_set_counted(&e->pace, period_ns, counted_so_far(e), e->count))
		return;
	for (unsigned i = 0; i < e->count; i++) {
		ioctl(e->rings[i].fd, PERF_EVENT_IOC_PERIOD,
		      e->counted ? &e->pace.every : &e->pace.period_ns);
		e->rings[i].pace_state = software ? EVENTPACE_NEW : EVENTPACE_FIRST;
	}
}

int events_pace(struct events *e, uint64_t period_ns, struct error *err)
{
	if (e->of_tasks)
		return pace_tasks(e, period_ns, err);
	pace_cpus(e, period_ns);
	return 0;
}

bool events_are_of_tasks(const struct events *e)
{
	return e->of_tasks;
}

bool events_see_user_only(const struct events *e)
{
	return e->user_only;
}

bool events_reach(const struct events *e, pid_t pid)
{
	return !e->of_tasks || taskevents_have(&e->tasks, pid);
}

uint64_t events_hold_ns(const struct events *e)
{
	uint64_t records = UINT64_MAX;

	for (unsigned i = 0; i < e->count; i++) {
		uint64_t fit = e->rings[i].bytes / record_bytes(e);

		records = fit < records ? fit : records;
	}
	return records * e->pace.period_ns;
}

/* The ring whose next record is the oldest; NULL: the turn is over. */
static struct eventring *events_oldest(const struct events *e)
{
	struct eventring *found = NULL;

	for (unsigned i = 0; i < e->count; i++)
		if (e->rings[i].next_ns < (found ? found->next_ns : UINT64_MAX))
			found = &e->rings[i];
	return found;
}

/* Reads the first record of a ring. Strangers' are passed over. A sample stays there until the next
 * call, since its stack is borrowed. */
static void events_take(struct events *e, struct eventring *r, events_wanted *wanted, void *owner,
			struct event *event)
{
	bool sample = r->next.type == PERF_RECORD_SAMPLE;
	const uint8_t *body;
	size_t len;

	event->kind = EVENT_NONE;
	event->count = 0;
	if (r->next.type == PERF_RECORD_LOST || wanted(owner, eventring_process(r), !sample)) {
		body = eventring_body(r, e->record, &len);
		event_parse(&r->next, body, len, e->kernel, event);
	}
	if (e->counted && sample) {
		event->count = eventpace_count_of(&e->pace, &r->pace_state, r->next_ns);
		if (!event->count && event->kind == EVENT_SAMPLE)
			event->kind = EVENT_NONE;
	}
	if (event->kind == EVENT_SAMPLE)
		e->lent = r;
	else
		eventring_pass(r);
}

bool events_next(struct events *e, events_wanted *wanted, void *owner, struct event *event)
{
	struct eventring *r;

	if (e->lent)
		eventring_pass(e->lent);
	e->lent = NULL;
	if (!e->in_turn)
		for (unsigned i = 0; i < e->count; i++)
			eventring_begin_turn(&e->rings[i]);
	e->in_turn = true;
	while ((r = events_oldest(e))) {
		events_take(e, r, wanted, owner, event);
		if (event->kind == EVENT_LOST) {
			e->lost += event->lost;
			begin_telling(e);
		} else if (event->kind != EVENT_NONE) {
			event->period_ns = eventpace_period_at(&e->pace, event->time_ns);
			return true;
		}
	}
	e->in_turn = false;
	return false;
}

bool events_tell_exec(const struct events *e, pid_t pid)
{
	for (unsigned i = 0; i < e->count; i++)
		if (eventring_tells_exec(&e->rings[i], pid))
			return true;
	return false;
}

uint64_t events_told_ns(const struct events *e)
{
	return e->told_ns;
}

unsigned events_cpus(const struct events *e)
{
	return e->count;
}

uint64_t events_lost(const struct events *e)
{
	return e->lost;
}
