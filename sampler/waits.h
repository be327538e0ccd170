/* Which waits may be interrupted without the target's knowing. */
#ifndef SAMPLER_WAITS_H
#define SAMPLER_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct call;

enum wait_kind {
	WAIT_BEARS,	/* the kernel, or the repair, goes on with it as if nothing had been */
	WAIT_BEGINS_ANEW, /* the repair makes it wait for its whole timeout again */
	WAIT_IS_CUT,	/* it returns what it has done so far, and nobody can mend that */
};

/* Of a system call of the process behind the pidfd (-1: none is to be had). */
enum wait_kind wait_kind(const struct call *call, int pid_fd);

#endif
