/*
 * A process of ours that lets the target go when we cannot.
 *
 * Between asking a thread to stop and letting it go lie microseconds. Only the tracing
 * thread, or its death, can let it go. If that one is stopped just then (kill -STOP,
 * Ctrl-Z), or gets no CPU, the thread would stay held. The watchdog sees it and gives the
 * tracing thread what it lacks, within 10 ms of the hold's beginning:
 *
 *   stopped           continued at the first look, so within 3 ms; we let all threads go and
 *                     stop again, because that is what our owner wanted, at a moment at
 *                     which no thread is held
 *   runnable, but without a CPU at two looks, 3 ms apart: its scheduling class is changed,
 *                     at 6 ms at the latest; if that does not help, again 2 ms later
 *   stopped by a debugger: continued after 100 ms, which may help or not
 *   still so          killed after 1 s: the kernel lets go what a dead tracer held, and the
 *                     target comes first
 *   no progress while something is held (hung): killed after 10 s
 *
 * Times are counted in polls, each of which the watchdog has lived through, so that a
 * suspended machine does not look like a hung one.
 *
 * One at a time in a process. _start, _stop and _obey are for one thread, which must live as
 * long as the watchdog is to; the others are for any.
 */
#ifndef SAMPLER_WATCHDOG_H
#define SAMPLER_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct watchdog;

/* Starts it. ERR_IO, ERR_NOMEM. */
int watchdog_start(struct watchdog **w, struct error *err);

/* Ends it, collects it, and obeys a wish to stop that is still open. NULL is
 * harmless, here and below but for _pid: there is no watchdog then. */
void watchdog_stop(struct watchdog *w);

/* Which thread traces from now on, by its number (gettid(2)). */
void watchdog_tracer(struct watchdog *w, pid_t tid);

/* The tracer's word. _held: before the first thread is asked, and again whenever
 * the tracer gets on; _free: no thread is asked or attached any more. Each is a store
 * to memory; _held is a system call besides when no thread was held for a while before. */
void watchdog_held(struct watchdog *w);
void watchdog_free(struct watchdog *w);

/* No thread will be asked before that time (CLOCK_MONOTONIC, ns), and none is about to be. For
 * the thread that decides that. Need not be said: it spares wake-ups of the watchdog. A store. */
void watchdog_rests(struct watchdog *w, uint64_t until_ns);

/* For the tracing thread. True once after the watchdog has changed its class, which is then not
 * what the thread set last. Costs a load. */
bool watchdog_has_boosted(struct watchdog *w);

/* True when it was the watchdog that continued us last: let all threads go, then
 * watchdog_obey(), which stops us until our owner continues us. */
bool watchdog_wants_stop(const struct watchdog *w);
void watchdog_obey(struct watchdog *w);

/* How often it has stepped in so far: continued us, or changed a class. */
unsigned watchdog_rescues(const struct watchdog *w);

pid_t watchdog_pid(const struct watchdog *w);

/* What the watchdog makes of what it sees; for it and for tests. */
enum watch_verdict { /* what to do, together */
	WATCH_ON = 0,
	WATCH_CONTINUE = 1, /* SIGCONT */
	WATCH_REALTIME = 2, /* makes the tracing thread a real-time one, */
	WATCH_ORDINARY = 4, /* or an ordinary one of the lowest nice value */
	WATCH_KILL = 8,
};

enum {
	WATCH_POLL_MS = 3, /* with 4, what the machine takes to wake us up made 11 ms of 10 */
	WATCH_AGAIN_MS = 2,	 /* from a change of class to the next poll */
	WATCH_QUIET_MAX = 100,	 /* ms without a hold, and it sleeps until the next */
	WATCH_TRACED_MAX = 100,	 /* ms for which a debugger may have us stand */
	WATCH_STOPPED_MAX = 1000,
	WATCH_HUNG_MAX = 10000,
};

struct watch {
	uint64_t word;	     /* the tracer's, at the last poll; odd while a thread is held */
	unsigned stands_ms;  /* for how long it has been the same, and odd, */
	unsigned stopped_ms; /* and we were stopped at the last of these looks */
	unsigned quiet_ms;   /* for how long it has been the same, and even */
	uint64_t cpu_ns, slices; /* the tracing thread's at the last look */
	bool changed;	     /* its class, at the last look */
};

struct sight {
	char tracer, sampler; /* states of the tracing thread and the main thread, as in
			       * /proc/PID/stat; '?' unknown */
	bool realtime;	      /* the tracing thread's class */
	uint64_t cpu_ns, slices; /* its CPU time, and how often it was given a CPU */
};

/* How long to the next poll. */
unsigned watch_period_ms(const struct watch *w);

/* One poll. True when a thread is held, and the rest is worth a look. */
bool watch_poll(struct watch *w, uint64_t word);

/* What to do then. */
enum watch_verdict watch_judge(struct watch *w, const struct sight *s);

#endif
