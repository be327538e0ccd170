/*
 * Stopping one thread for one sample so that it cannot tell.
 *
 * A tracer belongs to the thread that made it, as ptrace(2) relations do. It
 * asks threads to stop, several at a time, serves each as soon as it has
 * stopped (a callback copies what it needs), and lets it go at once. Between
 * asking and letting go lie a few microseconds; before and after, the target
 * has no tracer.
 *
 * A thread that went to wait between the caller's look and the stop may be in
 * a call that the kernel would now fail with EINTR, because of us. Such a call
 * is entered again (docs/architecture.md, "The stop"). A thread repaired in
 * this way stays attached until the tracing *thread* exits: then
 * tracer_wants_baton() is true, and the owner ends its thread and goes on in a
 * new one with a new tracer.
 */
#ifndef SAMPLER_STOP_H
#define SAMPLER_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct process;
struct registers;
struct tracer;
struct watchdog;

/* How an asked thread's request ended. */
enum stop_outcome {
	STOP_TAKEN,    /* the callback has seen it and taken it */
	STOP_REFUSED,  /* the callback has seen it and not taken it; repaired where needed */
	STOP_SIGNALLED,/* a signal came first and was handed on; not seen */
	STOP_GROUP,    /* it is stopped by job control and stays so; not seen, unless that was
			* wanted (tracer_takes_stopped) */
	STOP_OVERDUE,  /* it has not stopped for a second, and is not waited for any more */
	STOP_GONE,     /* it has ended */
	STOP_OUTCOMES
};

struct stop {
	enum stop_outcome outcome;
	void *cookie;	   /* what tracer_ask was given; NULL for the end of a repaired
			    * thread, whose request was reported before */
	pid_t tid;
	uint64_t held_ns;  /* from asking until the call that lets go: the thread may have run
			    * on for a moment, or waited for a CPU, but not stood longer */
	uint64_t served_ns; /* of that, since we learnt of the stop: it stood as long at least, */
	uint64_t stood_ns; /* and so long at most, by what the calling thread was awake for */
	bool work_lost;	   /* a call that works for long began anew because of us (bpf(2)) */
	bool cut;	   /* one failed with EINTR, and could not be entered again */
	bool reaped;	   /* STOP_GONE: we have waited for its end, */
	int exit_status;   /* which was this, as waitpid(2) gives it. Else it has vanished: */
			   /* under its number another thread may have executed a program */
};

/* Called while the thread is held: copy and return. False says that this is no
 * sample after all; then the outcome is STOP_REFUSED. */
typedef bool stop_take(void *owner, void *cookie, pid_t tid, const struct registers *regs);

/* For the calling thread. `owner` is handed to `take`. ERR_NOMEM, ERR_IO. */
int tracer_new(struct tracer **t, stop_take *take, void *owner, struct error *err);

/* Tells the watchdog from now on when a request is out, and when none is. */
void tracer_watched_by(struct tracer *t, struct watchdog *w);

/* Threads that job control has stopped (proc_pid_stat(5), state T) are shown to `take` as
 * well from now on, and stay stopped: STOP_TAKEN then, not STOP_GROUP. */
void tracer_takes_stopped(struct tracer *t);

/* Frees memory and timer. Threads still attached are let go by the kernel when
 * the calling thread exits. */
void tracer_free(struct tracer *t);

/* When a thread that is asked can be expected to stop. */
enum stop_when {
	STOP_ELSEWHERE, /* it is on another CPU: within microseconds, worth not sleeping for */
	STOP_HERE,	/* it was on ours: as soon as we sleep */
	STOP_LATER,	/* it is on no CPU: it takes as long as it takes */
};

/* Asks a thread to stop. Of threads that are expected at once few are asked at a time,
 * so that none waits to be served. ERR_GONE, also when it is exiting or dumping core;
 * ERR_BUSY when its process executes a program just now: ask no thread of it for a
 * while; ERR_PERM when it may not be traced now (perhaps it is still attached by our
 * predecessor: see process_diagnose); ERR_LIMIT when enough requests are out already:
 * tracer_next first. `process` is the thread's, for the repair of calls on sockets (NULL: they
 * are not repaired); it has to live as long as the tracer. */
int tracer_ask(struct tracer *t, const struct process *process, pid_t tid, void *cookie,
	       enum stop_when when);

/* Waits until a request has ended or the time `until` (CLOCK_MONOTONIC, ns) has
 * come. 1 with *stop filled, 0 for the time. With nothing out it returns 0 at
 * once. */
int tracer_next(struct tracer *t, uint64_t until, struct stop *stop);

/* Requests that are out, those of parked threads included. */
size_t tracer_outstanding(const struct tracer *t);

/* Threads are parked, or one is traced that has taken its leader's number, and nothing else is
 * out: end this thread, which lets them go. */
bool tracer_wants_baton(const struct tracer *t);

/* How many calls were entered again, and of these how many met a signal. */
void tracer_repairs(const struct tracer *t, uint64_t *repaired, uint64_t *undone);

#endif
