/* The requests of a tracer: threads that were asked to stop, and those that stay attached. */
#ifndef SAMPLER_STOP_REQUESTS_H
#define SAMPLER_STOP_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/stop/copier.h"
#include "sampler/stop/tracee.h"

enum { REQUESTS_MAX = 64 }; /* attached at a time, parked and overdue ones included */

struct request {
	struct tracee tracee; /* NONE: the request is free */
	void *cookie;
	bool at_once, taken, given_up;
	enum copy copy;
	uint64_t asked_ns;
	uint64_t told_ns;	     /* when it was interrupted last */
	uint64_t since_ns;	     /* from when the present stop is counted */
	uint64_t learnt_ns;	     /* when we learnt of the present stop */
	uint64_t held_ns, served_ns; /* in the stops that are over */
	/* awake_ns of our thread at a moment at which the thread had not stopped; AWAKE_UNKNOWN: no
	 * bound. Most stops come before it is read at all. */
	uint64_t awake_ns;
	unsigned rescues;   /* watchdog_rescues at the request */
	uint64_t unseen_ns; /* how long it may have been stopped before we learnt of it */
};

struct requests {
	struct request at[REQUESTS_MAX];
	size_t asked, parked; /* asked counts REENTERING too */
	size_t patient;	      /* of the asked ones, those that need not stop at once */
};

/* The request of that thread; NULL: there is none. */
struct request *requests_find(struct requests *all, pid_t tid);

/* One for a further thread, whose tracee.state is TRACEE_NONE; NULL: enough are out. */
struct request *requests_unused(struct requests *all, bool at_once);

/* Count one that is asked, or is not any more. */
void requests_enter(struct requests *all, const struct request *r);
void requests_leave(struct requests *all, const struct request *r);

/* Interrupts threads again that were told long ago and have not stopped. Called when our thread has
 * slept for a millisecond and none has stopped. A thread that was interrupted while it executed a
 * program may go on and not stop (seen on Linux 6.18; not understood). Interrupted again, it stops.
 * For a thread that waits for a CPU a second INTERRUPT changes nothing. `awake_fd`: awake.h. */
void requests_remind(struct requests *all, int awake_fd);

/* One whose thread has ended and is gone unreported (`none_left`: any); NULL: there is none. */
struct request *requests_vanished(struct requests *all, bool none_left);

/* One that is given up from now on, since its thread sleeps in the kernel and has not stopped for a
 * second; NULL: there is none. It stays attached, so that its call is repaired when it stops. */
struct request *requests_give_up(struct requests *all);

/* Are all parked threads in their calls (thread_has_settled)? */
bool requests_have_settled(const struct requests *all, unsigned looks);

#endif
