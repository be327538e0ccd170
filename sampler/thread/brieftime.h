/* The CPU time of threads that had ended before they were listed (threads_brief). */
#ifndef SAMPLER_THREAD_BRIEFTIME_H
#define SAMPLER_THREAD_BRIEFTIME_H

#include <stdint.h>

struct threads;

/* Their CPU time is a sum of samples' periods. If the process has used `cpu_ns` in the round, the
 * part of that which is no listed thread's is theirs, unless samples lack for more than chance
 * explains. */
void brieftime_settle(struct threads *t, uint64_t cpu_ns);

#endif
