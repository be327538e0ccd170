/*
 * How long a real-time thread has not slept: it ran, or was runnable and waited for a CPU.
 *
 * A thread that sleeps in waitpid(2) until another stops has been awake since that stop, at
 * the least. So the time awake bounds how long the other stood before this one learnt of it.
 */
#ifndef SAMPLER_AWAKE_H
#define SAMPLER_AWAKE_H

#include <stdint.h>

#define AWAKE_UNKNOWN UINT64_MAX

/* For the calling thread: a descriptor to close, or -1. */
int awake_open(void);

/* In ns, since the calling thread, which has opened `fd`, was made. AWAKE_UNKNOWN where the
 * kernel does not say, and for an ordinary thread: one that is woken just after it went to
 * sleep may still be on its run queue, and its wait is not counted (delayed dequeue,
 * dequeue_entity() in kernel/sched/fair.c, Linux 6.12). */
uint64_t awake_ns(int fd);

#endif
