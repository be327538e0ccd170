/*
 * Wakes a thread from a blocking call, again and again, because waitid(2) has no timeout.
 */
#ifndef SAMPLER_STOP_WAKER_H
#define SAMPLER_STOP_WAKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct error;

struct waker {
	timer_t timer;
	bool on;
	uint64_t at_ns; /* the last time for waker_at */
};

/* Makes a waker, switched off, for the calling thread; waker_release frees it. ERR_IO. */
int waker_init(struct waker *w, struct error *err);
void waker_release(struct waker *w);

/* While the waker is on, the thread gets a signal of ours every millisecond, which makes a blocking
 * call fail with EINTR. */
void waker_set(struct waker *w, bool on);

/* The same signal comes at `ns` (CLOCK_MONOTONIC), if the waker is on and that is less than a
 * millisecond ahead; until then, the caller asks again after each one. */
void waker_at(struct waker *w, uint64_t ns);

/* Sends that signal once to another thread of ours. */
void waker_wake(pid_t thread);

#endif
