/*
 * A traced thread at one of its stops: why it has stopped, and how it goes on without noticing
 * that. Shared by stop.c and holding.c.
 */
#ifndef SAMPLER_STOP_TRACEE_H
#define SAMPLER_STOP_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

struct process;
struct registers;

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

/*
 * Is the thread stopped by something that it would not have noticed without us? Then its call must
 * not end because of that. A signal that is ignored is dropped where it is sent, except when the
 * thread is traced (sig_ignored() in kernel/signal.c): then it is queued, cuts the call short and
 * is dropped afterwards. A trap without a signal is our own interruption, or the notice of a
 * SIGCONT that a seized thread gets.
 */
bool tracee_stopped_by_us(pid_t tid, int status);

/* Is it the stop at the entry of a call, to which PTRACE_SYSCALL lets a thread run? */
bool tracee_enters_call(int status);

/* The signal that has stopped the thread and is to be handed on to it; 0: none. */
int tracee_signal(int status);

/* `result` is not 0 and comes from registers_failed_call(regs). Is that call known to have done
 * nothing, so that it may be made again (call_may_be_made_again, sampler/thread/calls.h)? */
bool tracee_call_may_be_made_again(const struct registers *regs, int64_t result,
				   const struct process *process);

/* Sets the thread's registers so that it makes that call again. `regs` are those of its stop. */
void tracee_call_again(pid_t tid, const struct registers *regs);

/* Sets them back, if the thread has not run on since. A leader's number may now belong to another
 * thread, which has executed a program (de_thread() in fs/exec.c): its registers are left alone. */
void tracee_undo_call_again(pid_t tid, const struct registers *regs);

#endif
