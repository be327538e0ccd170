/* How soon a thread of ours gets a CPU. */
#ifndef SAMPLER_CHILD_PRIORITY_H
#define SAMPLER_CHILD_PRIORITY_H

#include <stdbool.h>
#include <sys/types.h>

enum priority {
	PRIORITY_ORDINARY, /* as the user started us */
	PRIORITY_PROMPT,   /* an ordinary thread of the lowest nice value: hardly waits for a CPU
			    * that threads of its own session use */
	PRIORITY_HOLDING,  /* the lowest real-time priority: for a thread that stops, holds and
			   * releases threads and does nothing else */
};

/* Sets the priority of the calling thread, as far as that is permitted (CAP_SYS_NICE, RLIMIT_NICE,
 * RLIMIT_RTPRIO). */
void set_priority(enum priority priority);

/* The same for another thread of ours, by its number: PRIORITY_ORDINARY or PRIORITY_PROMPT. */
void set_priority_of(pid_t thread, enum priority priority);

/* Sets the class of a thread of ours by its number (gettid(2)), during a hold. `level` 0: ordinary;
 * 1: the lowest real-time priority; 2: the priority above, which takes the CPU from level 1. */
void set_holding_priority(pid_t thread, int level);

/* Is a thread, by its number (0: the calling one), of SCHED_FIFO or SCHED_RR? */
bool has_realtime_class(pid_t thread);

/* Makes a process (0: the calling one) ordinary. It has inherited its priority from its maker. */
void calm(pid_t process);

/* Called by a new process for which the user waits: it gets a session, and so a scheduling group
 * (sched(7), "The autogroup feature"), of its own, which is prompt as far as that is permitted.
 * Signals of the terminal reach it no more. calm_session: called by its maker, who makes it
 * ordinary. */
void take_own_session(void);
void calm_session(pid_t process);

/* Has a process for which the user waits used the half second of CPU time for which it may be
 * prompt? */
bool has_hurried(pid_t process);

#endif
