/*
 * Threads whose stop would wake another one.
 *
 * A signal that is ignored is dropped where it is sent, but not while the thread for which
 * the kernel checks that is traced (sig_ignored() in kernel/signal.c). Then it is queued, and
 * if that thread stands, another one of the process is woken for it (complete_signal()): its
 * epoll_wait fails with EINTR, although that thread was not stopped. SIGCHLD at its default
 * is such a signal: it is sent at the end of each child, and the thread that is checked is
 * the one that has made the child (do_notify_parent()).
 */
#ifndef SAMPLER_EXPOSURE_H
#define SAMPLER_EXPOSURE_H

#include <stdbool.h>

struct member;
struct round;
struct thread;

/* Has the thread a child now, and does a thread of its process wait in a call that the signal
 * of the child's end would end? Then it is asked to stop twice a second only. */
bool is_exposed(const struct round *r, struct member *m, const struct thread *thread);

#endif
