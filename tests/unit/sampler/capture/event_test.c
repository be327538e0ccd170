/* Records of perf events, by hand: what is taken, what is of no use. And the kernel's own. */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/capture/event.h"
#include "sampler/capture/events.h"
#include "sampler/thread/registers.h"

enum { ABI_64 = 2, ROOM = 64, PID = 7, TID = 8 };

struct record {
	uint8_t bytes[1024];
	size_t len;
};

static void add(struct record *r, uint64_t value, size_t len)
{
	memcpy(r->bytes + r->len, &value, len);
	r->len += len;
}

/* Register n has the value 0x1000 + n, byte n of the stack the value n. */
static struct record record_of(uint64_t pid, uint64_t abi, uint64_t room, uint64_t filled)
{
	struct record r = { .len = 0 };

	add(&r, pid, 4);
	add(&r, TID, 4);
	add(&r, 123, 8);
	add(&r, abi, 8);
	for (unsigned i = 0; abi && i < registers_of_event_count(); i++)
		add(&r, 0x1000 + i, 8);
	add(&r, room, 8);
	for (uint64_t i = 0; i < room; i++)
		add(&r, i, 1);
	if (room)
		add(&r, filled, 8);
	return r;
}

static struct event parse_as(uint32_t type, uint16_t misc, const struct record *r, size_t len)
{
	struct perf_event_header header = { .type = type, .misc = misc };
	struct event e = { .kind = EVENT_LOST };

	event_parse(&header, r->bytes, len, false, &e);
	return e;
}

static struct event parse(const struct record *r)
{
	return parse_as(PERF_RECORD_SAMPLE, 0, r, r->len);
}

Test(event, has_registers_and_stack)
{
	struct record r = record_of(PID, ABI_64, ROOM, 40);
	struct event e = parse(&r);

	cr_assert_eq(e.kind, EVENT_SAMPLE);
	cr_assert_eq(e.pid, PID);
	cr_assert_eq(e.tid, TID);
	cr_assert_eq(e.time_ns, 123);
	cr_assert_eq(e.stack_len, 40);
	cr_assert(e.whole_stack);
	cr_assert_eq(e.stack[39], 39);
	cr_assert_eq(e.regs.unknown, 0);
#ifdef __x86_64__
	cr_assert_eq(e.regs.r[DWARF_RAX], 0x1000);
	cr_assert_eq(e.regs.r[DWARF_RBP], 0x1006);
	cr_assert_eq(e.regs.r[DWARF_RSP], 0x1007);
	cr_assert_eq(e.regs.r[DWARF_RIP], 0x1008);
	cr_assert_eq(e.regs.r[DWARF_R8], 0x1009);
	cr_assert_eq(e.regs.r[DWARF_R15], 0x1010);
#endif
}

Test(event, may_be_cut)
{
	struct record r = record_of(PID, ABI_64, ROOM, ROOM);
	struct event e = parse(&r);

	cr_assert_eq(e.kind, EVENT_SAMPLE);
	cr_assert(!e.whole_stack);
}

Test(event, may_have_no_stack)
{
	struct record empty = record_of(PID, ABI_64, ROOM, 0), none = record_of(PID, ABI_64, 0, 0);
	struct event e = parse(&empty);

	cr_assert_eq(e.kind, EVENT_SAMPLE);
	cr_assert(!e.stack_len && e.whole_stack);
	e = parse(&none);
	cr_assert_eq(e.kind, EVENT_SAMPLE);
	cr_assert(!e.stack_len);
}

Test(event, is_of_no_use)
{
	struct record of_kernel = record_of(PID, 0, 0, 0), compat = record_of(PID, 1, ROOM, ROOM),
		      ends = record_of(UINT32_MAX, ABI_64, ROOM, ROOM),
		      lies = record_of(PID, ABI_64, ROOM, ROOM + 1);

	cr_assert_eq(parse(&of_kernel).kind, EVENT_NONE);
	cr_assert_eq(parse(&compat).kind, EVENT_NARROW);
	cr_assert_eq(parse(&ends).kind, EVENT_NONE);
	cr_assert_eq(parse(&lies).kind, EVENT_NONE);
	for (size_t len = 0; len < lies.len; len++)
		cr_assert_eq(parse_as(PERF_RECORD_SAMPLE, 0, &lies, len).kind, EVENT_NONE, "%zu",
			     len);
	cr_assert_eq(parse_as(PERF_RECORD_THROTTLE, 0, &lies, lies.len).kind, EVENT_NONE);
}

