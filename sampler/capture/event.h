/*
 * A record of a perf event (perf_event_open(2)): a sample, which holds registers and stack of the
 * thread that ran on a CPU when the kernel's timer fired there; or news of a process: it has mapped
 * code or executed a program, a thread of it has begun or ends.
 *
 * The kernel wrote the record, but the stack's bytes are the target's.
 */
#ifndef SAMPLER_CAPTURE_EVENT_H
#define SAMPLER_CAPTURE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "unwind/table/regs.h"

struct perf_event_attr;
struct perf_event_header;

enum event_kind {
	EVENT_NONE, /* of no use: the thread ends or is the kernel's own, or the record is broken */
	EVENT_SAMPLE,
	EVENT_NARROW,	/* a sample of 32-bit code: registers and stack are not set */
	EVENT_MAPPED,	/* code was mapped, or became executable (perf_event_mmap() in mm/) */
	EVENT_EXECUTED, /* the process has executed a program: its address space is another one */
	EVENT_BEGUN,	/* the thread begins; where pid is not `maker`, a process begins with it */
	EVENT_ENDED,	/* the thread is about to end */
	EVENT_NAMED,	/* the thread has got the name `name` */
	EVENT_LOST,	/* records were lost: `lost` of them. pid and tid are not set */
};

enum { EVENT_NAME = 16 }; /* TASK_COMM_LEN */
enum { EVENT_KERNEL_MOST = 64 };

struct event {
	enum event_kind kind;
	pid_t pid, tid;		/* in our PID namespace */
	pid_t maker, maker_tid; /* EVENT_BEGUN: the process and the thread that made it */
	char name[EVENT_NAME];
	uint64_t time_ns;     /* CLOCK_MONOTONIC */
	uint64_t period_ns;   /* for which a sample stands, or: */
	uint64_t count;	      /* of what is counted; both set by events_next */
	struct regs regs;     /* in user space, of a thread in the kernel as well */
	const uint8_t *stack; /* from sp upward; borrowed from the record */
	size_t stack_len;
	bool whole_stack;		    /* the copy ends where the mapping does */
	uint64_t kernel[EVENT_KERNEL_MOST]; /* where in the kernel, innermost first, then return */
	size_t kernel_count;		    /* addresses; 0: in user space, or not requested */
	uint64_t lost;
};

/* Sets what is requested of the kernel: what a sample holds, with `kernel` where in the kernel the
 * thread was, too; and which news. */
void event_request(struct perf_event_attr *attr, bool kernel);

/* Changes the request to one of EVENT_BEGUN and EVENT_ENDED alone, of a process's children, too. */
void event_request_lineage(struct perf_event_attr *attr);

/* Reads the body of a record; `kernel` as it was requested. The kind is EVENT_NONE if it is of no
 * use. */
void event_parse(const struct perf_event_header *header, const void *body, size_t len, bool kernel,
		 struct event *e);

/* Is it an EVENT_EXECUTED? */
bool event_is_exec(const struct perf_event_header *header);

/* Before the body of `len` bytes is copied: where in it the process lies that the record is about
 * (32 bits; of a new thread, its maker), and the time (64 bits). */
size_t event_process_at(const struct perf_event_header *header);
size_t event_time_at(const struct perf_event_header *header, size_t len);

#endif
