/*
 * Wakes a thread from a blocking call, again and again, because waitid(2) has no timeout.
 */
#ifndef SAMPLER_STOP_WAKER_H
#define SAMPLER_STOP_WAKER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct error;

struct waker {
	timer_t timer;
	bool on;
};

/* Makes a waker, switched off, for the calling thread; waker_release frees it. ERR_IO. */
int waker_init(struct waker *w, struct error *err);
void waker_release(struct waker *w);

/* While the waker is on, the thread gets a signal of ours every millisecond, which makes a blocking
 * call fail with EINTR. */
void waker_set(struct waker *w, bool on);

/* Sends that signal once to another thread of ours. */
void waker_wake(pid_t thread);

#endif
