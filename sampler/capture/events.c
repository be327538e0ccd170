/* A ring is read in turns: up to the end that it had when the turn began, the earliest record of
 * all rings first, so that news and samples come in the order of their times. */
#include "sampler/capture/events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/smallfile.h"
#include "sampler/account/counted.h"
#include "sampler/capture/cpus.h"
#include "sampler/capture/event.h"
#include "sampler/capture/taskevents.h"

enum {
	COUNTED_FIRST = 1000, /* until it is known how many come */
	RING_PAGES =
		128, /* with the page of its head, what one user may lock for a CPU by default */
	RINGS_MOST = 16 << 20, /* bytes of all rings, where more may be locked and CPUs are few */
	RING_PAGES_LEAST = 32, /* for two records of any length */
	LINEAGE_PAGES = 8,     /* for 450 tasks that begin or end */
	HELD_NS = 600000000,   /* what a ring is to hold: a large program's tables take as long */
	RECORD_MOST = 1 << 16,
	RECORD_REST = 256, /* a record without its stack and the kernel's frames */
	RECORD_KERNEL = 8 * (EVENT_KERNEL_MOST + 2), /* these */
};

struct events_ring {
	int fd;
	struct perf_event_mmap_page *head; /* the data follows */
	size_t bytes;			   /* of data, a power of two */
	uint64_t end;			   /* so far it is read in this turn */
	struct perf_event_header next;	   /* its first record that is not read */
	uint64_t next_ns;		   /* the time of that; UINT64_MAX: there is none */
	enum { IN_PACE, FIRST_OF_PACE, AT_A_NEW_PACE } pace; /* what the next sample is */
};

struct events {
	struct events_ring *rings;
	unsigned count;
	pid_t root; /* only news of what it makes; -1: all of all processes */
	struct events_ring
		*lent; /* its first record is the sample that was returned last; or NULL */
	long online;   /* CPUs, when they were opened */
	bool resting, in_turn, kernel, prompt;
	bool of_tasks;	/* events of threads: those of CPUs are not permitted, */
	bool user_only; /* nor is a look at what the kernel does */
	struct taskevents tasks;
	const struct counted *counted;
	struct counting {
		uint64_t every, before; /* so many make a sample; so many did until since_ns */
		uint64_t all;		/* what was counted until then */
	} counting;
	int any_fd;	  /* an epoll of all rings; -1: not prompt */
	uint64_t told_ns; /* since when no news is missing */
	uint64_t period_ns, lost;
	uint64_t before_ns, since_ns; /* the period until then */
	size_t stack, page;
	uint8_t record[RECORD_MOST];
};

static void count_instead(struct perf_event_attr *attr, const struct events *e)
{
	attr->type = e->counted->type;
	attr->config = e->counted->config;
	attr->sample_period = e->counting.every;
	attr->exclude_idle = 0;
}

static struct perf_event_attr attributes(const struct events *e)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = e->period_ns,
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

static void close_ring(const struct events *e, struct events_ring *r)
{
	if (r->head)
		munmap(r->head, r->bytes + e->page);
	descriptor_close(&r->fd);
}

static size_t record_bytes(const struct events *e)
{
	return e->stack + RECORD_REST + (e->kernel ? RECORD_KERNEL : 0);
}

static size_t pages_most(const struct events *e)
{
	size_t share = RINGS_MOST / (size_t)e->online / e->page;

	return e->of_tasks || share < RING_PAGES ? RING_PAGES : share;
}

static size_t pages_wanted(const struct events *e)
{
	size_t pages = RING_PAGES_LEAST, most = pages_most(e), bytes;

	if (e->root >= 0)
		return LINEAGE_PAGES;
	bytes = record_bytes(e) * (HELD_NS / e->period_ns + 1);
	while (pages < most && pages * e->page < bytes)
		pages *= 2;
	return pages;
}

/* Less, where less may be locked. */
static bool map_ring(const struct events *e, struct events_ring *r)
{
	size_t pages = pages_wanted(e), least = e->root >= 0 ? pages : RING_PAGES_LEAST;

	for (; pages >= least; pages /= 2) {
		void *at = mmap(NULL, (pages + 1) * e->page, PROT_READ | PROT_WRITE, MAP_SHARED,
				r->fd, 0);

		if (at != MAP_FAILED) {
			r->head = at;
			r->bytes = pages * e->page;
			return true;
		}
	}
	return false;
}

/* "; it is 4", which the kernel of Debian and Ubuntu has beside the values of Linux. */
static const char *say_paranoid(char *said, size_t room)
{
	char text[16];

	*said = '\0';
	if (smallfile_read(AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) >
	    0)
		snprintf(said, room, "; it is %ld", strtol(text, NULL, 10));
	return said;
}

