/* What /proc reports of a thread, for decisions about its stops. */
#ifndef SAMPLER_THREAD_DISPOSITIONS_H
#define SAMPLER_THREAD_DISPOSITIONS_H

#include <stdbool.h>
#include <sys/types.h>

/* For how long to ask the function below again. */
#define THREAD_SETTLES_NS 100000000

/* For a thread that stops only if it gets a signal: true if it will not stop now, since it sleeps,
 * has no signal that it does not block, or is gone. For a moment a signal is neither pending any
 * more (SigPnd and ShdPnd in proc_pid_status(5)) nor in the stop that reports it. Therefore a
 * thread that is awake counts only from the twentieth look on; `looks` is the number of those
 * before, with a nap between any two. A thread that a signal has woken may have to wait for a
 * CPU. */
bool thread_has_settled(pid_t tid, unsigned looks);

/* Flags of a thread that exits, has been killed, or writes the memory of its process into a core
 * dump (PF_EXITING, PF_POSTCOREDUMP, PF_DUMPCORE, PF_SIGNALED in include/linux/sched.h; the field
 * `flags` of proc_pid_stat(5)). Such a thread will not be in user space again. An interruption does
 * harm there: writing a dump into a pipe ends when one is pending (pipe_write() in fs/pipe.c,
 * dump_interrupted() in fs/coredump.c). */
#define THREAD_DYING 0x60cu
#define THREAD_DUMPS_CORE 0x200u

/* True if the thread has one of the flags THREAD_DYING now, or is gone. Costs five microseconds. */
bool thread_is_dying(pid_t tid);

/* True if the thread's process neither handles nor ignores the signal. */
bool thread_leaves_to_default(pid_t tid, int sig);

/* True if without a tracer the signal would go unnoticed (signal(7), "Signal dispositions"). */
bool thread_ignores(pid_t tid, int sig);

#endif
