/* The record's fields are read with a cursor in the order that perf_event_open(2) gives for the
 * bits of sample_type. A record that breaks it is of kind EVENT_NONE. */
#include "sampler/capture/event.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/cursor.h"
#include "sampler/thread/registers.h"

void event_request(struct perf_event_attr *attr, bool kernel)
{
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
			    PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = registers_of_event_mask();
	attr->sample_id_all = 1; /* news have a time, too: their last 8 bytes */
	attr->mmap = attr->comm = attr->comm_exec = attr->task = 1;
	if (!kernel)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = EVENT_KERNEL_MOST;
	attr->exclude_callchain_kernel = 0;
}

/* What the kernel does is not looked at: that would take a permission of its own. */
void event_request_lineage(struct perf_event_attr *attr)
{
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 0;
	attr->mmap = attr->comm = attr->comm_exec = 0;
	attr->exclude_kernel = attr->exclude_hv = attr->inherit = 1;
}

size_t event_process_at(const struct perf_event_header *header)
{
	return header->type == PERF_RECORD_FORK ? 4 : 0;
}

size_t event_time_at(const struct perf_event_header *header, size_t len)
{
	return header->type == PERF_RECORD_SAMPLE || len < sizeof(uint64_t) ? 8 : len - 8;
}

/* The kernel leaves out what a thread without user space has not. False: there are none. */
static bool parse_registers(struct cursor *c, struct event *e)
{
	uint64_t values[REGISTERS_OF_EVENT_MOST], abi = cursor_uint(c, 8);
	unsigned count = registers_of_event_count();

	if (abi == PERF_SAMPLE_REGS_ABI_32)
		e->kind = EVENT_NARROW;
	if (abi != PERF_SAMPLE_REGS_ABI_64)
		return abi == PERF_SAMPLE_REGS_ABI_32;
	for (unsigned i = 0; i < count; i++)
		values[i] = cursor_uint(c, 8);
	registers_of_event(values, &e->regs);
	return true;
}

/* The room for the stack, then how many bytes of it were filled: none, where its page is not
 * there. */
static void capture_event_parse_stack(struct cursor *c, struct event *e)
{
	uint64_t room = cursor_uint(c, 8), filled;

	e->stack = cursor_bytes(c, room);
	filled = room ? cursor_uint(c, 8) : 0;
	if (filled > room)
		cursor_fail(c, "more bytes of a stack than there is room for");
	e->stack_len = (size_t)filled;
	e->whole_stack = filled < room;
}

/* Its numbers at the end of the range tell whose frames follow (enum perf_callchain_context). */
static void parse_kernel(struct cursor *c, struct event *e)
{
	uint64_t count = cursor_uint(c, 8);

	for (uint64_t i = 0; i < count && !c->failed; i++) {
		uint64_t address = cursor_uint(c, 8);

		if (address < PERF_CONTEXT_MAX && e->kernel_count < EVENT_KERNEL_MOST)
			e->kernel[e->kernel_count++] = address;
	}
}

static void capture_event_parse_sample(struct cursor *c, bool kernel, struct event *e)
{
	e->pid = (pid_t)cursor_uint(c, 4);
	e->tid = (pid_t)cursor_uint(c, 4);
	cursor_uint(c, 8); /* the time */
	e->kernel_count = 0;
	if (kernel)
		parse_kernel(c, e);
	if (e->pid <= 0 || e->tid <= 0 || !parse_registers(c, e))
		e->kind = EVENT_NONE;
	else if (e->kind == EVENT_SAMPLE)
		capture_event_parse_stack(c, e);
}

bool event_is_exec(const struct perf_event_header *header)
{
	return header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static enum event_kind capture_event_kind_of(const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return EVENT_SAMPLE;
	case PERF_RECORD_MMAP:
		return EVENT_MAPPED;
	case PERF_RECORD_COMM:
		return event_is_exec(header) ? EVENT_EXECUTED : EVENT_NAMED;
	case PERF_RECORD_FORK:
		return EVENT_BEGUN;
	case PERF_RECORD_EXIT:
		return EVENT_ENDED;
	case PERF_RECORD_LOST:
		return EVENT_LOST;
	}
	return EVENT_NONE;
}

/* A name is padded with zeros to a multiple of eight bytes (perf_event_comm_event() in
 * kernel/events/core.c). */
static void capture_event_parse_name(struct cursor *c, struct event *e)
{
	for (size_t i = 0; i < sizeof(e->name) - 1 && !c->failed; i++)
		if (!(e->name[i] = (char)cursor_uint(c, 1)))
			break;
}

/* All news begin with the process. In a task's record its maker is next (struct perf_task_event in
 * kernel/events/core.c). */
static void parse_news(struct cursor *c, struct event *e)
{
	bool of_task = e->kind == EVENT_BEGUN || e->kind == EVENT_ENDED;

	e->pid = (pid_t)cursor_uint(c, 4);
	e->maker = of_task ? (pid_t)cursor_uint(c, 4) : 0;
	e->tid = (pid_t)cursor_uint(c, 4);
	e->maker_tid = of_task ? (pid_t)cursor_uint(c, 4) : 0;
	memset(e->name, 0, sizeof(e->name));
	if (e->kind == EVENT_NAMED)
		capture_event_parse_name(c, e);
	if (e->pid <= 0 || e->tid <= 0)
		e->kind = EVENT_NONE;
}

static void capture_event_parse_time(const struct perf_event_header *header, const uint8_t *body,
				     size_t len, struct event *e)
{
	struct cursor c;

	cursor_init(&c, body, len, "time of a perf record");
	cursor_bytes(&c, event_time_at(header, len));
	e->time_ns = cursor_uint(&c, 8);
	if (c.failed)
		e->kind = EVENT_NONE;
}

static void parse_lost(struct cursor *c, struct event *e)
{
	cursor_uint(c, 8); /* the event's number */
	e->lost = cursor_uint(c, 8);
}

void event_parse(const struct perf_event_header *header, const void *body, size_t len, bool kernel,
		 struct event *e)
{
	struct cursor c;

	e->kind = capture_event_kind_of(header);
	cursor_init(&c, body, len, "perf record");
	capture_event_parse_time(header, body, len, e);
	if (e->kind == EVENT_SAMPLE)
		capture_event_parse_sample(&c, kernel, e);
	else if (e->kind == EVENT_LOST)
		parse_lost(&c, e);
	else if (e->kind != EVENT_NONE)
		parse_news(&c, e);
	if (c.failed)
		e->kind = EVENT_NONE;
}