static int refuse_access(const struct events *e, struct error *err)
{
	char said[40];

	return error_set(err, ERR_PERM,
			 "perf_event_open(2) for each %s: not permitted by the kernel or by "
			 "seccomp (CAP_PERFMON would permit it, or kernel.perf_event_paranoid "
			 "below %d%s)",
			 e->of_tasks ? "CPU or thread" : "CPU", e->of_tasks ? 3 : 1,
			 say_paranoid(said, sizeof(said)));
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
		close_ring(e, &e->rings[i]);
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

	e->online = sysconf(_SC_NPROCESSORS_ONLN);
	e->rings = calloc(cpus, sizeof(*e->rings));
	if (!e->rings)
		return error_nomem(err);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		struct events_ring *r = &e->rings[e->count];

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
	if (e->of_tasks && !e->resting) {
		int rc = open_tasks(e, err);

		if (rc)
			return rc;
	}
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
	e->period_ns = taskevents_period(e->period_ns);
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
	e->page = (size_t)sysconf(_SC_PAGESIZE);
	e->counted = wish->counted;
	e->period_ns = wish->period_ns;
	e->kernel = wish->kernel;
	e->tasks.process = wish->process;
	e->tasks.owner = wish->owner;
	e->counting = (struct counting){ COUNTED_FIRST, COUNTED_FIRST, 0 };
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

/* How many make a sample, so that samples of one CPU are as far apart as is wanted, by how many
 * came since the pace was set. Rejected: letting the kernel find it (perf_event_attr.freq): it
 * begins with each single one, and its pace is in step with a program that repeats what it does
 * (perf had 75 % of the page faults where 25 % were). */
static uint64_t count_pace(struct events *e, uint64_t now)
{
	uint64_t all = counted_so_far(e), passed = now - e->since_ns;
	/* Less than before: they were opened anew. */
	double came = (double)(all >= e->counting.all ? all - e->counting.all : all);
	double every = came * (double)e->period_ns / (double)passed / e->count;

	e->counting.before = e->counting.every;
	if (e->since_ns && passed)
		e->counting.every = every < 1 ? 1 : (uint64_t)every;
	e->counting.all = all;
	return e->counting.every;
}

/* Inherited events keep the period that theirs were opened with: PERF_EVENT_IOC_PERIOD does not
 * reach them (_perf_ioctl() in kernel/events/core.c). So all are opened anew; the rings stay. */
static int pace_tasks(struct events *e, uint64_t period_ns, struct error *err)
{
	int rc;

	taskevents_close(&e->tasks);
	e->before_ns = e->period_ns;
	e->period_ns = taskevents_period(period_ns);
	e->since_ns = monotonic_ns();
	rc = e->resting ? 0 : open_tasks(e, err);
	set_running(e);
	return rc;
}

static void pace_cpus(struct events *e, uint64_t period_ns)
{
	uint64_t now = monotonic_ns(), value = period_ns;
	bool software = e->counted && e->counted->type == PERF_TYPE_SOFTWARE;

	if (period_ns == e->period_ns)
		return;
	e->before_ns = e->period_ns;
	e->period_ns = period_ns;
	if (e->counted)
		value = count_pace(e, now);
	e->since_ns = now;
	if (e->counted && e->counting.every == e->counting.before)
		return;
	for (unsigned i = 0; i < e->count; i++) {
		ioctl(e->rings[i].fd, PERF_EVENT_IOC_PERIOD, &value);
		e->rings[i].pace = software ? AT_A_NEW_PACE : FIRST_OF_PACE;
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
	return records * e->period_ns;
}

/* Copies `len` bytes at the tail's distance `at`, round the ring's end where it lies there. */
static void copy_out(const struct events *e, const struct events_ring *r, uint64_t at, void *to,
		     size_t len)
{
	const uint8_t *data = (const uint8_t *)r->head + e->page;
	size_t from = at & (r->bytes - 1), first = r->bytes - from < len ? r->bytes - from : len;

	memcpy(to, data + from, first);
	memcpy((uint8_t *)to + first, data, len - first);
}

static _Atomic uint64_t *tail_of(const struct events_ring *r)
{
	return (_Atomic uint64_t *)&r->head->data_tail;
}

/* Finds the first record that is not read. A broken one ends the ring: nothing tells where the next
 * is. */
static void events_find_next(const struct events *e, struct events_ring *r)
{
	uint64_t at = atomic_load_explicit(tail_of(r), memory_order_relaxed), left = r->end - at;

	r->next_ns = UINT64_MAX;
	if (left >= sizeof(r->next) && left <= r->bytes)
		copy_out(e, r, at, &r->next, sizeof(r->next));
	if (left < sizeof(r->next) + sizeof(uint64_t) || left > r->bytes ||
	    r->next.size < sizeof(r->next) + 2 * sizeof(uint64_t) || r->next.size > left) {
		atomic_store_explicit(tail_of(r), r->end, memory_order_release);
		return;
	}
	at += sizeof(r->next);
	copy_out(e, r, at + event_time_at(&r->next, r->next.size - sizeof(r->next)), &r->next_ns,
		 sizeof(r->next_ns));
}

/* What has come until now is read in this turn. */
static void begin_turn(struct events *e)
{
	for (unsigned i = 0; i < e->count; i++) {
		struct events_ring *r = &e->rings[i];

		r->end = atomic_load_explicit((_Atomic uint64_t *)&r->head->data_head,
					      memory_order_acquire);
		events_find_next(e, r);
	}
}

/* The ring whose next record is the oldest; NULL: the turn is over. */
static struct events_ring *events_oldest(const struct events *e)
{
	struct events_ring *found = NULL;

	for (unsigned i = 0; i < e->count; i++)
		if (e->rings[i].next_ns < (found ? found->next_ns : UINT64_MAX))
			found = &e->rings[i];
	return found;
}

/* The kernel may write over the ring's first record from now on. */
static void pass_over(const struct events *e, struct events_ring *r)
{
	uint64_t at = atomic_load_explicit(tail_of(r), memory_order_relaxed);

	atomic_store_explicit(tail_of(r), at + r->next.size, memory_order_release);
	events_find_next(e, r);
}

/* Where `len` bytes lie, of which the first is at the tail's distance `at`: in the ring, or where
 * they go round its end, in e->record. */
static const uint8_t *body_at(struct events *e, const struct events_ring *r, uint64_t at,
			      size_t len)
{
	size_t from = at & (r->bytes - 1);

	if (from + len <= r->bytes)
		return (const uint8_t *)r->head + e->page + from;
	copy_out(e, r, at, e->record, len);
	return e->record;
}

/* A new pace makes the next one that is counted by software a sample (_perf_event_period() in
 * kernel/events/core.c sets what is left of the period to 0). It is chosen by time, not by number,
 * and would favour a program that makes them steadily over one that makes them in bursts: it is
 * none. 0 for that. A processor's counter begins anew without one (x86_perf_event_set_period() in
 * arch/x86/events/core.c). The first sample of a new pace stands for half a period of the old one,
 * too, on the average. */
static uint64_t events_count_of(const struct events *e, struct events_ring *r)
{
	uint64_t before = e->counting.before;

	if (r->next_ns < e->since_ns)
		return before;
	switch (r->pace) {
	case AT_A_NEW_PACE:
		r->pace = FIRST_OF_PACE;
		return 0;
	case FIRST_OF_PACE:
		r->pace = IN_PACE;
		return e->counting.every + before / 2;
	case IN_PACE:
		break;
	}
	return e->counting.every;
}

/* Reads the first record of a ring. Strangers' are passed over. A sample stays there until the next
 * call, since its stack is borrowed. */
static void events_take(struct events *e, struct events_ring *r, events_wanted *wanted, void *owner,
			struct event *event)
{
	uint64_t at = atomic_load_explicit(tail_of(r), memory_order_relaxed) + sizeof(r->next);
	size_t len = r->next.size - sizeof(r->next);
	int32_t pid;

	event->kind = EVENT_NONE;
	event->count = 0;
	copy_out(e, r, at + event_process_at(&r->next), &pid, sizeof(pid));
	if (r->next.type == PERF_RECORD_LOST ||
	    wanted(owner, pid, r->next.type != PERF_RECORD_SAMPLE))
		event_parse(&r->next, body_at(e, r, at, len), len, e->kernel, event);
	if (e->counted && r->next.type == PERF_RECORD_SAMPLE)
		event->count = events_count_of(e, r);
	if (e->counted && !event->count && event->kind == EVENT_SAMPLE)
		event->kind = EVENT_NONE;
	if (event->kind == EVENT_SAMPLE)
		e->lent = r;
	else
		pass_over(e, r);
}

/* PERF_SAMPLE_PERIOD does not tell: it stays as at the start (perf_swevent_hrtimer() in
 * kernel/events/core.c takes hw.last_period). */
static uint64_t period_at(const struct events *e, uint64_t ns)
{
	return ns < e->since_ns ? e->before_ns : e->period_ns;
}

bool events_next(struct events *e, events_wanted *wanted, void *owner, struct event *event)
{
	struct events_ring *r;

	if (e->lent)
		pass_over(e, e->lent);
	e->lent = NULL;
	if (!e->in_turn)
		begin_turn(e);
	e->in_turn = true;
	while ((r = events_oldest(e))) {
		events_take(e, r, wanted, owner, event);
		if (event->kind == EVENT_LOST) {
			e->lost += event->lost;
			begin_telling(e);
		} else if (event->kind != EVENT_NONE) {
			event->period_ns = period_at(e, event->time_ns);
			return true;
		}
	}
	e->in_turn = false;
	return false;
}

static bool tells_exec(const struct events *e, const struct events_ring *r, pid_t pid)
{
	uint64_t at = atomic_load_explicit(tail_of(r), memory_order_relaxed);
	uint64_t end = atomic_load_explicit((_Atomic uint64_t *)&r->head->data_head,
					    memory_order_acquire);
	struct perf_event_header header;
	int32_t of;

	for (; end - at >= sizeof(header) + sizeof(of) && end - at <= r->bytes; at += header.size) {
		copy_out(e, r, at, &header, sizeof(header));
		copy_out(e, r, at + sizeof(header), &of, sizeof(of));
		if (event_is_exec(&header) && of == pid)
			return true;
		if (header.size < sizeof(header))
			break;
	}
	return false;
}

bool events_tell_exec(const struct events *e, pid_t pid)
{
	for (unsigned i = 0; i < e->count; i++)
		if (tells_exec(e, &e->rings[i], pid))
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
