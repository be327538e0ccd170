/*
 * A process of ours that lets the target go when we cannot.
 *
 * Between asking a thread to stop and letting it go lie microseconds. If we are
 * stopped ourselves just then (kill -STOP, Ctrl-Z, a debugger), that thread
 * would stay held until somebody continues us. The watchdog sees that the same
 * moment of the tracer stands, continues us, and we let everybody go and stop
 * again, because that is what our owner wanted, at a moment at which nobody is
 * held. If continuing does not help, it kills us: the kernel lets go whom a dead
 * tracer held, and the target comes first.
 *
 *   held and stopped   seen within 100 ms (two polls), then continued
 *   still so           killed after 1 s (20 polls)
 *   not stopped, but no progress while something is held (hung): killed after 10 s
 *
 * Periods are counted in polls, each of which the watchdog has lived through, so
 * that a suspended machine does not look like a hung one.
 *
 * One at a time in a process. All calls but the tracer's three from the thread
 * that started it, which must live as long as the watchdog is to.
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
 * harmless, here and below: nobody watches then. */
void watchdog_stop(struct watchdog *w);

/* The tracer's word. _held: before the first thread is asked, and again whenever
 * the tracer gets on; _free: nobody is asked or attached any more. Each is a store
 * to memory. */
void watchdog_held(struct watchdog *w);
void watchdog_free(struct watchdog *w);

/* True when it was the watchdog that continued us last: let everybody go, then
 * watchdog_obey(), which stops us until our owner continues us. */
bool watchdog_wants_stop(const struct watchdog *w);
void watchdog_obey(struct watchdog *w);

pid_t watchdog_pid(const struct watchdog *w);

/* What the watchdog makes of what it sees; for it and for tests. */
enum watch_verdict { WATCH_ON, WATCH_CONTINUE, WATCH_KILL };

enum { WATCH_POLLS_A_SECOND = 20, WATCH_STOPPED_MAX = 20, WATCH_HUNG_MAX = 200 };

struct watch {
	uint64_t held;	  /* the tracer's word at the last poll */
	unsigned stands;  /* polls for which it has been the same, and not 0 */
	unsigned stopped; /* the last of these at which we were stopped */
};

/* One poll. True when the word stands, and the state is worth asking for. */
bool watch_poll(struct watch *w, uint64_t held);

/* Its state then, as in /proc/PID/stat. */
enum watch_verdict watch_judge(struct watch *w, char state);

#endif
