/* Being there when a thread stops, on a machine whose CPUs are busy. */
#ifndef SAMPLER_URGENCY_H
#define SAMPLER_URGENCY_H

#include <stdbool.h>
#include <sys/types.h>

/* Makes the calling thread one of the lowest real-time priority, or an ordinary one
 * again. Where that is not permitted (CAP_SYS_NICE) nothing happens. */
void set_urgent(bool urgent);

/* The same of a thread of ours by its number (gettid(2)): 0 ordinary, 1 the lowest real-time
 * priority, 2 the one above, which takes the CPU from that. */
void set_urgency(pid_t thread, int level);

#endif
