/*
 * How long a real-time thread was awake: it ran, or it was runnable and waited for a CPU.
 *
 * A thread that sleeps in waitpid(2) until another thread stops is awake from that stop on. So its
 * time awake is an upper bound of the time from the stop until it learns of the stop.
 */
#ifndef SAMPLER_STOP_AWAKE_H
#define SAMPLER_STOP_AWAKE_H

#include <stdint.h>

#define AWAKE_UNKNOWN UINT64_MAX

/* Opens the calling thread's account. Returns a descriptor, which the caller closes, or -1. */
int awake_open(void);

/* How long the calling thread has been awake since it was created, in ns. `fd` is from awake_open
 * in the same thread. AWAKE_UNKNOWN if the kernel does not report it, or if the calling thread is
 * not a real-time thread: an ordinary thread that is woken just after it went to sleep may still be
 * on its run queue, and then its wait is not counted (delayed dequeue, dequeue_entity() in
 * kernel/sched/fair.c, Linux 6.12). */
uint64_t awake_ns(int fd);

#endif
