/* Records of perf events, by hand: what is taken, what is of no use. And the kernel's own. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
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

Test(event, has_registers_and_stack)
{
	struct record r = record_of(PID, ABI_64, ROOM, 40);
	struct event e;

	cr_assert(event_parse(r.bytes, r.len, &e));
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
	struct event e;

	cr_assert(event_parse(r.bytes, r.len, &e));
	cr_assert(!e.whole_stack);
}

Test(event, may_have_no_stack)
{
	struct record empty = record_of(PID, ABI_64, ROOM, 0), none = record_of(PID, ABI_64, 0, 0);
	struct event e;

	cr_assert(event_parse(empty.bytes, empty.len, &e));
	cr_assert(!e.stack_len && e.whole_stack);
	cr_assert(event_parse(none.bytes, none.len, &e));
	cr_assert(!e.stack_len);
}

Test(event, is_of_no_use)
{
	struct record of_kernel = record_of(PID, 0, 0, 0), compat = record_of(PID, 1, ROOM, ROOM),
		      ends = record_of(UINT32_MAX, ABI_64, ROOM, ROOM),
		      lies = record_of(PID, ABI_64, ROOM, ROOM + 1);
	struct event e;

	cr_assert(!event_parse(of_kernel.bytes, of_kernel.len, &e));
	cr_assert(!event_parse(compat.bytes, compat.len, &e));
	cr_assert(!event_parse(ends.bytes, ends.len, &e));
	cr_assert(!event_parse(lies.bytes, lies.len, &e));
	for (size_t len = 0; len < lies.len; len++)
		cr_assert(!event_parse(lies.bytes, len, &e), "%zu", len);
}

static void use_cpu(uint64_t ns)
{
	uint64_t until = thread_cpu_ns() + ns;

	while (thread_cpu_ns() < until)
		;
}

static bool is_own(void *own, pid_t pid)
{
	return pid == *(const pid_t *)own;
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
	int rc = events_open(events, 1000000, stack, &err);

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
	events_pace(events, 5000000);
	cr_assert_leq(own_samples(events, &weight), 60);
	cr_assert(weight > 20000000 && weight < 300000000, "%lu", weight);
	events_close(events);
}
