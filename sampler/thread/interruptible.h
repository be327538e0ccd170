/* Which waits may be interrupted without the target noticing. */
#ifndef SAMPLER_THREAD_INTERRUPTIBLE_H
#define SAMPLER_THREAD_INTERRUPTIBLE_H

struct call;
struct process;

enum wait_kind {
	WAIT_BEARS, /* the kernel, or the repair, goes on with it as if nothing had happened */
	WAIT_BEGINS_ANEW, /* the repair makes it wait for its whole timeout again */
	WAIT_LEFT_ALONE,  /* it would come back short, or what it would do is not known */
};

/* The kind of a system call in which a thread of `process` is blocked (docs/calls.md). If that
 * depends on the call's descriptor, the descriptor is looked up; if that fails, WAIT_LEFT_ALONE. */
enum wait_kind wait_kind(const struct call *call, const struct process *process);

#endif