/* The kernel's frames stand before the registers; what is not an address tells whose they are. */
Test(event, has_kernel_frames)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE };
	struct record r = { .len = 0 }, rest = record_of(PID, ABI_64, ROOM, ROOM);
	struct event e;

	memcpy(r.bytes, rest.bytes, 16); /* the process, the thread, the time */
	r.len = 16;
	add(&r, 3, 8);
	add(&r, PERF_CONTEXT_KERNEL, 8);
	add(&r, 0xffffffff81000010, 8);
	add(&r, 0xffffffff81000100, 8);
	memcpy(r.bytes + r.len, rest.bytes + 16, rest.len - 16);
	r.len += rest.len - 16;
	event_parse(&header, r.bytes, r.len, true, &e);
	cr_assert_eq(e.kind, EVENT_SAMPLE);
	cr_assert_eq(e.kernel_count, 2);
	cr_assert_eq(e.kernel[1], 0xffffffff81000100);
	cr_assert_eq(e.stack_len, ROOM);
	r.bytes[16] = 0xff; /* more than there are */
	event_parse(&header, r.bytes, r.len, true, &e);
	cr_assert_eq(e.kind, EVENT_NONE);
}

/* A process, three numbers of 32 bits, the time. */
static struct record news_of(uint32_t pid, uint32_t second)
{
	struct record r = { .len = 0 };

	add(&r, pid, 4);
	add(&r, second, 4);
	add(&r, TID, 4);
	add(&r, 9, 4);
	add(&r, 123, 8);
	return r;
}

Test(event, is_news)
{
	struct record r = news_of(PID, 6);
	struct event e = parse_as(PERF_RECORD_FORK, 0, &r, r.len);

	cr_assert_eq(e.kind, EVENT_BEGUN);
	cr_assert_eq(e.pid, PID);
	cr_assert_eq(e.maker, 6);
	cr_assert_eq(e.maker_tid, 9);
	cr_assert_eq(e.tid, TID);
	cr_assert_eq(e.time_ns, 123);
	cr_assert_eq(parse_as(PERF_RECORD_EXIT, 0, &r, r.len).kind, EVENT_ENDED);
	e = parse_as(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &r, r.len);
	cr_assert_eq(e.kind, EVENT_EXECUTED);
	cr_assert_eq(e.tid, 6);
	e = parse_as(PERF_RECORD_MMAP, 0, &r, r.len);
	cr_assert_eq(e.kind, EVENT_MAPPED);
	cr_assert_eq(e.pid, PID);
	cr_assert_eq(e.time_ns, 123);
}

static struct record name_of(const char *name, size_t room)
{
	struct record r = { .len = 0 };

	add(&r, PID, 4);
	add(&r, TID, 4);
	memcpy(r.bytes + r.len, name, strlen(name));
	r.len += room;
	add(&r, 123, 8);
	return r;
}

Test(event, is_a_name)
{
	struct record r = name_of("worker", 8), longest = name_of("fifteen letters", 16),
		      endless = name_of("sixteen letters.", 16);
	struct event e = parse_as(PERF_RECORD_COMM, 0, &r, r.len);

	cr_assert_eq(e.kind, EVENT_NAMED);
	cr_assert_eq(e.tid, TID);
	cr_assert_str_eq(e.name, "worker");
	cr_assert_str_eq(parse_as(PERF_RECORD_COMM, 0, &longest, longest.len).name,
			 "fifteen letters");
	cr_assert_str_eq(parse_as(PERF_RECORD_COMM, 0, &endless, endless.len).name,
			 "sixteen letters");
	cr_assert_eq(parse_as(PERF_RECORD_COMM, 0, &r, 8).kind, EVENT_NONE);
}

Test(event, is_broken_news)
{
	struct record r = news_of(PID, 6), of_none = news_of(0, 6);

	cr_assert_eq(parse_as(PERF_RECORD_MMAP, 0, &of_none, of_none.len).kind, EVENT_NONE);
	for (size_t len = 0; len < 12; len++)
		cr_assert_eq(parse_as(PERF_RECORD_FORK, 0, &r, len).kind, EVENT_NONE, "%zu", len);
}

