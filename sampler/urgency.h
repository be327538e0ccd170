/* How soon a thread of ours gets a CPU. */
#ifndef SAMPLER_URGENCY_H
#define SAMPLER_URGENCY_H

#include <stdbool.h>
#include <sys/types.h>

enum urgency {
	URGENCY_ORDINARY, /* as the user started us */
	URGENCY_PROMPT,	  /* an ordinary thread that hardly waits: of the lowest nice value */
	URGENCY_HOLDING,  /* the lowest real-time priority: for a thread that asks, holds and lets
			   * go, and does nothing else */
};

/* Of the calling thread. What is not permitted (CAP_SYS_NICE, RLIMIT_NICE, RLIMIT_RTPRIO) does
 * not happen. */
void set_urgency(enum urgency urgency);

/* Of a thread of ours by its number (gettid(2)), during a hold: 0 ordinary, 1 the lowest
 * real-time priority, 2 the one above, which takes the CPU from that. */
void set_holding_urgency(pid_t thread, int level);

/* Is a thread, by its number (0: the calling one), of SCHED_FIFO or SCHED_RR? */
bool has_realtime_class(pid_t thread);

/* Makes a process (0: the calling one) ordinary that inherited its urgency from its maker. */
void calm(pid_t process);

/* Has it used the half second of CPU time for which it may be prompt, because a user waits? */
bool has_hurried(pid_t process);

#endif
