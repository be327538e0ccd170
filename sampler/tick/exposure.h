/*
 * Threads that when stopped can make another thread's call fail.
 *
 * A signal that is ignored is dropped where it is sent. The kernel checks that in one thread of the
 * process, and does not drop the signal while that thread is traced (sig_ignored() in
 * kernel/signal.c). The signal is queued then, and if that thread is stopped, another thread of the
 * process is woken for it (complete_signal()). The other thread's epoll_wait fails with EINTR,
 * although the other thread was not stopped. SIGCHLD at its default is such a signal: it is sent
 * when a child ends, and the kernel checks the thread that has made the child (do_notify_parent()).
 */
#ifndef SAMPLER_TICK_EXPOSURE_H
#define SAMPLER_TICK_EXPOSURE_H

#include <stdbool.h>
#include <stdint.h>

struct member;
struct thread;

/* True if the thread is not to be stopped now, because it was requested to stop less than half a
 * second ago, has a child, and another thread of its process may wait in a call that the signal of
 * the child's end would end. `tick_ns`: when the tick began. */
bool is_exposed(struct member *m, const struct thread *thread, uint64_t tick_ns);

#endif
