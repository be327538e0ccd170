/* Which waits may be interrupted without the target noticing. */
#ifndef SAMPLER_WAITS_H
#define SAMPLER_WAITS_H

struct call;
struct process;

enum wait_kind {
	WAIT_BEARS,	/* the kernel, or the repair, goes on with it as if nothing had happened */
	WAIT_BEGINS_ANEW, /* the repair makes it wait for its whole timeout again */
	WAIT_LEFT_ALONE, /* it would come back short, or what it would do is not known */
};

/* Of a system call in which a thread of `process` is blocked (docs/calls.md). Asks what its
 * descriptor is; what cannot be asked is left alone. */
enum wait_kind wait_kind(const struct call *call, const struct process *process);

#endif
