/* A timer (timer_create(2)) sends its signal to one thread each millisecond until it is switched
 * off, so that a signal which comes just before the call is not the last. */
#include "sampler/stop/waker.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/stop/seize.h"

#ifndef sigev_notify_thread_id /* timer_create(2) names it; glibc does not */
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { REPEAT_NS = 1000000 };

static int wake_signal(void)
{
	return SIGRTMIN + 3;
}

static void on_wake(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	seize_give_up(context);
}

int waker_init(struct waker *w, struct error *err)
{
	/* No SA_RESTART: the signal is to end blocking calls. */
	struct sigaction sa = { .sa_sigaction = on_wake, .sa_flags = SA_SIGINFO };
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = wake_signal() };
	sigset_t set;

	w->on = false;
	w->at_ns = 0;
	ev.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	sigemptyset(&set);
	sigaddset(&set, wake_signal());
	if (sigaction(wake_signal(), &sa, NULL) || pthread_sigmask(SIG_UNBLOCK, &set, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &ev, &w->timer))
		return error_errno(err, ERR_IO, "cannot make a timer");
	return 0;
}

void waker_release(struct waker *w)
{
	timer_delete(w->timer);
}

void waker_wake(pid_t thread)
{
	syscall(SYS_tgkill, getpid(), thread, wake_signal());
}

void waker_set(struct waker *w, bool on)
{
	struct itimerspec its = { { 0, REPEAT_NS }, { 0, REPEAT_NS } };
	struct itimerspec off = { 0 };

	if (on != w->on)
		timer_settime(w->timer, 0, on ? &its : &off, NULL);
	w->on = on;
}

void waker_at(struct waker *w, uint64_t ns)
{
	struct itimerspec its = { { 0, REPEAT_NS }, to_timespec(ns) };

	if (!w->on || ns == w->at_ns || ns > monotonic_ns() + REPEAT_NS)
		return;
	timer_settime(w->timer, TIMER_ABSTIME, &its, NULL);
	w->at_ns = ns;
}
