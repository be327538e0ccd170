#include "sampler/capture/events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/capture/event.h"
#include "sampler/thread/registers.h"

enum {
	RING_PAGES =
		128, /* with the page of its head, what one user may lock for a CPU by default */
	RING_PAGES_LEAST = 32, /* for two records of any length */
	HELD_NS = 600000000,   /* what a ring is to hold: a large program's tables take as long */
	RECORD_MOST = 1 << 16,
	RECORD_REST = 256, /* a record without its stack */
};

struct ring {
	int fd;
	struct perf_event_mmap_page *head; /* the data follows */
	size_t bytes;			   /* of data, a power of two */
};

struct events {
	struct ring *rings;
	unsigned count, next; /* the ring that is read next */
	long online;	      /* CPUs, when they were opened */
	bool resting;
	uint64_t period_ns, lost;
	uint64_t before_ns, since_ns; /* the period until then */
	size_t stack, page;
	uint8_t record[RECORD_MOST];
};

static int open_event(const struct events *e, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = e->period_ns,
		.sample_type = event_sample_type(),
		.sample_regs_user = registers_of_event_mask(),
		.sample_stack_user = (uint32_t)(e->stack & ~(size_t)7),
		.exclude_idle = 1,
		.exclude_callchain_kernel = 1,
		.exclude_callchain_user = 1,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void close_ring(const struct events *e, struct ring *r)
{
	if (r->head)
		munmap(r->head, r->bytes + e->page);
	if (r->fd >= 0)
		close(r->fd);
}

static size_t pages_wanted(const struct events *e)
{
	size_t bytes = (e->stack + RECORD_REST) * (HELD_NS / e->period_ns + 1);
	size_t pages = RING_PAGES_LEAST;

	while (pages < RING_PAGES && pages * e->page < bytes)
		pages *= 2;
	return pages;
}

/* Less, where less may be locked. */
static bool map_ring(const struct events *e, struct ring *r)
{
	for (size_t pages = pages_wanted(e); pages >= RING_PAGES_LEAST; pages /= 2) {
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

static int refuse(struct error *err)
{
	if (errno == EACCES || errno == EPERM)
		return error_set(
			err, ERR_PERM,
			"perf_event_open(2) for each CPU: not permitted by the kernel or by "
			"seccomp (CAP_PERFMON would permit it, or "
			"kernel.perf_event_paranoid below 1)");
	return error_errno(err, ERR_IO, "perf_event_open(2)");
}

static void close_rings(struct events *e)
{
	for (unsigned i = 0; i < e->count; i++)
		close_ring(e, &e->rings[i]);
	free(e->rings);
	e->rings = NULL;
	e->count = e->next = 0;
}

static void set_running(const struct events *e)
{
	unsigned long request = e->resting ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;

	for (unsigned i = 0; i < e->count; i++)
		ioctl(e->rings[i].fd, request, 0);
}

void events_rest(struct events *e, bool rest)
{
	if (rest == e->resting)
		return;
	e->resting = rest;
	set_running(e);
}

bool events_are_resting(const struct events *e)
{
	return e->resting;
}

/* A CPU that is offline has none. */
static int open_rings(struct events *e, struct error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	e->online = sysconf(_SC_NPROCESSORS_ONLN);
	e->rings = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*e->rings));
	if (!e->rings)
		return error_nomem(err);
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct ring *r = &e->rings[e->count];

		r->fd = open_event(e, cpu);
		if (r->fd < 0 && errno == ENODEV)
			continue;
		if (r->fd < 0)
			return refuse(err);
		e->count++;
		if (!map_ring(e, r))
			return error_set(err, ERR_PERM,
					 "perf events: no memory may be locked for them "
					 "(RLIMIT_MEMLOCK, kernel.perf_event_mlock_kb)");
	}
	if (!e->resting)
		set_running(e);
	return e->count ? 0 : error_set(err, ERR_IO, "no CPU has a timer for samples");
}

