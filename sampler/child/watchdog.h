/*
 * A process of ours that acts when a thread of the target would stay held.
 *
 * A thread is held for microseconds. Only the tracing thread, or its death, can release it. If the
 * tracing thread is stopped just then (kill -STOP, Ctrl-Z), or gets no CPU, the target's thread
 * would stay held. The watchdog detects that and helps the tracing thread within 10 ms of the
 * hold's beginning. What it does depends on the state of the tracing thread:
 *
 *   stopped           continued at the first look, so within 3 ms; we release all threads and
 *                     then stop again, as our owner has requested
 *   runnable, but without a CPU at two looks, 3 ms apart: its scheduling class is changed,
 *                     at 6 ms at the latest; if that does not help, again 2 ms later
 *   stopped by a debugger: continued after 100 ms, which may help or not
 *   still stopped     killed after 1 s, because the target comes first: the kernel releases
 *                     the threads of a dead tracer
 *   no progress while something is held (hung): killed after 10 s
 *
 * Where it has killed us, it says so on stderr.
 *
 * Times are counted in polls that the watchdog has made, so that a suspended machine does not look
 * like a hung process.
 *
 * There is one watchdog at a time in a process. One thread calls _start, _stop and _obey; it must
 * live as long as the watchdog is to. Any thread may call the other functions.
 */
#ifndef SAMPLER_CHILD_WATCHDOG_H
#define SAMPLER_CHILD_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/child/watch.h"

struct error;
struct watchdog;

/* Starts a watchdog, which the caller ends with watchdog_stop. ERR_IO, ERR_NOMEM. */
int watchdog_start(struct watchdog **w, struct error *err);

/* Ends the watchdog, waits for its end, and calls watchdog_obey. NULL is harmless here and in all
 * functions below but _pid: there is no watchdog then. */
void watchdog_stop(struct watchdog *w);

/* Several threads of ours may trace. Each has a post, `at`, below WATCH_POSTS, which no other
 * thread uses at the same time; a post that is not used costs nothing. */

/* Sets which thread traces at that post from now on, by its number (gettid(2)). */
void watchdog_tracer(struct watchdog *w, unsigned at, pid_t tid);

/* Set the tracer's word. _held: called before the first thread is asked to stop, and again whenever
 * the tracer makes progress. _none_held: called when no request is out and no thread attached any
 * more. Each is a store to memory; _held also makes a system call if no thread was held for a while
 * before. */
void watchdog_held(struct watchdog *w, unsigned at);
void watchdog_none_held(struct watchdog *w, unsigned at);

/* Promises that no request to stop of this post is out, and that none will be made before
 * `until_ns` (CLOCK_MONOTONIC). Called by the thread that decides on requests. Optional: it saves
 * wake-ups of the watchdog. A store to memory. */
void watchdog_rests(struct watchdog *w, unsigned at, uint64_t until_ns);

/* Called by the tracing thread. True once after the watchdog has changed the thread's class, which
 * is then not what the thread set last. Costs a load. */
bool watchdog_has_boosted(struct watchdog *w, unsigned at);

/* _wants_stop: true when the watchdog has ended a stop, and our owner has not continued us since
 * that stop began. The caller then releases all threads and calls watchdog_obey(), which stops us
 * until our owner continues us. */
bool watchdog_wants_stop(const struct watchdog *w);
void watchdog_obey(struct watchdog *w);

/* How often it has stepped in so far: continued us, or changed a class. */
unsigned watchdog_rescues(const struct watchdog *w);

pid_t watchdog_pid(const struct watchdog *w);

#endif
