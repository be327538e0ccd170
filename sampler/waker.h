/*
 * A thread woken from a blocking call, again and again: waitpid(2) has no timeout.
 */
#ifndef SAMPLER_WAKER_H
#define SAMPLER_WAKER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct error;

struct waker {
	timer_t timer;
	bool on;
};

/* For the calling thread. ERR_IO. */
int waker_init(struct waker *w, struct error *err);
void waker_release(struct waker *w);

/* While it is on, the thread is sent a signal of ours every millisecond, for which a call of
 * its that waits fails with EINTR. */
void waker_set(struct waker *w, bool on);

/* Sends it to a thread of ours once, from another. */
void waker_wake(pid_t thread);

#endif
