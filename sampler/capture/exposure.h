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
#ifndef SAMPLER_CAPTURE_EXPOSURE_H
#define SAMPLER_CAPTURE_EXPOSURE_H

#include <stdbool.h>
#include <stdint.h>

struct member;
struct thread;

/* Finds out, once a second at most, whether a thread of the process may wait in a call that an
 * ignored SIGCHLD would end. Called by the round's thread. */
void exposure_look(struct member *m);

/* True if the thread is not to be stopped now, because it was requested to stop less than half a
 * second ago, has a child, and another thread of its process may wait in such a call. Called by
 * tickers. `now`: CLOCK_MONOTONIC, ns. */
bool is_exposed(const struct member *m, const struct thread *thread, uint64_t now);

#endif
