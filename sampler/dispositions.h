/* What /proc says of a thread when one has to decide what a stop was for. */
#ifndef SAMPLER_DISPOSITIONS_H
#define SAMPLER_DISPOSITIONS_H

#include <stdbool.h>
#include <sys/types.h>

/* Does it sleep, or is it gone? */
bool thread_is_asleep(pid_t tid);

/* Would the signal go unnoticed if nobody traced the thread (signal(7), "Signal
 * dispositions")? */
bool thread_ignores(pid_t tid, int sig);

#endif
