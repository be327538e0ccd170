/*
 * A thread that we trace, from the request to its release, as a small state machine. stop.c stops
 * threads for a sample, holding.c holds all threads of a process; both release them here.
 *
 *   ASKED       SEIZE and INTERRUPT are done; its first stop is awaited
 *   STOPPED     it is in a stop, with its registers read
 *   REENTERING  its call was set up to be entered again; the stop at the entry
 *               is awaited (or a signal that comes in between)
 *   PARKED      it is inside the call again and runs on, still attached
 *
 * Why not DETACH at the entry stop? Detaching sets TIF_SIGPENDING (ptrace_signal_wake_up in
 * kernel/ptrace.c), and the call about to be made would see it and return EINTR at once. So the
 * thread is continued, and released by the exit of the tracing thread: exit_ptrace() unlinks a
 * tracee that is not stopped without touching it.
 */
#ifndef SAMPLER_STOP_TRACEE_H
#define SAMPLER_STOP_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "sampler/thread/registers.h"

struct process;

/* A thread that was not dying when it had been put on a CPU so many times. */
struct stood {
	int schedstat_fd; /* its open /proc/PID/task/TID/schedstat */
	uint64_t slices;
	/* It may be stopped where it was then, and perhaps not where it is later. */
	bool only_there;
};

enum tracee_state { TRACEE_NONE, TRACEE_ASKED, TRACEE_STOPPED, TRACEE_REENTERING, TRACEE_PARKED };

struct tracee {
	pid_t tid;
	const struct process *process; /* for the repair of calls on sockets; may be NULL */
	enum tracee_state state;
	int status;	/* of the present stop, as waitpid(2) gives it */
	bool readable;	/* `regs` are those of that stop; false: the thread was killed since */
	bool work_lost; /* a long call began anew because of us (bpf(2)) */
	bool cut;	/* a call failed with EINTR and could not be entered again */
	struct registers regs; /* REENTERING: before the repair */
};

/* Seizes and interrupts the thread: ASKED. ERR_GONE: it has ended, or is on its way to its end. In
 * the second case it may be PARKED: seized and not interrupted. ERR_BUSY: its process executes a
 * program. ERR_PERM: it may not be traced now. ERR_NOTFOUND: it is not where it was any more.
 * `stood` may be NULL. The calling thread's waker must be on (seize.h). */
int tracee_ask(struct tracee *t, const struct stood *stood);

/* Notes a stop of the thread: STOPPED, or still REENTERING. */
void tracee_note_stop(struct tracee *t, int status);

/* How the thread goes on. */
enum tracee_way {
	TRACEE_DETACHES, /* with the signal that has stopped it, if one has */
	TRACEE_REENTERS, /* to the entry of the call that we have cut short */
	TRACEE_PARKS,	 /* into that call */
};

/* Decides how the thread goes on from its stop, and sets its registers for that. tracee_go must
 * follow; the caller may take the time of the stop in between. */
enum tracee_way tracee_decide(struct tracee *t);

/* Lets the thread run on: NONE, REENTERING or PARKED. False, with the state unchanged: the thread
 * was killed since and cannot be detached. */
bool tracee_go(struct tracee *t, enum tracee_way way);

/*
 * As waitpid(2), but a stop is only looked at, not consumed: it is over when the thread runs on. If
 * we consumed a signal and were killed before we hand it on, it would be lost (wait_task_stopped()
 * in kernel/exit.c clears what ptrace_stop() in kernel/signal.c is to deliver). A thread's end is
 * consumed.
 *
 * `which` is P_ALL for all threads that the calling thread traces, or P_PID for one of them.
 */
pid_t tracee_event(idtype_t which, pid_t tid, int flags, int *status);

/* The same, but a thread's end is not consumed either. The next tracer or, when the calling thread
 * has ended, the target's parent waits for it. */
pid_t tracee_look(idtype_t which, pid_t tid, int flags, int *status);

/* The signal that has stopped the thread and is to be handed on to it; 0: none. */
int tracee_signal(int status);

#endif
