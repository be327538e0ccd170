/*
 * A thread that is traced, at one of its stops: what it has stopped for, and how it goes on
 * without having noticed. What stop.c and holding.c have in common.
 */
#ifndef SAMPLER_TRACEE_H
#define SAMPLER_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

struct process;
struct registers;

/*
 * As waitpid(2), but a stop is only looked at, not taken: it is over when the thread
 * runs on. A signal that we have taken and not yet handed on would be lost with us,
 * if we were killed at that moment (wait_task_stopped() in kernel/exit.c clears what
 * ptrace_stop() in kernel/signal.c is to deliver). An end is taken.
 *
 * `which` is P_ALL, of those that the calling thread traces, or P_PID for one of them.
 */
pid_t tracee_event(idtype_t which, pid_t tid, int flags, int *status);

/* The same, but an end is left, too, for whoever waits for it next: when the calling thread
 * has ended, that is its parent. */
pid_t tracee_look(idtype_t which, pid_t tid, int flags, int *status);

/*
 * Is the thread stopped by nothing that it would have noticed without us? Then its
 * call must not end for it. A signal that is ignored is dropped where it is sent,
 * except when the thread is traced (sig_ignored() in kernel/signal.c): then it is
 * queued, cuts the call short and is dropped afterwards. A trap without a signal is
 * our own interruption, or the notice of a SIGCONT that a seized thread gets.
 */
bool tracee_stopped_by_us(pid_t tid, int status);

/* The stop at the entry of a call, for which PTRACE_SYSCALL lets a thread run. */
bool tracee_enters_call(int status);

/* The signal that has stopped it, and is to be handed on to it; 0: none. */
int tracee_signal(int status);

/* The call that registers_failed_call has told of (result: what it told): has it done nothing
 * until then, so that it may be made again? (sampler/calls.h) */
bool tracee_call_may_be_made_again(const struct registers *regs, int64_t result,
				   const struct process *process);

/* Sets the registers so that it is made again. */
void tracee_call_again(pid_t tid, const struct registers *regs);

/* Sets them back, if it has not run on since. Under a leader's number another thread may stand,
 * which has executed a program (de_thread() in fs/exec.c): its registers are left alone. */
void tracee_undo_call_again(pid_t tid, const struct registers *regs);

#endif
