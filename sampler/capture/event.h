/*
 * A record of a perf event (perf_event_open(2)): registers and stack of the thread that ran on a CPU
 * when the kernel's timer fired there. The kernel copies them in the interrupt; no thread is stopped.
 *
 * The kernel wrote the record, but the stack's bytes are the target's.
 */
#ifndef SAMPLER_CAPTURE_EVENT_H
#define SAMPLER_CAPTURE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/unwind/table/regs.h"

struct event {
	pid_t pid, tid;	      /* in our PID namespace */
	uint64_t time_ns;     /* CLOCK_MONOTONIC */
	uint64_t period_ns;   /* for which it stands; set by events_next */
	struct regs regs;     /* in user space, of a thread in the kernel as well */
	const uint8_t *stack; /* from sp upward; borrowed from the record */
	size_t stack_len;
	bool whole_stack; /* the copy ends where the mapping does */
	bool narrow;	  /* its code is of 32 bits: nothing else is known */
};

/* What is requested of each sample, in the order of the record. */
uint64_t event_sample_type(void);

/* Reads the body of a PERF_RECORD_SAMPLE, without its header. False: it is of no use, since the thread
 * ends, is the kernel's own or runs code of another width, or the record is broken. */
bool event_parse(const void *body, size_t len, struct event *e);

#endif
