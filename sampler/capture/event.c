#include "sampler/capture/event.h"

#include <linux/perf_event.h>

#include "base/cursor.h"
#include "sampler/thread/registers.h"

uint64_t event_sample_type(void)
{
	return PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
}

/* The kernel leaves out what a thread without user space has not. */
static bool parse_registers(struct cursor *c, struct event *e)
{
	uint64_t values[REGISTERS_OF_EVENT_MOST], abi = cursor_uint(c, 8);
	unsigned count = registers_of_event_count();

	e->narrow = abi == PERF_SAMPLE_REGS_ABI_32;
	if (abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (unsigned i = 0; i < count; i++)
		values[i] = cursor_uint(c, 8);
	registers_of_event(values, &e->regs);
	return true;
}

/* The room for the stack, then how many bytes of it were filled: none, where its page is not there. */
static void parse_stack(struct cursor *c, struct event *e)
{
	uint64_t room = cursor_uint(c, 8), filled;

	e->stack = cursor_bytes(c, room);
	filled = room ? cursor_uint(c, 8) : 0;
	if (filled > room)
		cursor_fail(c, "more bytes of a stack than there is room for");
	e->stack_len = (size_t)filled;
	e->whole_stack = filled < room;
}

bool event_parse(const void *body, size_t len, struct event *e)
{
	struct cursor c;

	cursor_init(&c, body, len, "perf record");
	e->pid = (pid_t)cursor_uint(&c, 4);
	e->tid = (pid_t)cursor_uint(&c, 4);
	e->time_ns = cursor_uint(&c, 8);
	e->narrow = false;
	if (e->pid <= 0 || e->tid <= 0 || !parse_registers(&c, e))
		return false;
	parse_stack(&c, e);
	return !c.failed;
}