int events_open(struct events **out, uint64_t period_ns, size_t stack, struct error *err)
{
	struct events *e = calloc(1, sizeof(*e));
	int rc;

	if (!e)
		return error_nomem(err);
	e->page = (size_t)sysconf(_SC_PAGESIZE);
	e->period_ns = period_ns;
	e->stack = stack < EVENTS_STACK_MAX ? stack : EVENTS_STACK_MAX;
	rc = open_rings(e, err);
	if (rc) {
		events_close(e);
		return rc;
	}
	*out = e;
	return 0;
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

int events_keep(struct events *e, struct error *err)
{
	return sysconf(_SC_NPROCESSORS_ONLN) == e->online ? 0 : events_deepen(e, e->stack, err);
}

size_t events_depth(const struct events *e)
{
	return e->stack;
}

void events_pace(struct events *e, uint64_t period_ns)
{
	if (period_ns == e->period_ns)
		return;
	e->before_ns = e->period_ns;
	e->since_ns = monotonic_ns();
	e->period_ns = period_ns;
	for (unsigned i = 0; i < e->count; i++)
		ioctl(e->rings[i].fd, PERF_EVENT_IOC_PERIOD, &period_ns);
}

uint64_t events_hold_ns(const struct events *e)
{
	uint64_t records = UINT64_MAX;

	for (unsigned i = 0; i < e->count; i++) {
		uint64_t fit = e->rings[i].bytes / (e->stack + RECORD_REST);

		records = fit < records ? fit : records;
	}
	return records * e->period_ns;
}

/* Copies `len` bytes at the tail's distance `at`, round the ring's end where it lies there. */
static void copy_out(const struct events *e, const struct ring *r, uint64_t at, void *to,
		     size_t len)
{
	const uint8_t *data = (const uint8_t *)r->head + e->page;
	size_t from = at & (r->bytes - 1), first = r->bytes - from < len ? r->bytes - from : len;

	memcpy(to, data + from, first);
	memcpy((uint8_t *)to + first, data, len - first);
}

/* A sample's body begins with the process. */
static bool is_wanted(const struct events *e, const struct ring *r, uint64_t at,
		      const struct perf_event_header *header, events_wanted *wanted, void *owner)
{
	int32_t pid;

	if (header->type != PERF_RECORD_SAMPLE)
		return true;
	if (header->size < sizeof(*header) + sizeof(pid))
		return false;
	copy_out(e, r, at + sizeof(*header), &pid, sizeof(pid));
	return wanted(owner, pid);
}

/* Takes one record out of a ring; its body is in e->record. If that is not wanted, the header's type
 * is 0. False: the ring is empty. */
static bool take(struct events *e, struct ring *r, struct perf_event_header *header,
		 events_wanted *wanted, void *owner)
{
	_Atomic uint64_t *head = (_Atomic uint64_t *)&r->head->data_head,
			 *tail = (_Atomic uint64_t *)&r->head->data_tail;
	uint64_t at = atomic_load_explicit(tail, memory_order_relaxed),
		 end = atomic_load_explicit(head, memory_order_acquire);

	if (end - at < sizeof(*header) || end - at > r->bytes)
		return false;
	copy_out(e, r, at, header, sizeof(*header));
	if (header->size < sizeof(*header) || header->size > end - at) {
		atomic_store_explicit(tail, end, memory_order_release);
		return false;
	}
	if (is_wanted(e, r, at, header, wanted, owner))
		copy_out(e, r, at + sizeof(*header), e->record, header->size - sizeof(*header));
	else
		header->type = 0;
	atomic_store_explicit(tail, at + header->size, memory_order_release);
	return true;
}

/* The body of a PERF_RECORD_LOST is an id and a number. */
static void count_lost(struct events *e)
{
	uint64_t lost;

	memcpy(&lost, e->record + sizeof(lost), sizeof(lost));
	e->lost += lost;
}

/* PERF_SAMPLE_PERIOD does not tell: it stays as at the start (perf_swevent_hrtimer() in
 * kernel/events/core.c takes hw.last_period). */
static uint64_t period_at(const struct events *e, uint64_t ns)
{
	return ns < e->since_ns ? e->before_ns : e->period_ns;
}

bool events_next(struct events *e, events_wanted *wanted, void *owner, struct event *event)
{
	struct perf_event_header header;

	for (unsigned empty = 0; empty < e->count;) {
		struct ring *r = &e->rings[e->next];
		bool took = take(e, r, &header, wanted, owner);

		if (!took) {
			empty++;
			e->next = (e->next + 1) % e->count;
			continue;
		}
		empty = 0;
		if (header.type == PERF_RECORD_LOST)
			count_lost(e);
		if (header.type != PERF_RECORD_SAMPLE ||
		    (!event_parse(e->record, header.size - sizeof(header), event) &&
		     !event->narrow))
			continue;
		event->period_ns = period_at(e, event->time_ns);
		return true;
	}
	return false;
}

unsigned events_cpus(const struct events *e)
{
	return e->count;
}

uint64_t events_lost(const struct events *e)
{
	return e->lost;
}