Test(event, counts_what_was_lost)
{
	struct record r = { .len = 0 };

	add(&r, 1, 8);
	add(&r, 17, 8);
	add(&r, 123, 8);
	cr_assert_eq(parse_as(PERF_RECORD_LOST, 0, &r, r.len).kind, EVENT_LOST);
	cr_assert_eq(parse_as(PERF_RECORD_LOST, 0, &r, r.len).lost, 17);
	cr_assert_eq(parse_as(PERF_RECORD_LOST, 0, &r, 15).kind, EVENT_NONE);
}

/* In user space: the clock is a system call. */
static void use_cpu(uint64_t ns)
{
	uint64_t until = thread_cpu_ns() + ns;

	while (thread_cpu_ns() < until)
		for (volatile int i = 0; i < 100000; i++)
			;
}

static bool is_own(void *own, pid_t pid, bool news)
{
	return !news && pid == *(const pid_t *)own;
}

static unsigned take_own(struct events *events, uint64_t *weight)
{
	pid_t own = getpid();
	unsigned count = 0;
	struct event e;

	while (events_next(events, is_own, &own, &e)) {
		uint64_t sp = e.regs.r[DWARF_SP], here = (uint64_t)(uintptr_t)&count;

		cr_assert_eq(e.pid, own);
		cr_assert_eq(e.tid, getpid());
		cr_assert(sp < here + 4096 && here < sp + 65536);
		*weight += e.period_ns;
		count++;
	}
	return count;
}

/* In 200 ms of CPU time. */
static unsigned own_samples(struct events *events, uint64_t *weight)
{
	unsigned count = 0;

	*weight = 0;
	for (int i = 0; i < 20; i++) {
		use_cpu(10000000);
		count += take_own(events, weight);
	}
	return count;
}

static void open_or_skip(struct events **events, size_t stack)
{
	struct error err;
	int rc = events_open(events, &(struct events_wish){ .period_ns = 1000000, .stack = stack },
			     &err);

	if (rc == ERR_PERM)
		cr_skip_test("perf events are not permitted here");
	cr_assert_eq(rc, 0, "%s", err.text);
}

Test(events, stand_for_cpu_time)
{
	struct events *events;
	uint64_t weight;

	open_or_skip(&events, 4096);
	cr_assert_gt(own_samples(events, &weight), 20);
	cr_assert(weight > 20000000 && weight < 300000000, "%lu", weight);
	events_close(events);
}

Test(events, go_deeper_and_slower)
{
	struct events *events;
	struct error err;
	uint64_t weight;

	open_or_skip(&events, 4096);
	cr_assert_eq(events_deepen(events, 1 << 20, &err), 0, "%s", err.text);
	cr_assert_eq(events_depth(events), EVENTS_STACK_MAX);
	cr_assert_gt(events_hold_ns(events), 1000000);
	cr_assert_eq(events_keep(events, &err), 0);
	cr_assert_eq(events_pace(events, 5000000, &err), 0);
	cr_assert_leq(own_samples(events, &weight), 60);
	cr_assert(weight > 20000000 && weight < 300000000, "%lu", weight);
	events_close(events);
}

struct told {
	pid_t own, child;
	unsigned begun, executed, ended, mapped;
	uint64_t last_ns;
};

static bool is_told_of(void *told, pid_t pid, bool news)
{
	const struct told *t = told;

	return news && (pid == t->own || pid == t->child);
}

static void count_news(struct told *t, const struct event *e)
{
	cr_assert_geq(e->time_ns, t->last_ns);
	t->last_ns = e->time_ns;
	t->begun += e->kind == EVENT_BEGUN && e->pid == t->child && e->maker == t->own;
	t->executed += e->kind == EVENT_EXECUTED && e->pid == t->child;
	t->ended += e->kind == EVENT_ENDED && e->pid == t->child;
	t->mapped += e->kind == EVENT_MAPPED && e->pid == t->own;
}

static pid_t run_true(void)
{
	pid_t child = fork();

	if (!child) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	return child;
}

