/*
 * Threads by whose stop another one would be woken.
 *
 * A signal that is ignored is dropped where it is sent, but not while the thread for which
 * that is asked is traced (sig_ignored() in kernel/signal.c); then it is queued, and if that
 * thread stands, another one of the process is woken for it (complete_signal()), whose
 * epoll_wait fails with EINTR, although nobody has touched it. SIGCHLD at its default is such
 * a signal: it is sent at the end of each child, and the thread that is asked is the one that
 * has made the child (do_notify_parent()).
 */
#ifndef SAMPLER_EXPOSURE_H
#define SAMPLER_EXPOSURE_H

#include <stdbool.h>

struct member;
struct round;
struct thread;

/* Has the thread a child now whose end would be told to another, and does one of those wait
 * in a call that this would end? Then it is asked to stop twice a second only. */
bool is_exposed(const struct round *r, struct member *m, const struct thread *thread);

#endif
