/*
 * PTRACE_SEIZE that does not wait for ever.
 *
 * The call sleeps until it gets the target's cred_guard_mutex (ptrace_attach() in kernel/ptrace.c),
 * which an execve(2) holds from before it computes credentials to its end. Meanwhile the executing
 * thread waits until all other threads of its process are gone (de_thread() in fs/exec.c), and a
 * traced one is gone only when its tracer has waited for it. So a tracer that sleeps in SEIZE while
 * it has a tracee in that process is in a deadlock with the target.
 */
#ifndef SAMPLER_STOP_SEIZE_H
#define SAMPLER_STOP_SEIZE_H

#include <sys/types.h>

/* Seizes a thread, with PTRACE_O_TRACESYSGOOD. 0, or a negative errno: -EINTR, after a millisecond
 * or two, when the target is in an execve(2). The calling thread's waker must be on
 * (sampler/stop/waker.h). */
int seize(pid_t tid);

/* For the handler of the waker's signal: ends the seize that it has interrupted, if it
 * has interrupted one. `context` is the handler's third argument. */
void seize_give_up(void *context);

#endif