Test(events, tell_of_processes_in_the_order_of_time)
{
	struct told told = { .own = getpid() };
	struct events *events;
	struct error err;
	struct event e;

	open_or_skip(&events, 4096);
	cr_assert_leq(events_told_ns(events), monotonic_ns());
	told.child = run_true();
	cr_assert(events_tell_exec(events, told.child));
	cr_assert(!events_tell_exec(events, told.own));
	munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	while (events_next(events, is_told_of, &told, &e))
		count_news(&told, &e);
	cr_assert(told.begun == 1 && told.executed == 1 && told.ended == 1 && told.mapped == 1,
		  "%u %u %u %u", told.begun, told.executed, told.ended, told.mapped);
	cr_assert(!events_tell_exec(events, told.child));
	cr_assert_eq(events_rest(events, true, &err), 0);
	cr_assert_eq(events_told_ns(events), UINT64_MAX);
	events_close(events);
}

static pid_t own_process(void *none, uint32_t number)
{
	(void)none;
	return number ? 0 : getpid();
}

/* As a user who may have no events of CPUs. */
static void open_own_or_skip(struct events **events)
{
	struct events_wish wish = { .period_ns = 1000000, .stack = 4096, .process = own_process };
	struct error err;
	int rc;

	if (!getuid() && setresuid(65534, 65534, 65534))
		cr_skip_test("no other user can be had here");
	prctl(PR_SET_DUMPABLE, 1);
	rc = events_open(events, &wish, &err);
	if (rc == ERR_PERM)
		cr_skip_test("perf events of threads are not permitted here");
	cr_assert_eq(rc, 0, "%s", err.text);
	if (!events_are_of_tasks(*events))
		cr_skip_test("perf events of CPUs are permitted here");
}

Test(events, of_threads_stand_for_cpu_time_too)
{
	struct events *events;
	struct error err;
	uint64_t weight;

	open_own_or_skip(&events);
	cr_assert(events_reach(events, getpid()) && !events_reach(events, 1));
	cr_assert_gt(own_samples(events, &weight), 20);
	cr_assert(weight > 20000000 && weight < 300000000, "%lu", weight);
	cr_assert_eq(events_pace(events, 5000000, &err), 0, "%s", err.text);
	take_own(events, &weight);
	cr_assert_leq(own_samples(events, &weight), 60);
	cr_assert(weight > 20000000 && weight < 300000000, "%lu", weight);
	cr_assert_eq(events_deepen(events, 16384, &err), 0, "%s", err.text);
	cr_assert_gt(own_samples(events, &weight), 5);
	events_close(events);
}

Test(events, of_threads_that_rest_are_closed)
{
	struct events *events;
	struct error err;
	uint64_t weight;

	open_own_or_skip(&events);
	cr_assert_eq(events_rest(events, true, &err), 0);
	take_own(events, &weight);
	cr_assert_eq(own_samples(events, &weight), 0);
	cr_assert_eq(events_told_ns(events), UINT64_MAX);
	cr_assert_eq(events_rest(events, false, &err), 0);
	cr_assert_gt(own_samples(events, &weight), 20);
	cr_assert_leq(events_told_ns(events), monotonic_ns());
	events_close(events);
}

static _Atomic pid_t threads_made[2];

static void *work_in_thread(void *place)
{
	*(_Atomic pid_t *)place = gettid();
	use_cpu(100000000);
	return NULL;
}

static bool is_any(void *none, pid_t pid, bool news)
{
	(void)none;
	(void)pid;
	return !news;
}

/* One that is there, and one that begins later. */
Test(events, of_threads_come_once_from_each)
{
	unsigned count[2] = { 0 };
	pthread_t made[2];
	struct events *events;
	struct error err;
	struct event e;

	open_own_or_skip(&events);
	pthread_create(&made[0], NULL, work_in_thread, &threads_made[0]);
	while (!threads_made[0])
		usleep(1000);
	cr_assert_eq(events_deepen(events, 4096, &err), 0, "%s", err.text);
	pthread_create(&made[1], NULL, work_in_thread, &threads_made[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(made[i], NULL);
	while (events_next(events, is_any, NULL, &e))
		for (int i = 0; i < 2; i++)
			count[i] += e.tid == threads_made[i];
	/* Of 100 periods, of which an eighth may be missing, and one on each CPU. */
	cr_assert(count[0] > 5 && count[0] < 125, "%u", count[0]);
	cr_assert(count[1] > 20 && count[1] < 125, "%u", count[1]);
	events_close(events);
}
