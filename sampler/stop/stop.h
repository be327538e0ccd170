/*
 * Stopping one thread for one sample so that it does not notice.
 *
 * A tracer belongs to the thread that made it, as ptrace(2) relations do. It asks threads to stop,
 * several at a time. Each is served as soon as it has stopped (a callback copies what it needs),
 * and released at once. The callback is run by a copier where the owner has some (copier.h), so
 * that a read that does not come back keeps no thread held. Between the request and the release
 * there are a few microseconds; before and after, the target has no tracer.
 *
 * A thread that went to wait between the caller's look and the stop may be in a call that the
 * kernel would now fail with EINTR, because of us. Such a call is entered again
 * (sampler/stop/README.md, "Repair"). A thread repaired in this way stays attached until the
 * tracing *thread* exits. When only repaired threads are left, tracer_wants_baton() is true: the
 * owner ends its thread and goes on in a new one with a new tracer.
 */
#ifndef SAMPLER_STOP_STOP_H
#define SAMPLER_STOP_STOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/stop/copier.h"
#include "sampler/thread/registers.h"

struct copiers;
struct error;
struct process;
struct stood;
struct tracer;
struct watchdog;

/* How a request ended. */
enum stop_outcome {
	STOP_TAKEN,	/* the callback has seen the thread and returned true */
	STOP_REFUSED,	/* the callback returned false; a call was repaired where needed */
	STOP_SIGNALLED, /* a signal came first and was handed on; the callback was not called */
	STOP_GROUP,	/* job control has stopped it, and it stays stopped; the callback was called
			* only after tracer_takes_stopped */
	STOP_OVERDUE,	/* it has not stopped for a second, and is not waited for any more */
	STOP_GONE,	/* it has ended */
	STOP_STUCK,	/* the callback was not back in time */
	STOP_UNREAD,	/* a callback for its process was not, before; it was not called */
};

struct stop {
	enum stop_outcome outcome;
	void *cookie; /* what tracer_ask was given; NULL: the end of a thread whose request was
			    * reported before */
	pid_t tid;
	uint64_t held_ns; /* from the request to the call that releases the thread; an upper bound,
			    * since the thread may have run on for a moment or waited for a CPU */
	uint64_t served_ns; /* the part of held_ns since we learnt of the stop; a lower bound */
	uint64_t stood_ns;  /* an upper bound, from how long the calling thread was awake */
	bool work_lost;	    /* a long call began anew because of us (bpf(2)) */
	bool taken;	    /* the callback has returned true, whatever came after that */
	bool cut;	    /* a call failed with EINTR and could not be entered again */
	bool reaped;	    /* STOP_GONE: we have waited for the thread's end */
	int exit_status;    /* status of that end, as waitpid(2) gives it. Without `reaped` the
			    * thread has vanished: its process may have executed a program */
};

/* Called while the thread is held, so it only copies and returns. False: this is no sample after
 * all, and the outcome is STOP_REFUSED. */
typedef bool stop_take(void *owner, void *cookie, pid_t tid, const struct registers *regs);

/* Makes a tracer for the calling thread, which frees it with tracer_free. `owner` is passed to
 * `take`. ERR_NOMEM, ERR_IO. */
int tracer_new(struct tracer **t, stop_take *take, void *owner, struct error *err);

/* From now on the watchdog is told when a request is out and when none is, and that the calling
 * thread traces, at that post (watchdog.h). `w` may be NULL. */
void tracer_watched_by(struct tracer *t, struct watchdog *w, unsigned post);

/* From now on `take` is called by one of these copiers (copier.h), which are borrowed and serve no
 * other caller. A thread is then held for TRACER_COPY_NS at most by a read, and for `most_ns` (0:
 * the same) by its copy. The outcome is STOP_STUCK where that was not enough. The functions of
 * their loss get a struct tracer_copy. */
enum { TRACER_COPY_NS = 6000000 };
struct tracer_copy {
	stop_take *take;
	void *owner, *cookie;
	pid_t tid;
	struct registers regs;
	bool taken;
};
void tracer_copies_by(struct tracer *t, struct copiers *copiers, uint64_t most_ns);

/* Makes one copy so, of a thread that is held or does not run; `copiers` NULL: by the calling
 * thread. */
enum copy tracer_copy_by(struct copiers *copiers, const struct process *of, struct tracer_copy *c,
			 uint64_t most_ns);

/* `comes_back` is asked before each copy: true if all that `take` reads is known to be there, so
 * that no read can last. Then the calling thread copies, which saves two switches. */
typedef bool stop_comes_back(void *owner, void *cookie, const struct registers *regs);
void tracer_copies_itself(struct tracer *t, stop_comes_back *comes_back);

/* Threads that job control has stopped (proc_pid_stat(5), state T) are shown to `take` as
 * well from now on, and stay stopped: STOP_TAKEN then, not STOP_GROUP. */
void tracer_takes_stopped(struct tracer *t);

/* Waits briefly until parked threads are in their calls, then frees memory and timer. The kernel
 * releases the threads still attached when the calling thread exits. */
void tracer_free(struct tracer *t);

/* Waits for the end of a thread of ours that has traced (`tid`: its number), and of its ptrace
 * relations. pthread_join(3) returns a moment before these end (exit_mm() and exit_notify() in
 * kernel/exit.c). */
void tracer_join(pthread_t thread, pid_t tid);

/* When a thread can be expected to stop after the request. */
enum stop_when {
	STOP_ELSEWHERE, /* it is on another CPU: within microseconds, so we poll for it */
	STOP_HERE,	/* it was on our CPU: as soon as we sleep */
	STOP_LATER,	/* it is on no CPU: not known */
};

/* Asks a thread to stop. `process` is the thread's, borrowed until tracer_free, for the repair of
 * calls on sockets (NULL: they are not repaired). Only a few requests may be out for threads that
 * are expected to stop at once, so that none of these waits to be served. ERR_GONE: the thread has
 * ended, is exiting or dumps core; `stood` (tracee.h) tells that it was not on the way there and
 * has not run since, or is NULL: then its flags are read. ERR_BUSY: its process executes a program
 * just now; ask no thread of it for a while. ERR_PERM: it may not be traced now, perhaps because
 * our predecessor still has it attached (process_diagnose). ERR_LIMIT: enough requests are out;
 * call tracer_next first. */
int tracer_ask(struct tracer *t, const struct process *process, pid_t tid,
	       const struct stood *stood, void *cookie, enum stop_when when);

/* Waits until a request has ended or the time `until` (CLOCK_MONOTONIC, ns) has come. 1 with *stop
 * filled, 0 when the time has come. 0 at once when no request is out. */
int tracer_next(struct tracer *t, uint64_t until, struct stop *stop);

/* The next tracer_next returns at `ns` (CLOCK_MONOTONIC) at the latest, to within a millisecond
 * before; to be called before each one. */
void tracer_wake_at(struct tracer *t, uint64_t ns);

/* Requests that are out, those of parked threads included. */
size_t tracer_outstanding(const struct tracer *t);

/* True if threads are parked, or one is traced that has taken its leader's number, and no other
 * request is out. Then the calling thread has to end, which releases them. */
bool tracer_wants_baton(const struct tracer *t);

/* How many calls were entered again. */
uint64_t tracer_repairs(const struct tracer *t);

#endif
